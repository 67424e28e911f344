// Layouts of the C interface.
#include "shardfft/c/layout.h"

#include <numeric>

#include "c/wall.hpp"

using namespace shardfft;
using namespace shardfft::c;

namespace {

Shape shape_of(int axes, const std::int64_t* shape) {
  const auto extents = given_axes(shape, axes, "shape");
  return {extents.begin(), extents.end()};
}
AxisOrder order_of(int axes, const int* order) {
  return order == nullptr ? AxisOrder() : AxisOrder(order, order + axes);
}
std::vector<int> each_rank_or_axis(const int* numbers, int count, const char* name) {
  const auto list = given(numbers, count, name);
  return {list.begin(), list.end()};
}

/// A grid of `factors`, which must have a place for every rank.
Shape grid_of(const std::int64_t* grid, int factors, int ranks) {
  Shape result(grid, grid + factors);
  const auto places = std::accumulate(result.begin(), result.end(), std::int64_t{1}, std::multiplies<>());
  require(places == ranks, "the grid has ", places, " places; ", ranks, " ranks are expected to have one each");
  return result;
}

/// Calls `make` with shape and order.
template <class Make>
shardfft_status made(int axes, const std::int64_t* shape, const int* order, shardfft_layout* layout, const Make& make) {
  return guarded([&] {
    place(layout, "layout");
    const Shape extents = shape_of(axes, shape);
    give(layout, make(extents, order_of(axes, order)));
  });
}
template <class Make>
shardfft_status derived(shardfft_layout layout, shardfft_layout* result, const Make& make) {
  return guarded([&] { give(result, make(*get(layout))); });
}
void gather(MPI_Comm comm, int axes, const std::int64_t* shape, const shardfft_progression* mine, const int* order,
            shardfft_layout* layout) {
  Shape extents;
  IndexSet set;
  agreed(comm, [&] {
    place(layout, "layout");
    extents = shape_of(axes, shape);
    set = index_set(given(mine, axes, "mine"));
  });
  give(layout, gather_layout(comm, extents, set, order_of(axes, order)));
}

Piece piece_of(const shardfft_piece& given_piece, int axes) {
  Piece piece{index_set(std::span(given_piece.axis, static_cast<std::size_t>(axes))), given_piece.offset, {}};
  std::copy_n(given_piece.stride, axes, piece.stride.begin());
  return piece;
}

shardfft_piece c_piece(const Piece& piece) {
  shardfft_piece result{};
  for (std::size_t a = 0; a < static_cast<std::size_t>(piece.set.axes); ++a) {
    result.axis[a] = c_progression(piece.set.axis[a]);
    result.stride[a] = piece.stride[a];
  }
  result.offset = piece.offset;
  return result;
}

template <class List>
std::vector<shardfft_progression> c_progressions(const List& list, std::size_t count) {
  std::vector<shardfft_progression> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(c_progression(list[i]));
  return result;
}

}  // namespace

