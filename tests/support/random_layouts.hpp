#pragma once
// Layouts and shapes drawn at random.
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "geometry/schedule.hpp"
#include "support/elements.hpp"
#include "support/seed.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {

/// Any order of the axes in memory; half of them natural.
inline AxisOrder random_order(Random& random, std::size_t axes) {
  AxisOrder order(axes);
  std::iota(order.begin(), order.end(), 0);
  if (random.coin()) std::shuffle(order.begin(), order.end(), random.engine());
  return order;
}

/// Any product of `axes` factors that is `ranks`.
inline Shape random_grid(Random& random, int ranks, std::size_t axes) {
  Shape grid(axes, 1);
  for (int f = 2; ranks > 1; ++f)
    for (; ranks % f == 0; ranks /= f) grid[to_size(random.integer(0, static_cast<std::int64_t>(axes) - 1))] *= f;
  return grid;
}

/// Blocks along some axes, cyclic parts along others, ranks counted along the axes in any order.
inline Layout mixed_grid(Random& random, const Shape& shape, int ranks, const AxisOrder& order) {
  const Shape grid = random_grid(random, ranks, shape.size());
  std::vector<std::vector<Progression>> parts(shape.size());
  std::vector<int> rank_stride(shape.size());
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const bool cyclic = random.coin();
    for (std::int64_t i = 0; i < grid[a]; ++i)
      parts[a].push_back(cyclic ? cyclic_part(shape[a], grid[a], i) : block_part(shape[a], grid[a], i));
  }
  AxisOrder counted(shape.size());
  std::iota(counted.begin(), counted.end(), 0);
  std::shuffle(counted.begin(), counted.end(), random.engine());
  int stride = 1;
  for (const int a : counted) {
    rank_stride[to_size(a)] = stride;
    stride *= static_cast<int>(grid[to_size(a)]);
  }
  return Layout::grid(shape, parts, ranks, rank_stride, order);
}

inline Layout random_layout(Random& random, const Shape& shape, int ranks) {
  const std::size_t axes = shape.size();
  const auto any_axis = static_cast<int>(random.integer(0, static_cast<std::int64_t>(axes) - 1));
  const AxisOrder order = random_order(random, axes);
  switch (random.integer(0, 8)) {
    case 0:
      if (axes > 1) return Layout::pencil(shape, random_grid(random, ranks, axes - 1), any_axis, order);
      break;
    case 1:
      return Layout::brick(shape, random_grid(random, ranks, axes), order);
    case 2:
      return Layout::cyclic(shape, random_grid(random, ranks, axes), order);
    case 3:
    case 4:
      return mixed_grid(random, shape, ranks, order);
    case 5:
      return mosaic(shape, ranks, static_cast<std::uint64_t>(random.integer(0, 1 << 30)), order);
    case 6:
      return uneven_boxes(shape, ranks, order);
    case 7:
      return Layout::single(shape, ranks, static_cast<int>(random.integer(0, ranks - 1)), order);
    default:
      break;
  }
  return Layout::slab(shape, ranks, any_axis, order);
}

/// One to four axes, at most some thousand points; extents of 1 and primes among them.
inline Shape random_shape(Random& random) {
  constexpr std::array<std::int64_t, 4> largest{300, 50, 20, 9};
  const auto axes = to_size(random.integer(1, 4));
  Shape shape(axes);
  for (std::int64_t& n : shape) n = random.integer(1, random.integer(0, 3) == 0 ? 4 : largest[axes - 1]);
  return shape;
}

inline const std::string& one_of(Random& random, const std::vector<std::string>& names) {
  return names[to_size(random.integer(0, static_cast<std::int64_t>(names.size()) - 1))];
}

}  // namespace shardfft::test
