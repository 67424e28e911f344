// What all implementations of line and plane passes ask for.
#include "base/check.hpp"
#include "cuda/lines/plane_pass.hpp"

namespace shardfft::cuda::lines {

void require_pass(const Pass& pass) {
  const int g = granule(pass.precision);
  require(pass.m_begin % g == 0 && pass.m_end % g == 0, "a line pass needs bundles of ", g, " lines");
  if (has_odd_rows(pass.in, pass.precision))
    require(pass.in.block >= pass.n && pass.outer_end % 2 == 0, "rows of an odd number of floats are read in pairs");
  if (has_odd_rows(pass.out, pass.precision))
    require(pass.out.block >= pass.n && pass.align_stores && pass.out.part[0].line_stride % g == 0,
            "rows of an odd number of floats are only written by aligned stores");
}

void require_planes(const PlanePass& pass) {
  const Pass& columns = pass.columns;
  const int g = granule(columns.precision);
  require(columns.m_begin % g == 0 && columns.m_end % g == 0, "a plane pass needs bundles of ", g, " columns");
  const Part& inside = inner_side(pass).part[0];
  const std::int64_t n = columns.n, pitch = inside.line_stride;
  require(pass.kind != Kind::c2r, "a plane pass of real rows is r2c in both directions");
  const bool real = pass.kind == Kind::r2c;
  // Rows are fetched in units of 16 bytes.
  const std::int64_t unit = columns.precision == Precision::f64 ? 1 : 2;
  const std::int64_t least = (spectrum_points(n, pass.kind) + unit - 1) / unit * unit;
  require(inner_side(pass).block >= n && inside.outer_stride == n * pitch &&
              (real ? pitch >= least && pitch % unit == 0 : pitch == n),
          "a plane pass needs dense planes of one owner");
  require(columns.in.block >= n && (real || columns.out.columns >= columns.m_end) && !columns.align_stores,
          "a plane pass reads from one owner and writes whole bundles");
  require(reinterpret_cast<std::uintptr_t>(pass.rows) % 16 == 0, "a plane pass needs memory aligned to 16 bytes");
}

}  // namespace shardfft::cuda::lines
