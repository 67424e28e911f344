#include "api/poisson_walls.hpp"

#include <cmath>

#include "base/check.hpp"

namespace shardfft {

AxisTransform transform_of(AxisBoundary ends, WallPoints points) {
  if (ends.lower == Boundary::periodic || ends.lower == Boundary::open) return AxisTransform::fft;
  const bool nodes = points == WallPoints::nodes, below = ends.lower == Boundary::neumann;
  if (ends.lower == ends.upper)
    return below ? (nodes ? AxisTransform::dct1 : AxisTransform::dct2)
                 : (nodes ? AxisTransform::dst1 : AxisTransform::dst2);
  return below ? (nodes ? AxisTransform::dct3 : AxisTransform::dct4)
               : (nodes ? AxisTransform::dst3 : AxisTransform::dst4);
}

AxisGrid grid_of(AxisBoundary ends, WallPoints points, std::int64_t n, double length) {
  const auto count = static_cast<double>(n);
  if (ends.lower == Boundary::periodic) return {length / count, 0};
  if (ends.lower == Boundary::open || points == WallPoints::centres) return {length / count, 0.5};
  const double below = ends.lower == Boundary::dirichlet ? 1 : 0, above = ends.upper == Boundary::dirichlet ? 1 : 0;
  return {length / (count - 1 + below + above), below};
}

std::vector<double> weights_of(AxisBoundary ends, WallPoints points, std::int64_t n, const std::vector<double>& cells) {
  if (!cells.empty()) return cells;
  std::vector<double> result(static_cast<std::size_t>(n), 1);
  if (points == WallPoints::centres) return result;
  if (ends.lower == Boundary::neumann) result.front() /= 2;
  if (ends.upper == Boundary::neumann) result.back() /= 2;
  return result;
}

double WallLift::weight(double square) const {
  const double decay = std::sqrt(square) * step;
  if (kind == Boundary::dirichlet) return points == WallPoints::nodes ? 1 : 2 * std::cosh(decay / 2);
  const double reach = points == WallPoints::nodes ? decay : decay / 2;
  return 2 * step * (decay > 0 ? std::sinh(reach) / decay : points == WallPoints::nodes ? 1 : 0.5);
}

double WallLift::factor(double square, double k) const {
  if (std::sqrt(square) * step > 600) return 0;  // cosh ends, and the value does not reach the first point
  const double waves = std::pow(std::sinh(std::sqrt(square) * step / 2), 2) + std::pow(std::sin(k * step / 2), 2);
  return waves == 0 ? 0 : weight(square) / (4 * waves);
}

Piece wall_points(const Side& side, int axis, bool upper) {
  const auto a = static_cast<std::size_t>(axis);
  Piece piece;
  piece.set.axes = side.layout.axes();
  for (const Piece& own : side.layout.pieces(side.rank)) piece = own;
  Progression& line = piece.set.axis[a];
  const std::int64_t index = upper ? side.layout.shape()[a] - 1 : 0;
  if (piece.set.empty() || !line.contains(index)) {
    line.count = 0;
    return piece;
  }
  piece.offset += line.position(index) * piece.stride[a];
  line = {index, 1, 1};
  return piece;
}

}  // namespace shardfft
