// Bricks whose reshapes stay inside groups of neighbours: to lines, and back to bricks, axis by axis. A rank of P then
// has about P^(1/3) - 1 partners at a time, instead of P^(1/2) - 1 with pencils, and sends about 1.5 times the bytes
// (FFT-ECP section 3.3; SWFFT). For problems whose time is bound by latency.
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/builder.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

constexpr int first_axis = 1;  // 0 is the batch
constexpr int last_axis = 3;

/// The process grid and its parts of each axis. Rank = row-major index over the axes.
struct Bricks {
  std::vector<std::vector<Progression>> parts;

  std::int64_t ranks(int axis) const { return static_cast<std::int64_t>(parts[static_cast<std::size_t>(axis)].size()); }
  /// The distance from a rank to its neighbour along `axis`.
  std::int64_t stride(int axis) const {
    std::int64_t product = 1;
    for (int a = axis + 1; a <= last_axis; ++a) product *= ranks(a);
    return product;
  }
  /// Cuts an axis anew if a transform has resized it.
  void fit(const Shape& shape) {
    for (std::size_t a = 0; a < parts.size(); ++a) {
      std::int64_t covered = 0;
      for (const Progression& part : parts[a]) covered += part.count;
      if (covered != shape[a]) parts[a] = runs(shape[a], static_cast<std::int64_t>(parts[a].size()));
    }
  }
};

bool input_is_bricks(const Problem& p) {
  if (!p.input.is_grid() || !p.grid.empty()) return false;
  std::int64_t stride = 1;
  for (int a = last_axis; a >= first_axis; --a) {
    const auto& parts = p.input.parts(a);
    if (parts.size() > 1 && p.input.rank_stride()[static_cast<std::size_t>(a)] != stride) return false;
    stride *= static_cast<std::int64_t>(parts.size());
  }
  return stride == p.ranks() && p.input.parts(0).size() == 1;
}

Bricks bricks_of(const Problem& p) {
  const Shape& shape = p.input.shape();
  if (!p.grid.empty()) {
    std::int64_t product = 1;
    for (const std::int64_t g : p.grid) product *= g;
    require(p.grid.size() == 3 && product == p.ranks(),
            "option grid needs 3 entries for algorithm brick_groups, whose product is the number of ranks, ",
            p.ranks());
  }
  Bricks bricks;
  const Shape fields(shape.begin() + first_axis, shape.end());
  const Layout whole = input_is_bricks(p) ? p.input
                       : p.grid.empty()   ? Layout::brick(fields, p.ranks()).with_batch(shape[0])
                                          : Layout::brick(fields, p.grid).with_batch(shape[0]);
  for (int a = 0; a <= last_axis; ++a) bricks.parts.push_back(whole.parts(a));
  return bricks;
}

Layout grid_of(const Shape& shape, const std::vector<std::vector<Progression>>& parts,
               const std::vector<std::int64_t>& strides, const Problem& p) {
  std::vector<int> rank_stride;
  for (const std::int64_t stride : strides) rank_stride.push_back(narrow(stride, "rank stride"));
  return Layout::grid(shape, parts, p.ranks(), rank_stride, p.input.order());
}

std::vector<std::int64_t> strides_of(const Bricks& bricks) {
  std::vector<std::int64_t> strides{1};
  for (int a = first_axis; a <= last_axis; ++a) strides.push_back(bricks.stride(a));
  return strides;
}

/// The ranks that share a row of bricks along `axis` get all of it, and divide their part of a neighbouring axis among
/// themselves.
Layout lines(const Shape& shape, const Bricks& bricks, int axis, const Problem& p) {
  const int other = axis == last_axis ? axis - 1 : axis + 1;
  const std::int64_t group = bricks.ranks(axis);
  const auto& coarse = bricks.parts[static_cast<std::size_t>(other)];
  std::vector<std::vector<Progression>> parts = bricks.parts;
  std::vector<std::int64_t> strides = strides_of(bricks);
  parts[static_cast<std::size_t>(axis)] = {Progression{0, shape[static_cast<std::size_t>(axis)], 1}};
  auto& fine = parts[static_cast<std::size_t>(other)];
  fine.clear();
  const auto part_of = [&](std::int64_t brick, std::int64_t member) {
    const Progression& whole = coarse[static_cast<std::size_t>(brick)];
    const Progression part = block_part(whole.count, group, member);
    return Progression{whole.at(part.first), part.count, whole.stride};
  };
  const auto bricks_there = static_cast<std::int64_t>(coarse.size());
  if (other < axis) {  // the group's ranks are the nearer neighbours
    for (std::int64_t b = 0; b < bricks_there; ++b)
      for (std::int64_t m = 0; m < group; ++m) fine.push_back(part_of(b, m));
    strides[static_cast<std::size_t>(other)] = bricks.stride(axis);
  } else {
    for (std::int64_t m = 0; m < group; ++m)
      for (std::int64_t b = 0; b < bricks_there; ++b) fine.push_back(part_of(b, m));
  }
  strides[static_cast<std::size_t>(axis)] = 1;
  return grid_of(shape, parts, strides, p);
}

}  // namespace

Program brick_groups_program(const Problem& problem) {
  require(problem.input.axes() == last_axis + 1,
          "algorithm brick_groups takes arrays of three axes; pencil and brick take others");
  Bricks bricks = bricks_of(problem);
  ProgramBuilder builder("brick_groups", problem);
  for (auto axis = problem.axes.rbegin(); axis != problem.axes.rend(); ++axis) {
    const Shape shape = builder.state().layout.shape();
    bricks.fit(shape);
    builder.reshape(grid_of(shape, bricks.parts, strides_of(bricks), problem));
    builder.reshape(lines(shape, bricks, *axis, problem));
    builder.fft({*axis});
  }
  return builder.finish();
}

}  // namespace shardfft
