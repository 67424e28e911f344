// Layouts for a given number of ranks: the library chooses the process grid.
#include <algorithm>

#include "base/check.hpp"
#include "geometry/layout_rep.hpp"
#include "geometry/shape.hpp"

namespace shardfft {

namespace {

/// The largest factor minus the smallest one.
std::int64_t spread(const Shape& factors) {
  const auto [least, most] = std::minmax_element(factors.begin(), factors.end());
  return *most - *least;
}

/// Tries all ways to append `left` factors of `rest` in falling order, and keeps those with the smallest spread.
void search(std::int64_t rest, std::size_t left, Shape& factors, Shape& best) {
  const std::int64_t most = factors.empty() ? rest : std::min(rest, factors.back());
  if (left == 1) {
    if (rest > most) return;
    factors.push_back(rest);
    if (spread(factors) < spread(best)) best = factors;
    factors.pop_back();
    return;
  }
  for (std::int64_t factor = most; factor >= 1; --factor) {
    if (rest % factor != 0) continue;
    factors.push_back(factor);
    search(rest / factor, left - 1, factors, best);
    factors.pop_back();
  }
}

/// `ranks` as a product of `count` factors that are as equal as possible, the larger ones first.
Shape near_equal_factors(int ranks, std::size_t count) {
  check_ranks(ranks);
  Shape best(count, 1);
  best.front() = ranks;
  Shape factors;
  search(ranks, count, factors, best);
  return best;
}

}  // namespace

Layout Layout::pencil(const Shape& shape, int ranks, int local_axis, const AxisOrder& order) {
  check_shape(shape);
  require(shape.size() > 1, "an array of one axis has no pencils; use a slab or a cyclic layout");
  return pencil(shape, near_equal_factors(ranks, shape.size() - 1), local_axis, order);
}

Layout Layout::brick(const Shape& shape, int ranks, const AxisOrder& order) {
  check_shape(shape);
  return brick(shape, near_equal_factors(ranks, shape.size()), order);
}

Layout Layout::cyclic(const Shape& shape, int ranks, const AxisOrder& order) {
  check_shape(shape);
  Shape grid(shape.size(), 1);
  grid.front() = ranks;
  return cyclic(shape, grid, order);
}

}  // namespace shardfft
