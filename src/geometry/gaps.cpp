#include "geometry/gaps.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "base/round_up.hpp"
#include "geometry/layout_rep.hpp"

namespace shardfft {

std::int64_t elements_of(const std::vector<Piece>& pieces) {
  std::int64_t count = 0;
  for (const Piece& piece : pieces) count += piece.set.count();
  return count;
}

std::int64_t reach_of(const Piece& piece) {
  if (piece.set.empty() || piece.offset < 0) return 0;
  // If strides are wrong, places may need more than 64 bits.
  __extension__ using Wide = __int128;
  Wide last = piece.offset;
  for (std::size_t a = 0; a < static_cast<std::size_t>(piece.set.axes); ++a) {
    const std::int64_t steps = piece.set.axis[a].count - 1;
    if (steps > 0 && piece.stride[a] <= 0) return 0;
    if (steps > 0) last += Wide{piece.stride[a]} * steps;
  }
  return last < std::numeric_limits<std::int64_t>::max() ? static_cast<std::int64_t>(last + 1) : 0;
}

namespace {

/// Axes from the slowest to the fastest.
AxisOrder order_of(const Piece& piece) {
  AxisOrder order = natural_order(static_cast<std::size_t>(piece.set.axes));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return piece.stride[static_cast<std::size_t>(a)] > piece.stride[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Whether the stride of each axis exceeds the reach of all faster axes.
bool has_order(const Piece& piece, const AxisOrder& order) {
  std::int64_t reach = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const auto a = static_cast<std::size_t>(*axis);
    if (piece.set.axis[a].count < 2) continue;
    if (piece.stride[a] < reach) return false;
    reach += piece.stride[a] * (piece.set.axis[a].count - 1);
  }
  return true;
}

/// Sets that are the parts of a grid in row-major order become a grid layout: algorithms support it best.
Layout grid_or_boxes(const Shape& shape, const std::vector<IndexSet>& sets, const AxisOrder& order) {
  std::vector<std::vector<Progression>> parts(shape.size());
  std::size_t ranks = 1;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    for (const IndexSet& set : sets)
      if (!set.empty() && std::find(parts[a].begin(), parts[a].end(), set.axis[a]) == parts[a].end())
        parts[a].push_back(set.axis[a]);
    std::sort(parts[a].begin(), parts[a].end(), [](const auto& p, const auto& q) { return p.first < q.first; });
    ranks *= parts[a].size();
    if (ranks > sets.size()) return Layout::boxes(shape, sets, order);
  }
  const Layout grid = Layout::grid(shape, parts, static_cast<int>(sets.size()), {}, order);
  for (std::size_t r = 0; r < sets.size(); ++r) {
    const IndexSet mine = grid.local(static_cast<int>(r));
    if (!(mine == sets[r]) && !(mine.empty() && sets[r].empty())) return Layout::boxes(shape, sets, order);
  }
  return grid;
}

}  // namespace

std::optional<Layout> without_gaps(const Layout& layout) {
  if (layout.axes() == 0 || layout.is_grid()) return {};
  std::vector<Piece> pieces;
  std::vector<IndexSet> sets(static_cast<std::size_t>(layout.ranks()));
  bool has_gaps = false;
  for (int r = 0; r < layout.ranks(); ++r) {
    const std::vector<Piece> mine = layout.pieces(r);
    IndexSet& set = sets[static_cast<std::size_t>(r)];
    set.axes = layout.axes();
    if (mine.size() > 1) return {};
    if (mine.empty() || mine.front().set.empty()) continue;
    const Piece& piece = pieces.emplace_back(mine.front());
    set = piece.set;
    if (piece.offset != 0 || reach_of(piece) < set.count()) return {};
    has_gaps = has_gaps || reach_of(piece) > set.count();
  }
  if (!has_gaps) return {};
  // The rank with most axes of more than one index determines the order of axes.
  const auto told = [](const Piece& piece) {
    return std::count_if(piece.set.axis.begin(), piece.set.axis.begin() + piece.set.axes,
                         [](const Progression& p) { return p.count > 1; });
  };
  const AxisOrder order = order_of(*std::max_element(
      pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) { return told(a) < told(b); }));
  if (!std::all_of(pieces.begin(), pieces.end(), [&](const Piece& p) { return has_order(p, order); })) return {};
  return grid_or_boxes(layout.shape(), sets, order);
}

Layout with_padded_rows(const Layout& grid, std::int64_t unit) {
  require(grid.is_grid() && unit >= 1, "only rows of grid layouts are padded");
  auto rep = std::make_shared<Layout::Rep>(Layout::Rep::of(grid));
  rep->row_unit = unit;
  return Layout::Rep::layout(rep);
}

std::int64_t row_gap(const Layout& layout, int rank) {
  const Layout::Rep& rep = Layout::Rep::of(layout);
  if (rep.row_unit == 1 || !layout.axis_is_local(rep.order.back())) return 0;
  const std::int64_t row = layout.local(rank).axis[static_cast<std::size_t>(rep.order.back())].count;
  return round_up(row, rep.row_unit) - row;
}

}  // namespace shardfft
