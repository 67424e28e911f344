#pragma once
// The points of a mesh that a particle touches, and their weights.
#include <array>
#include <cstdint>

#include "shardfft/halo.hpp"
#include "shardfft/particles.hpp"

namespace shardfft {

/// Points that a particle may touch below and above its cell.
HaloWidth touched(Assignment shape);

/// Along one axis: the first point that a particle touches, the weights of the points from it on, and their derivatives
/// by the particle's position, in points. The cell is the point below the position.
struct AxisWeightsAt {
  std::int64_t first = 0;
  int points = 1;
  std::array<double, 3> weight{1, 0, 0}, slope{};
};
AxisWeightsAt assign(Assignment shape, std::int64_t cell, double beyond_cell);

}  // namespace shardfft
