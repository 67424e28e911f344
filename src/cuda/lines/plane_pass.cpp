// What all implementations of plane passes ask for.
#include "cuda/lines/plane_pass.hpp"

#include "base/check.hpp"

namespace shardfft::cuda::lines {

void require_planes(const PlanePass& pass) {
  const Pass& columns = pass.columns;
  const int g = granule(columns.precision);
  require(columns.m_begin % g == 0 && columns.m_end % g == 0, "a plane pass needs bundles of ", g, " columns");
  const Side& inside = inner_side(pass);
  const std::int64_t n = columns.n;
  require(inside.block >= n && inside.part[0].line_stride == n && inside.part[0].outer_stride == n * n,
          "a plane pass needs dense planes of one owner");
  require(columns.in.block >= n && columns.out.columns >= columns.m_end && !columns.align_stores,
          "a plane pass reads from one owner and writes whole bundles");
  require(reinterpret_cast<std::uintptr_t>(pass.rows) % 16 == 0, "a plane pass needs memory aligned to 16 bytes");
}

}  // namespace shardfft::cuda::lines
