#pragma once
// From a Pass to a kernel launch.
#include <algorithm>

#include "base/check.hpp"
#include "cuda/lines/pass_kernel.cuh"

namespace shardfft::cuda::lines {

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) fail(Status::backend_failure, what, ": ", cudaGetErrorString(status));
}

template <class Cut, class T>
KernelSide kernel_side(const Side& side) {
  constexpr int lines = Traits<T>::lines;
  require(side.block >= Cut::N || side.block % Cut::team == 0, "lines of ", Cut::N, " points are shared by ",
          Cut::team, " threads: blocks of ", side.block, " points an owner do not fit");
  KernelSide k{};
  k.line_stride = side.line_stride / lines;
  k.outer_stride = side.outer_stride / lines;
  for (int i = 0; i < Cut::E; ++i) {
    const int owner = i * Cut::team / side.block, inside = i * Cut::team % side.block;
    require(owner < max_owners, "more than ", max_owners, " owners of a line");
    k.point[i] = static_cast<double2*>(side.base[static_cast<std::size_t>(owner)]) + inside * k.line_stride;
  }
  return k;
}

/// Multiprocessors of the current device.
inline int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return count;
}

template <class Cut, class T, int Width, int Resident, bool Backward>
void launch(const Pass& pass, const void* table, void* stream) {
  constexpr int lines = Traits<T>::lines;
  using Shape = Shape3<Cut, Width>;
  const auto kernel = pass_kernel<Cut, T, Width, Resident, Backward>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::bytes),
        "cudaFuncSetAttribute");
  KernelPass k{};
  k.in = kernel_side<Cut, T>(pass.in);
  k.out = kernel_side<Cut, T>(pass.out);
  k.table = table;
  k.tiles_in_row = static_cast<unsigned>((pass.m_end - pass.m_begin) / (lines * Width));
  k.tiles = static_cast<unsigned>(pass.outer_end - pass.outer_begin) * k.tiles_in_row;
  k.outer_begin = pass.outer_begin;
  k.m_begin = pass.m_begin / lines;
  k.scale = pass.scale;
  if (k.tiles == 0) return;
  const int all = multiprocessors() * Resident;
  const int wanted = pass.blocks > 0 ? pass.blocks : all;
  const unsigned grid = std::min(static_cast<unsigned>(wanted), k.tiles);
  kernel<<<grid, Shape::threads, Shape::bytes, static_cast<cudaStream_t>(stream)>>>(k);
  check(cudaGetLastError(), "launch of a line pass");
}

using Launch = void (*)(const Pass&, const void* table, void* stream);

/// A kernel for lines of n points and the radices its twiddle table is made for.
struct Variant {
  int n;
  int radix[3];
  Launch forward, backward;
};

template <class Cut, class T, int Width, int Resident>
constexpr Variant variant() {
  return {Cut::N,
          {Cut::radix0, Cut::radix1, Cut::radix2},
          launch<Cut, T, Width, Resident, false>,
          launch<Cut, T, Width, Resident, true>};
}

/// Variants of a precision, one a size; null when there is none.
const Variant* find_f64(int n);
const Variant* find_f32(int n);

}  // namespace shardfft::cuda::lines