shardfft_status shardfft_layout_slab(int axes, const int64_t* shape, int ranks, int axis, const int* order,
                                     shardfft_layout* layout) {
  return made(axes, shape, order, layout,
              [&](const Shape& s, const AxisOrder& o) { return Layout::slab(s, ranks, axis, o); });
}
shardfft_status shardfft_layout_pencil(int axes, const int64_t* shape, int ranks, const int64_t* grid, int local_axis,
                                       const int* order, shardfft_layout* layout) {
  return made(axes, shape, order, layout, [&](const Shape& s, const AxisOrder& o) {
    if (grid == nullptr) return Layout::pencil(s, ranks, local_axis, o);
    return Layout::pencil(s, grid_of(grid, std::max(axes - 1, 0), ranks), local_axis, o);
  });
}
shardfft_status shardfft_layout_brick(int axes, const int64_t* shape, int ranks, const int64_t* grid, const int* order,
                                      shardfft_layout* layout) {
  return made(axes, shape, order, layout, [&](const Shape& s, const AxisOrder& o) {
    return grid == nullptr ? Layout::brick(s, ranks, o) : Layout::brick(s, grid_of(grid, axes, ranks), o);
  });
}
shardfft_status shardfft_layout_cyclic(int axes, const int64_t* shape, int ranks, const int64_t* grid, const int* order,
                                       shardfft_layout* layout) {
  return made(axes, shape, order, layout, [&](const Shape& s, const AxisOrder& o) {
    return grid == nullptr ? Layout::cyclic(s, ranks, o) : Layout::cyclic(s, grid_of(grid, axes, ranks), o);
  });
}
shardfft_status shardfft_layout_grid(int axes, const int64_t* shape, int ranks, const int* parts,
                                     const shardfft_progression* part, const int* rank_stride, const int* order,
                                     shardfft_layout* layout) {
  return made(axes, shape, order, layout, [&](const Shape& s, const AxisOrder& o) {
    const shardfft_progression* next = part;
    std::vector<std::vector<Progression>> cuts;
    for (const int count : given(parts, axes, "parts")) {
      auto& cut = cuts.emplace_back();
      for (const shardfft_progression& p : given(next, count, "part")) cut.push_back(progression(p));
      next += count;
    }
    const std::vector<int> strides =
        rank_stride == nullptr ? std::vector<int>() : each_rank_or_axis(rank_stride, axes, "rank_stride");
    return Layout::grid(s, std::move(cuts), ranks, strides, o);
  });
}
shardfft_status shardfft_layout_boxes(int axes, const int64_t* shape, int ranks, const shardfft_progression* sets,
                                      const int* order, shardfft_layout* layout) {
  return made(axes, shape, order, layout, [&](const Shape& s, const AxisOrder& o) {
    const auto all = given(sets, std::int64_t{axes} * ranks, "sets");
    std::vector<IndexSet> each;
    for (int r = 0; r < ranks; ++r)
      each.push_back(index_set(all.subspan(static_cast<std::size_t>(r) * s.size(), s.size())));
    return Layout::boxes(s, std::move(each), o);
  });
}
shardfft_status shardfft_layout_single(int axes, const int64_t* shape, int ranks, int owner, const int* order,
                                       shardfft_layout* layout) {
  return made(axes, shape, order, layout,
              [&](const Shape& s, const AxisOrder& o) { return Layout::single(s, ranks, owner, o); });
}
shardfft_status shardfft_layout_from_pieces(int axes, const int64_t* shape, int ranks, const int* pieces,
                                            const shardfft_piece* piece, shardfft_layout* layout) {
  return made(axes, shape, nullptr, layout, [&](const Shape& s, const AxisOrder&) {
    auto all = std::make_shared<std::vector<std::vector<Piece>>>();
    const shardfft_piece* next = piece;
    for (const int count : given(pieces, ranks, "pieces")) {
      auto& mine = all->emplace_back();
      for (const shardfft_piece& p : given(next, count, "piece")) mine.push_back(piece_of(p, axes));
      next += count;
    }
    return Layout::from_pieces(s, ranks, [all](int rank) { return all->at(static_cast<std::size_t>(rank)); });
  });
}
shardfft_status shardfft_gather_layout(MPI_Comm comm, int axes, const int64_t* shape, const shardfft_progression* mine,
                                       const int* order, shardfft_layout* layout) {
  return guarded([&] { gather(comm, axes, shape, mine, order, layout); });
}
shardfft_status shardfft_gather_layout_f(MPI_Fint comm, int axes, const int64_t* shape,
                                         const shardfft_progression* mine, const int* order, shardfft_layout* layout) {
  return guarded([&] { gather(MPI_Comm_f2c(comm), axes, shape, mine, order, layout); });
}
shardfft_status shardfft_layout_free(shardfft_layout* layout) { return end(layout); }

