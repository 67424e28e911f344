// Layouts: their constructors and accessors.
#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "base/round_up.hpp"
#include "geometry/gaps.hpp"
#include "geometry/layout_rep.hpp"
#include "geometry/shape.hpp"

namespace shardfft {

AxisOrder natural_order(std::size_t axes) {
  AxisOrder order(axes);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

AxisOrder checked_order(const AxisOrder& order, std::size_t axes) {
  if (order.empty()) return natural_order(axes);
  AxisOrder sorted = order;
  std::sort(sorted.begin(), sorted.end());
  require(sorted == natural_order(axes), "the axis order must name each of the ", axes, " axes once");
  return order;
}

void check_ranks(std::int64_t ranks) {
  require(ranks >= 1, "a layout needs at least 1 rank, got ", ranks);
  require(ranks <= max_ranks, "a layout of ", ranks, " ranks has more ranks than any machine; ", max_ranks,
          " are possible");
}

namespace {

using Rep = Layout::Rep;

template <class Part>
std::vector<std::vector<Progression>> cut(const Shape& shape, const Shape& grid, Part part) {
  std::vector<std::vector<Progression>> parts(shape.size());
  for (std::size_t a = 0; a < shape.size(); ++a)
    for (std::int64_t i = 0; i < grid[a]; ++i) parts[a].push_back(part(shape[a], grid[a], i));
  return parts;
}

int grid_ranks(const Shape& shape, const Shape& grid) {
  require(grid.size() == shape.size(), "the process grid needs one entry an axis: ", shape.size(), " expected, got ",
          grid.size());
  std::int64_t ranks = 1;
  for (std::size_t a = 0; a < grid.size(); ++a) {
    require(grid[a] >= 1, "the process grid has ", grid[a], " parts along axis ", a, "; at least 1 is needed");
    require(!__builtin_mul_overflow(ranks, grid[a], &ranks), "the process grid has more ranks than MPI can count");
    check_ranks(ranks);
  }
  return static_cast<int>(ranks);
}

Piece dense_piece(const IndexSet& set, const Rep& rep) {
  Piece piece{set, 0, {}};
  std::int64_t stride = 1;
  for (auto axis = rep.order.rbegin(); axis != rep.order.rend(); ++axis) {
    piece.stride[static_cast<std::size_t>(*axis)] = stride;
    stride = round_up(stride * set.axis[static_cast<std::size_t>(*axis)].count, rep.row_unit);
  }
  return piece;
}

/// The size of `count` elements in rows of `row` along the fastest axis, with the gap behind each row.
std::int64_t with_gaps(std::int64_t count, std::int64_t row, const Rep& rep) {
  return rep.row_unit == 1 || count == 0 ? count : count / row * round_up(row, rep.row_unit);
}

/// The strides must count the ranks 0, 1, ... without gaps, for any order of the axes.
void check_rank_stride(const std::vector<std::vector<Progression>>& parts, const std::vector<int>& rank_stride) {
  require(rank_stride.size() == parts.size(), "a rank stride is needed for each of the ", parts.size(), " axes, got ",
          rank_stride.size());
  std::vector<std::pair<std::int64_t, std::int64_t>> cuts;
  for (std::size_t a = 0; a < parts.size(); ++a) {
    require(rank_stride[a] >= 1, "the rank stride of axis ", a, " is ", rank_stride[a], "; at least 1 is needed");
    if (parts[a].size() > 1) cuts.emplace_back(rank_stride[a], parts[a].size());
  }
  std::sort(cuts.begin(), cuts.end());
  std::int64_t expected = 1;
  for (const auto& [stride, count] : cuts) {
    require(stride == expected, "a rank stride of ", stride, " is impossible: the axes with smaller ones have ",
            expected, " ranks");
    expected *= count;
  }
}

IndexSet grid_set(const Rep& rep, int rank) {
  IndexSet set;
  set.axes = static_cast<int>(rep.shape.size());
  std::int64_t used = 1;
  for (const auto& p : rep.parts) used *= static_cast<std::int64_t>(p.size());
  if (rank >= used) return set;
  for (std::size_t a = 0; a < rep.parts.size(); ++a)
    set.axis[a] = rep.parts[a][static_cast<std::size_t>(rank / rep.rank_stride[a]) % rep.parts[a].size()];
  return set;
}

}  // namespace

Layout Layout::grid(const Shape& shape, std::vector<std::vector<Progression>> parts, int ranks,
                    const std::vector<int>& rank_stride, const AxisOrder& order) {
  check_shape(shape);
  check_ranks(ranks);
  require(parts.size() == shape.size(), "parts are needed for each of the ", shape.size(), " axes");
  for (std::size_t a = 0; a < parts.size(); ++a) require(!parts[a].empty(), "axis ", a, " has no parts");
  auto rep = std::make_shared<Rep>();
  rep->shape = shape;
  rep->ranks = ranks;
  rep->order = checked_order(order, shape.size());
  rep->rank_stride = rank_stride;
  if (rank_stride.empty()) {
    rep->rank_stride.assign(shape.size(), 1);
    for (std::size_t a = shape.size(); a-- > 1;)
      rep->rank_stride[a - 1] = narrow(rep->rank_stride[a] * static_cast<std::int64_t>(parts[a].size()), "rank stride");
  }
  check_rank_stride(parts, rep->rank_stride);
  std::int64_t used = 1;
  for (const auto& p : parts) used *= static_cast<std::int64_t>(p.size());
  require(used <= ranks, "the process grid needs ", used, " ranks, but the layout has ", ranks);
  rep->parts = std::move(parts);
  return Layout(rep);
}

Layout Layout::slab(const Shape& shape, int ranks, int axis, const AxisOrder& order) {
  check_shape(shape);
  require(axis >= 0 && axis < static_cast<int>(shape.size()), "slab axis ", axis, " is not an axis of an array with ",
          shape.size(), " axes");
  check_ranks(ranks);
  Shape grid_shape(shape.size(), 1);
  grid_shape[static_cast<std::size_t>(axis)] = ranks;
  return grid(shape, cut(shape, grid_shape, block_part), ranks, {}, order);
}

Layout Layout::pencil(const Shape& shape, const Shape& process_grid, int local_axis, const AxisOrder& order) {
  check_shape(shape);
  const int axes = static_cast<int>(shape.size());
  require(local_axis >= -axes && local_axis < axes, "local axis ", local_axis, " is not an axis of an array with ",
          axes, " axes");
  require(process_grid.size() + 1 == shape.size(), "a pencil layout of ", shape.size(),
          " axes needs a process grid of ", shape.size() - 1, " entries, got ", process_grid.size());
  Shape full = process_grid;
  full.insert(full.begin() + (local_axis < 0 ? local_axis + axes : local_axis), 1);
  return brick(shape, full, order);
}

Layout Layout::brick(const Shape& shape, const Shape& process_grid, const AxisOrder& order) {
  check_shape(shape);
  const int ranks = grid_ranks(shape, process_grid);
  return grid(shape, cut(shape, process_grid, block_part), ranks, {}, order);
}

Layout Layout::cyclic(const Shape& shape, const Shape& process_grid, const AxisOrder& order) {
  check_shape(shape);
  const int ranks = grid_ranks(shape, process_grid);
  return grid(shape, cut(shape, process_grid, cyclic_part), ranks, {}, order);
}

Layout Layout::boxes(const Shape& shape, std::vector<IndexSet> sets, const AxisOrder& order) {
  check_shape(shape);
  require(!sets.empty(), "a layout needs one index set a rank, got none");
  check_ranks(static_cast<std::int64_t>(sets.size()));
  for (std::size_t r = 0; r < sets.size(); ++r)
    require(sets[r].axes == static_cast<int>(shape.size()), "the index set of rank ", r, " has ", sets[r].axes,
            " axes, the array has ", shape.size());
  auto rep = std::make_shared<Rep>();
  rep->form = Rep::Form::boxes;
  rep->shape = shape;
  rep->ranks = static_cast<int>(sets.size());
  rep->order = checked_order(order, shape.size());
  rep->sets = std::move(sets);
  return Layout(rep);
}

Layout Layout::single(const Shape& shape, int ranks, int owner, const AxisOrder& order) {
  check_shape(shape);
  check_ranks(ranks);
  require(owner >= 0 && owner < ranks, "owner ", owner, " is not one of ", ranks, " ranks");
  std::vector<IndexSet> sets(static_cast<std::size_t>(ranks));
  for (auto& s : sets) s.axes = static_cast<int>(shape.size());
  sets[static_cast<std::size_t>(owner)] = box(Shape(shape.size(), 0), shape);
  return boxes(shape, std::move(sets), order);
}

Layout Layout::from_pieces(const Shape& shape, int ranks, std::function<std::vector<Piece>(int)> pieces) {
  check_shape(shape);
  check_ranks(ranks);
  require(pieces != nullptr, "from_pieces needs a function that gives the pieces of a rank");
  auto rep = std::make_shared<Rep>();
  rep->form = Rep::Form::pieces;
  rep->shape = shape;
  rep->ranks = ranks;
  rep->order = natural_order(shape.size());
  rep->make_pieces = std::move(pieces);
  return Layout(rep);
}

const Rep& Layout::rep() const {
  require(rep_ != nullptr, "the layout is empty: make it with Layout::slab, pencil, brick, cyclic or boxes");
  return *rep_;
}

int Layout::axes() const { return rep_ ? static_cast<int>(rep_->shape.size()) : 0; }
const Shape& Layout::shape() const { return rep().shape; }
int Layout::ranks() const { return rep_ ? rep_->ranks : 0; }
const AxisOrder& Layout::order() const { return rep().order; }
bool Layout::is_grid() const { return rep_ && rep_->form == Rep::Form::grid; }
const std::vector<int>& Layout::rank_stride() const { return rep().rank_stride; }

const std::vector<Progression>& Layout::parts(int axis) const {
  require(is_grid(), "only grid layouts have parts");
  check_axis(axis);
  return rep_->parts[static_cast<std::size_t>(axis)];
}

void Layout::check_axis(int axis) const {
  require(axis >= 0 && axis < axes(), "axis ", axis, " is not an axis of a layout with ", axes(), " axes");
}

void Layout::check_rank(int rank) const {
  require(rank >= 0 && rank < ranks(), "rank ", rank, " is not in a layout of ", ranks(), " ranks");
}

std::int64_t Layout::count(int rank) const {
  check_rank(rank);
  if (rep_->form == Rep::Form::grid) {
    const IndexSet set = grid_set(*rep_, rank);
    return with_gaps(set.count(), set.axis[static_cast<std::size_t>(order().back())].count, *rep_);
  }
  if (rep_->form == Rep::Form::boxes) return rep_->sets[static_cast<std::size_t>(rank)].count();
  std::int64_t sum = 0, reach = 0;
  for (const Piece& p : rep_->make_pieces(rank)) {
    sum += p.set.count();
    reach = std::max(reach, reach_of(p));
  }
  return std::max(sum, reach);
}

std::int64_t Layout::max_count() const {
  std::int64_t most = is_grid() ? 1 : 0;
  if (is_grid()) {
    const auto longest = [](const std::vector<Progression>& parts) {
      return std::max_element(parts.begin(), parts.end(),
                              [](const auto& a, const auto& b) { return a.count < b.count; })
          ->count;
    };
    for (const auto& parts : rep_->parts) most *= longest(parts);
    return with_gaps(most, longest(rep_->parts[static_cast<std::size_t>(order().back())]), *rep_);
  }
  for (int r = 0; r < rep().ranks; ++r) most = std::max(most, count(r));
  return most;
}

IndexSet Layout::local(int rank) const {
  check_rank(rank);
  if (rep_->form == Rep::Form::grid) return grid_set(*rep_, rank);
  if (rep_->form == Rep::Form::boxes) return rep_->sets[static_cast<std::size_t>(rank)];
  const auto all = rep_->make_pieces(rank);
  require(all.size() <= 1, "rank ", rank, " owns ", all.size(), " pieces, not one index set");
  IndexSet none;
  none.axes = axes();
  return all.empty() ? none : all.front().set;
}

std::vector<Piece> Layout::pieces(int rank) const {
  check_rank(rank);
  if (rep_->form == Rep::Form::pieces) return rep_->make_pieces(rank);
  const IndexSet set = local(rank);
  if (set.empty()) return {};
  return {dense_piece(set, *rep_)};
}

bool Layout::axis_is_local(int axis) const {
  check_axis(axis);
  const std::int64_t extent = shape()[static_cast<std::size_t>(axis)];
  const auto whole = [extent](const Progression& p) { return p.empty() || p.count == extent; };
  if (is_grid()) return std::all_of(parts(axis).begin(), parts(axis).end(), whole);
  for (int r = 0; r < ranks(); ++r)
    for (const Piece& p : pieces(r))
      if (!whole(p.set.axis[static_cast<std::size_t>(axis)])) return false;
  return true;
}

namespace {

struct GridOverlap {
  int rank_part;
  Progression common;
};

}  // namespace

void Layout::for_overlaps(const IndexSet& set, const std::function<void(int, const IndexSet&)>& visit) const {
  require(visit != nullptr, "there is no function to visit common indices");
  require(set.axes == axes(), "the set has ", set.axes, " axes, the layout has ", axes());
  if (set.empty()) return;
  if (!is_grid()) {
    for (int r = 0; r < ranks(); ++r)
      for (const Piece& p : pieces(r)) {
        const IndexSet common = intersect(set, p.set);
        if (!common.empty()) visit(r, common);
      }
    return;
  }
  const auto axes_count = static_cast<std::size_t>(axes());
  std::vector<std::vector<GridOverlap>> overlaps(axes_count);
  for (std::size_t a = 0; a < axes_count; ++a) {
    for (std::size_t c = 0; c < rep_->parts[a].size(); ++c) {
      const Progression common = intersect(set.axis[a], rep_->parts[a][c]);
      if (!common.empty()) overlaps[a].push_back({static_cast<int>(c) * rep_->rank_stride[a], common});
    }
    if (overlaps[a].empty()) return;
  }
  std::vector<std::size_t> at(axes_count, 0);
  while (true) {
    int rank = 0;
    IndexSet common;
    common.axes = axes();
    for (std::size_t a = 0; a < axes_count; ++a) {
      rank += overlaps[a][at[a]].rank_part;
      common.axis[a] = overlaps[a][at[a]].common;
    }
    visit(rank, common);
    std::size_t a = axes_count;
    while (a > 0 && ++at[a - 1] == overlaps[a - 1].size()) at[--a] = 0;
    if (a == 0) return;
  }
}

bool Layout::same_as(const Layout& other) const {
  if (rep_ == other.rep_) return true;
  if (shape() != other.shape() || ranks() != other.ranks()) return false;
  if (is_grid() && other.is_grid() && rep_->parts == other.rep_->parts && order() == other.order() &&
      rep_->rank_stride == other.rep_->rank_stride && rep_->row_unit == other.rep_->row_unit)
    return true;
  for (int r = 0; r < ranks(); ++r)
    if (pieces(r) != other.pieces(r)) return false;
  return true;
}

}  // namespace shardfft
