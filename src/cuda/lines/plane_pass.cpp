// What all implementations of plane passes ask for.
#include "cuda/lines/plane_pass.hpp"

#include "base/check.hpp"

namespace shardfft::cuda::lines {

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
