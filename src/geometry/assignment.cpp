#include "geometry/assignment.hpp"

namespace shardfft {

HaloWidth touched(Assignment shape) {
  if (shape == Assignment::tsc) return {1, 2};
  return {0, 1};
}

AxisWeightsAt assign(Assignment shape, std::int64_t cell, double beyond_cell) {
  if (shape == Assignment::cic) return {cell, 2, {1 - beyond_cell, beyond_cell, 0}, {-1, 1, 0}};
  const bool upper = beyond_cell >= 0.5;
  const std::int64_t nearest = cell + (upper ? 1 : 0);
  if (shape == Assignment::nearest) return {nearest};
  const double f = beyond_cell - (upper ? 1 : 0), low = 0.5 - f, high = 0.5 + f;
  return {nearest - 1, 3, {low * low / 2, 0.75 - f * f, high * high / 2}, {-low, -2 * f, high}};
}

}  // namespace shardfft
