#pragma once
// From a PlanePass to a kernel launch, and the sizes that have one.
#include "device/cuda/lines/pass_launch.cuh"
#include "device/cuda/lines/plane_kernel.cuh"
#include "device/plane_pass.hpp"

namespace shardfft::device::lines {

inline constexpr std::int64_t large_plane = std::int64_t{12} << 20;

template <class Cut, class T, int Width, int Groups, bool Backward, bool Real>
void launch_planes(const PlanePass& pass, const void* table, std::uint32_t* counters, void* stream) {
  constexpr int lines = Traits<T>::lines;
  using Shape = PlaneShape<Cut, Width, Groups>;
  const auto kernel = plane_kernel<Cut, T, Width, Groups, Backward, Real>;
  constexpr int shared_bytes = Shape::bytes(sizeof(typename Traits<T>::Factor));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "cudaFuncSetAttribute");
  const Pass& columns = pass.columns;
  KernelPlanes k{};
  k.columns_in = kernel_input<Cut, T, Width>(columns);
  k.columns_out = kernel_output<Cut, T>(columns.out);
  const Part& inside = inner_side(pass).part[0];
  k.rows.in = static_cast<const char*>(Backward ? inside.base : pass.rows);
  k.rows.out = static_cast<char*>(Backward ? pass.rows : inside.base);
  k.rows.spectrum_stride = static_cast<unsigned>(inside.line_stride * 16 / lines);
  k.table = table;
  k.ticket = counters;
  k.done = counters + 1;
  k.planes = static_cast<unsigned>(columns.outer_end - columns.outer_begin);
  k.outer_begin = static_cast<unsigned>(columns.outer_begin);
  k.m_begin = static_cast<unsigned>(columns.m_begin / lines);
  k.row_tiles = Cut::N / (RowsOf<Cut, T, Backward, Real>::in_line * Width);
  k.column_tiles = static_cast<unsigned>((columns.m_end - columns.m_begin) / (lines * Width));
  k.rows.kept_begin = static_cast<unsigned>(columns.m_begin);
  k.rows.kept_count = static_cast<unsigned>(columns.m_end - columns.m_begin);
  k.scale = columns.scale;
  // With two planes ahead blocks wait less, but three large planes are more than the cache holds (docs/gpu-design.md).
  k.ahead = std::min(k.planes, Cut::N * inside.line_stride * 16 / lines > large_plane ? 1u : 2u);
  if (k.planes == 0) return;
  check(cudaMemsetAsync(counters, 0, plane_counters(k.planes) * sizeof *counters, static_cast<cudaStream_t>(stream)),
        "cudaMemsetAsync");
  Grid<decltype(kernel)> grid(kernel, Shape::threads, shared_bytes, stream);
  grid.launch(k, k.planes * (k.row_tiles + k.column_tiles), 1, columns.blocks);
}

using LaunchPlanes = void (*)(const PlanePass&, const void* table, std::uint32_t* counters, void* stream);

/// A kernel for planes of n * n points and the radices its twiddle table is made for.
struct PlaneVariant {
  int n, shared_bytes;
  int radix[3];
  LaunchPlanes forward, backward, real_forward, real_backward;
};

template <class T, class Cut, int Width, int Groups>
constexpr PlaneVariant plane_variant() {
  constexpr int shared_bytes = PlaneShape<Cut, Width, Groups>::bytes(sizeof(typename Traits<T>::Factor));
  static_assert(shared_bytes <= most_shared_bytes);
  return {Cut::N,
          shared_bytes,
          {Cut::radix0, Cut::radix1, Cut::radix2},
          launch_planes<Cut, T, Width, Groups, false, false>,
          launch_planes<Cut, T, Width, Groups, true, false>,
          launch_planes<Cut, T, Width, Groups, false, true>,
          launch_planes<Cut, T, Width, Groups, true, true>};
}

template <class T>
const PlaneVariant* find_plane_variant(int n) {
  static constexpr PlaneVariant table[] = {
      plane_variant<T, Recipe<128, 16, 8, 16>, 16, 4>(),    plane_variant<T, Recipe<256, 16, 16, 16>, 8, 4>(),
      plane_variant<T, Recipe<384, 24, 8, 8, 6>, 4, 4>(),   plane_variant<T, Recipe<512, 16, 16, 8, 4>, 8, 2>(),
      plane_variant<T, Recipe<768, 24, 8, 8, 12>, 4, 2>(),  plane_variant<T, Recipe<1024, 16, 16, 16, 4>, 8, 1>(),
      plane_variant<T, Recipe<1536, 24, 8, 8, 24>, 4, 1>(),
  };
  for (const PlaneVariant& v : table)
    if (v.n == n) return &v;
  return nullptr;
}

const PlaneVariant* find_planes_f64(int n);
const PlaneVariant* find_planes_f32(int n);

}  // namespace shardfft::device::lines
