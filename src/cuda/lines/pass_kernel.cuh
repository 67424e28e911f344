#pragma once
// The kernel of a pass. A persistent thread block walks over bundles of `width` neighbouring lines; while one bundle
// is transformed in registers, the next one is on its way into shared memory (cp.async). Every thread fetches exactly
// the points it will need itself, so a bundle's arrival needs no barrier, and neighbouring threads hold neighbouring
// lines, so loads and stores are runs of 16 * width bytes without any staging.
#include "cuda/lines/line_fft.cuh"
#include "cuda/lines/pass.hpp"

namespace shardfft::cuda::lines {

inline constexpr int max_points = 24;

/// Side of a pass in units of 16 bytes. A thread's i-th point lies at point[i] + (a place all its points share): the
/// owner of the point is folded into the pointer, so one offset serves all points and costs no registers.
struct KernelSide {
  double2* point[max_points];
  long long line_stride, outer_stride;
};

struct KernelPass {
  KernelSide in, out;
  const void* table;
  unsigned tiles, tiles_in_row;
  long long outer_begin, m_begin;
  double scale;
};

__device__ __forceinline__ void fetch(double2* shared, const double2* global) {
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
}
__device__ __forceinline__ void fetch_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ __forceinline__ void fetch_wait() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }

/// Offset of this thread's points in a tile on one side.
__device__ __forceinline__ long long offset(const KernelPass& pass, const KernelSide& side, unsigned tile,
                                            const Place& at) {
  const unsigned outer = tile / pass.tiles_in_row, column = tile % pass.tiles_in_row;
  return (pass.outer_begin + outer) * side.outer_stride + at.t * side.line_stride + pass.m_begin +
         column * at.width + at.lane;
}

template <class Cut, int Width>
struct Shape3 {
  static constexpr int threads = Cut::team * Width;
  static constexpr int bytes = Cut::N * Width * 16 + Cut::padded_rows * Width * 8;
};

template <class Cut, class T, int Width, int Resident, bool Backward>
__global__ void __launch_bounds__(Shape3<Cut, Width>::threads, Resident)
    pass_kernel(const __grid_constant__ KernelPass pass) {
  using Scalar = typename Traits<T>::Scalar;
  constexpr int threads = Shape3<Cut, Width>::threads;
  extern __shared__ double2 shared[];
  double2* slots = shared + threadIdx.x;
  T* rows = reinterpret_cast<T*>(shared + Cut::N * Width);
  const auto* table = static_cast<const typename Traits<T>::Factor*>(pass.table);
  const Place at{threadIdx.x / Width, threadIdx.x % Width, Width};

  const auto fetch_tile = [&](unsigned tile) {
    const long long from = offset(pass, pass.in, tile, at);
    each<Cut::E>([&](auto i) { fetch(slots + i * threads, pass.in.point[i] + from); });
    fetch_commit();
  };
  unsigned tile = blockIdx.x;
  if (tile < pass.tiles) fetch_tile(tile);
  for (; tile < pass.tiles; tile += gridDim.x) {
    fetch_wait();
    Cx<T> v[Cut::E];
    each<Cut::E>([&](auto i) { v[i] = unpack<Backward>(slots[i * threads], static_cast<T*>(nullptr)); });
    line_fft<Cut>(v, rows, at, table, [&] {
      if (tile + gridDim.x < pass.tiles) fetch_tile(tile + gridDim.x);
    });
    if (pass.scale != 1) {
      const Scalar s = static_cast<Scalar>(pass.scale);
      each<Cut::E>([&](auto i) { v[i] = Cx<T>{s * v[i].re, s * v[i].im}; });
    }
    const long long to = offset(pass, pass.out, tile, at);
    each<Cut::E>([&](auto i) { pass.out.point[i][to] = pack<Backward>(v[i]); });
  }
}

}  // namespace shardfft::cuda::lines