shardfft_status shardfft_layout_axes(shardfft_layout layout, int* axes) {
  return asked(layout, axes, "axes", [](const Layout& l) { return l.axes(); });
}
shardfft_status shardfft_layout_shape(shardfft_layout layout, int64_t* shape) {
  return guarded([&] { copy_to(&place(shape, "shape"), get(layout)->shape()); });
}
shardfft_status shardfft_layout_ranks(shardfft_layout layout, int* ranks) {
  return asked(layout, ranks, "ranks", [](const Layout& l) { return l.ranks(); });
}
shardfft_status shardfft_layout_order(shardfft_layout layout, int* order) {
  return guarded([&] { copy_to(&place(order, "order"), get(layout)->order()); });
}
shardfft_status shardfft_layout_is_grid(shardfft_layout layout, int* is_grid) {
  return asked(layout, is_grid, "is_grid", [](const Layout& l) { return l.is_grid(); });
}
shardfft_status shardfft_layout_parts(shardfft_layout layout, int axis, int* count, shardfft_progression* parts) {
  return guarded([&] {
    const auto held = get(layout);
    const auto& cuts = held->parts(axis);
    give_list(count, parts, c_progressions(cuts, cuts.size()));
  });
}
shardfft_status shardfft_layout_rank_stride(shardfft_layout layout, int* rank_stride) {
  return guarded([&] { copy_to(&place(rank_stride, "rank_stride"), get(layout)->rank_stride()); });
}
shardfft_status shardfft_layout_count(shardfft_layout layout, int rank, int64_t* count) {
  return asked(layout, count, "count", [&](const Layout& l) { return l.count(rank); });
}
shardfft_status shardfft_layout_max_count(shardfft_layout layout, int64_t* count) {
  return asked(layout, count, "count", [](const Layout& l) { return l.max_count(); });
}
shardfft_status shardfft_layout_local(shardfft_layout layout, int rank, shardfft_progression* set) {
  return guarded([&] {
    const IndexSet local = get(layout)->local(rank);
    copy_to(&place(set, "set"), c_progressions(local.axis, static_cast<std::size_t>(local.axes)));
  });
}
shardfft_status shardfft_layout_pieces(shardfft_layout layout, int rank, int* count, shardfft_piece* pieces) {
  return guarded([&] {
    std::vector<shardfft_piece> all;
    for (const Piece& piece : get(layout)->pieces(rank)) all.push_back(c_piece(piece));
    give_list(count, pieces, all);
  });
}
shardfft_status shardfft_layout_axis_is_local(shardfft_layout layout, int axis, int* is_local) {
  return asked(layout, is_local, "is_local", [&](const Layout& l) { return l.axis_is_local(axis); });
}
shardfft_status shardfft_layout_for_overlaps(shardfft_layout layout, const shardfft_progression* set,
                                             shardfft_overlap_visit visit, void* user) {
  return guarded([&] {
    require(visit != nullptr, "'visit' is a null pointer; a function is expected");
    const auto held = get(layout);
    held->for_overlaps(index_set(given(set, held->axes(), "set")), [&](int rank, const IndexSet& common) {
      visit(user, rank, c_progressions(common.axis, static_cast<std::size_t>(common.axes)).data());
    });
  });
}
shardfft_status shardfft_layout_same_as(shardfft_layout layout, shardfft_layout other, int* same) {
  return asked(layout, same, "same", [&](const Layout& l) { return l.same_as(*get(other)); });
}
shardfft_status shardfft_layout_with_axis_extent(shardfft_layout layout, int axis, int64_t extent,
                                                 shardfft_layout* result) {
  return derived(layout, result, [&](const Layout& l) { return l.with_axis_extent(axis, extent); });
}
shardfft_status shardfft_layout_with_order(shardfft_layout layout, const int* order, shardfft_layout* result) {
  return derived(layout, result, [&](const Layout& l) { return l.with_order(order_of(l.axes(), order)); });
}
shardfft_status shardfft_layout_with_batch(shardfft_layout layout, int64_t fields, shardfft_layout* result) {
  return derived(layout, result, [&](const Layout& l) { return l.with_batch(fields); });
}
shardfft_status shardfft_layout_without_batch(shardfft_layout layout, shardfft_layout* result) {
  return derived(layout, result, [](const Layout& l) { return l.without_batch(); });
}
shardfft_status shardfft_layout_validate(shardfft_layout layout) {
  return guarded([&] { get(layout)->validate(); });
}
shardfft_status shardfft_layout_fingerprint(shardfft_layout layout, uint64_t* fingerprint) {
  return asked(layout, fingerprint, "fingerprint", [](const Layout& l) { return l.fingerprint(); });
}
shardfft_status shardfft_layout_describe(shardfft_layout layout, char** text) {
  return guarded([&] { give_text(text, get(layout)->describe()); });
}

shardfft_status shardfft_block_part(int64_t extent, int64_t parts, int64_t index, shardfft_progression* part) {
  return guarded([&] { place(part, "part") = c_progression(block_part(extent, parts, index)); });
}
shardfft_status shardfft_cyclic_part(int64_t extent, int64_t parts, int64_t index, shardfft_progression* part) {
  return guarded([&] { place(part, "part") = c_progression(cyclic_part(extent, parts, index)); });
}
shardfft_status shardfft_intersect(const shardfft_progression* a, const shardfft_progression* b,
                                   shardfft_progression* common) {
  return guarded([&] {
    const Progression first = progression(given(a, 1, "a").front());
    place(common, "common") = c_progression(intersect(first, progression(given(b, 1, "b").front())));
  });
}
