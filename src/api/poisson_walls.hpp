#pragma once
// Axes with walls: their transform, their points, and the effect of values at walls.
#include <cstdint>
#include <vector>

#include "shardfft/for_each.hpp"
#include "shardfft/poisson.hpp"
#include "shardfft/side.hpp"

namespace shardfft {

AxisTransform transform_of(AxisBoundary ends, WallPoints points);

/// The distance of two points, and the place of the first one behind the lower end in such distances.
struct AxisGrid {
  double step = 1;
  double first = 0;
};
AxisGrid grid_of(AxisBoundary ends, WallPoints points, std::int64_t n, double length);

/// The share of each point in sums: 1/2 on walls, the widths of cells if there are any, else 1.
std::vector<double> weights_of(AxisBoundary ends, WallPoints points, std::int64_t n, const std::vector<double>& cells);

/// A value at one wall continued into the domain, without a right-hand side: its samples solve a recurrence along the
/// axis, whose transform is known.
struct WallLift {
  Boundary kind;
  WallPoints points;
  double step;

  /// The recurrence's right-hand side at the point next to the wall; the other axes have -`square` together.
  double weight(double square) const;
  /// weight() over the recurrence's factor of mode k.
  double factor(double square, double k) const;
};

/// The points of a rank's part that are next to a wall.
Piece wall_points(const Side& side, int axis, bool upper);
/// Calls visit(index, place in memory, value) for each of them.
template <class T, class Visit>
void for_wall(const Side& side, const WallValues& given, const T* /*type*/, const Visit& visit) {
  const Piece piece = wall_points(side, given.axis, given.upper);
  for (std::int64_t number = 0; number < piece.set.count(); ++number) {
    Index index{};
    std::int64_t rest = number, place = piece.offset;
    for (std::size_t a = static_cast<std::size_t>(piece.set.axes); a-- > 0;) {
      const std::int64_t i = rest % piece.set.axis[a].count;
      rest /= piece.set.axis[a].count;
      index[a] = piece.set.axis[a].at(i);
      place += i * piece.stride[a];
    }
    visit(index, place, static_cast<const T*>(given.values)[number]);
  }
}

}  // namespace shardfft
