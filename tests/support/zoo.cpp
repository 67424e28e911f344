#include "support/zoo.hpp"

namespace shardfft::test {

Shape process_grid(int ranks, std::size_t axes) {
  Shape grid(axes, 1);
  std::vector<int> factors;
  for (int f = 2; ranks > 1; ++f)
    for (; ranks % f == 0; ranks /= f) factors.push_back(f);
  for (auto f = factors.rbegin(); f != factors.rend(); ++f) *std::min_element(grid.begin(), grid.end()) *= *f;
  std::sort(grid.rbegin(), grid.rend());
  return grid;
}

AxisOrder reversed_order(std::size_t axes) {
  AxisOrder order(axes);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

AxisOrder rotated_order(std::size_t axes) {
  AxisOrder order(axes);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.end() - 1, order.end());
  return order;
}

IndexSet whole_box(const Shape& shape) { return box(Shape(shape.size(), 0), shape); }

IndexSet empty_set(const Shape& shape) {
  IndexSet set;
  set.axes = static_cast<int>(shape.size());
  return set;
}

Layout uneven_boxes(const Shape& shape, int ranks, const AxisOrder& order) {
  const std::int64_t runs[] = {3, 0, 1};
  std::vector<IndexSet> sets;
  std::int64_t at = 0;
  for (int r = 0; r < ranks; ++r) {
    const std::int64_t left = shape[0] - at;
    const std::int64_t run = r + 1 == ranks ? left : std::min(left, runs[r % 3]);
    IndexSet set = run > 0 ? whole_box(shape) : empty_set(shape);
    if (run > 0) set.axis[0] = {at, run, 1};
    at += run;
    sets.push_back(set);
  }
  return Layout::boxes(shape, sets, order);
}

Layout mosaic(const Shape& shape, int ranks, std::uint64_t stream, const AxisOrder& order) {
  Random random(stream);
  std::vector<IndexSet> sets{whole_box(shape)};
  for (int tries = 0; tries < 4 * ranks && static_cast<int>(sets.size()) < ranks; ++tries) {
    IndexSet& victim = sets[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(sets.size()) - 1))];
    const auto a = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(shape.size()) - 1));
    if (victim.axis[a].count < 2) continue;
    IndexSet rest = victim;
    const std::int64_t kept = random.integer(1, victim.axis[a].count - 1);
    rest.axis[a] = {victim.axis[a].at(kept), victim.axis[a].count - kept, 1};
    victim.axis[a].count = kept;
    sets.push_back(rest);
  }
  sets.resize(static_cast<std::size_t>(ranks), empty_set(shape));
  std::shuffle(sets.begin(), sets.end(), random.engine());
  return Layout::boxes(shape, sets, order);
}

Layout column_major_bricks(const Shape& shape, int ranks) {
  const Shape grid = process_grid(ranks, shape.size());
  std::vector<std::vector<Progression>> parts(shape.size());
  std::vector<int> rank_stride;
  int stride = 1;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    for (std::int64_t i = 0; i < grid[a]; ++i) parts[a].push_back(block_part(shape[a], grid[a], i));
    rank_stride.push_back(stride);
    stride *= static_cast<int>(grid[a]);
  }
  return Layout::grid(shape, parts, ranks, rank_stride);
}

std::vector<NamedLayout> zoo(const Shape& shape, int ranks) {
  const std::size_t axes = shape.size();
  const int last = static_cast<int>(axes) - 1;
  const Shape bricks = process_grid(ranks, axes);
  Shape turned = bricks;
  std::reverse(turned.begin(), turned.end());
  std::vector<NamedLayout> all{
      {"slab", Layout::slab(shape, ranks)},
      {"last-slab", Layout::slab(shape, ranks, last, reversed_order(axes))},
      {"brick", Layout::brick(shape, bricks)},
      {"turned-brick", Layout::brick(shape, turned, rotated_order(axes))},
      {"column-major", column_major_bricks(shape, ranks)},
      {"cyclic", Layout::cyclic(shape, bricks)},
      {"turned-cyclic", Layout::cyclic(shape, turned, reversed_order(axes))},
      {"uneven", uneven_boxes(shape, ranks)},
      {"mosaic", mosaic(shape, ranks, 11, rotated_order(axes))},
      {"first-owns", Layout::single(shape, ranks, 0)},
      {"last-owns", Layout::single(shape, ranks, ranks - 1, reversed_order(axes))},
  };
  if (axes < 2) return all;
  all.push_back({"pencil", Layout::pencil(shape, process_grid(ranks, axes - 1), last)});
  all.push_back({"first-pencil", Layout::pencil(shape, process_grid(ranks, axes - 1), 0, rotated_order(axes))});
  return all;
}

Layout zoo_layout(const std::string& name, const Shape& shape, int ranks) {
  const std::string along = "slab along ";
  if (name.starts_with(along)) return Layout::slab(shape, ranks, std::stoi(name.substr(along.size())));
  for (const NamedLayout& l : zoo(shape, ranks))
    if (l.name == name) return l.layout;
  ADD_FAILURE() << "no layout is called " << name;
  return Layout::slab(shape, ranks);
}

}  // namespace shardfft::test
