#pragma once
// The points of a mesh that a particle touches, and their weights.
#include <array>
#include <cstdint>

#include "shardfft/halo.hpp"
#include "shardfft/particles.hpp"

namespace shardfft {

/// Points beside the cell of a particle that it may touch.
HaloWidth touched(Assignment shape);

/// Along one axis: the first point, the weights of neighbouring points from there on, and their derivatives by the
/// position in units of points. The position is one, and the cell the point below it.
struct AxisWeightsAt {
  std::int64_t first = 0;
  int points = 1;
  std::array<double, 3> weight{1, 0, 0}, slope{};
};
AxisWeightsAt assign(Assignment shape, std::int64_t cell, double beyond_cell);

}  // namespace shardfft
