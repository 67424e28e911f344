// From a PlanePass to a kernel launch.
#include "device/cuda/lines/plane_launch.hpp"

#include <algorithm>

#include "device/cuda/lines/kernel_planes.hpp"
#include "device/cuda/lines/registry.hpp"
#include "tune/defaults.hpp"

namespace shardfft::device::lines {

PreparedPlanes make_prepared(const PlaneVariant& variant, Precision precision) {
  PreparedPlanes prepared;
  prepared.variant = &variant;
  prepared.table = twiddles(variant.line, precision);
  for (const bool real : {false, true})
    for (const bool backward : {false, true})
      prepared.kernel[real][backward] = make_kernel(variant.kernel[real][backward], variant.threads, variant.bytes, 1);
  return prepared;
}

void launch(const PreparedPlanes& prepared, const PlanePass& pass, std::uint32_t* counters, void* stream) {
  const PlaneVariant& v = *prepared.variant;
  const Pass& columns = pass.columns;
  const bool backward = columns.direction == Direction::backward;
  const int lines = unit(columns.precision);
  KernelPlanes k{};
  k.columns_in = kernel_input(columns, {v.line, v.width});
  k.columns_out = kernel_output(columns, v.line);
  require(k.columns_out.mixed == 0, "a plane pass cannot cut lines of ", columns.n, " points into blocks of ",
          columns.out.block, " points an owner");
  const Part& inside = inner_side(pass).part[0];
  k.rows.in = static_cast<const char*>(backward ? inside.base : pass.rows);
  k.rows.out = static_cast<char*>(backward ? pass.rows : inside.base);
  k.rows.spectrum_stride = static_cast<unsigned>(inside.line_stride * 16 / lines);
  k.table = prepared.table;
  k.ticket = counters;
  k.done = counters + 1;
  k.planes = static_cast<unsigned>(columns.outer_end - columns.outer_begin);
  k.outer_begin = static_cast<unsigned>(columns.outer_begin);
  k.m_begin = static_cast<unsigned>(columns.m_begin / lines);
  k.row_tiles = static_cast<unsigned>(columns.n / (pass.real ? v.real_in_row_tile : v.complex_in_row_tile));
  k.column_tiles = static_cast<unsigned>((columns.m_end - columns.m_begin) / (lines * v.width));
  k.rows.kept_begin = static_cast<unsigned>(columns.m_begin);
  k.rows.kept_count = static_cast<unsigned>(columns.m_end - columns.m_begin);
  k.columns = static_cast<unsigned>(std::min(columns.out.columns, columns.m_end) * 2 / lines);
  k.scale = columns.scale;
  // With two planes ahead blocks wait less, but three large planes are more than the cache holds (docs/gpu-design.md).
  const std::int64_t plane_bytes = columns.n * inside.line_stride * 16 / lines;
  const bool room = planes_stay_cached(gpu_defaults().cached_planes_ahead, plane_bytes, current_facts());
  k.ahead = std::min(k.planes, room ? 2U : 1U);
  if (k.planes == 0) return;
  check(cudaMemsetAsync(counters, 0, plane_counters(k.planes) * sizeof *counters, static_cast<cudaStream_t>(stream)),
        "cudaMemsetAsync");
  prepared.kernel[pass.real][backward].launch(k, k.planes * (k.row_tiles + k.column_tiles), columns.blocks, stream);
}

}  // namespace shardfft::device::lines
