// Layouts; index sets are passed as tuples (first, count, stride), one an axis.
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind.hpp"
#include "shardfft/shardfft.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::AxisOrder;
using shardfft::IndexSet;
using shardfft::Layout;
using shardfft::Shape;

namespace {

/// Layouts are cut by a number of ranks or by a process grid.
template <class Grid>
using Cuts = Layout (*)(const Shape&, Grid, const AxisOrder&);
template <class Grid>
using Lines = Layout (*)(const Shape&, Grid, int, const AxisOrder&);

using Triple = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

std::vector<Triple> triples(const IndexSet& set) {
  std::vector<Triple> result;
  for (int a = 0; a < set.axes; ++a) {
    const auto& axis = set.axis[static_cast<std::size_t>(a)];
    result.emplace_back(axis.first, axis.count, axis.stride);
  }
  return result;
}

/// (index set, offset, strides) of every piece of a rank; offsets and strides in elements.
nb::list pieces(const Layout& layout, int rank) {
  nb::list result;
  for (const shardfft::Piece& piece : layout.pieces(rank)) {
    const std::vector<std::int64_t> strides(piece.stride.begin(), piece.stride.begin() + piece.set.axes);
    result.append(nb::make_tuple(triples(piece.set), piece.offset, strides));
  }
  return result;
}

using PieceState = std::tuple<std::vector<Triple>, std::int64_t, std::vector<std::int64_t>>;
/// The state for pickle: shape, ranks, order; for grids the parts of every axis and the rank strides, else the pieces
/// of every rank.
using State = std::tuple<Shape, int, AxisOrder, std::vector<std::vector<Triple>>, std::vector<int>,
                         std::vector<std::vector<PieceState>>>;

State state(const Layout& layout) {
  std::vector<std::vector<Triple>> parts;
  std::vector<std::vector<PieceState>> pieces;
  if (!layout.is_grid()) {
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      std::vector<PieceState> mine;
      for (const shardfft::Piece& piece : layout.pieces(rank))
        mine.emplace_back(triples(piece.set), piece.offset,
                          std::vector<std::int64_t>(piece.stride.begin(), piece.stride.begin() + piece.set.axes));
      pieces.push_back(std::move(mine));
    }
    return {layout.shape(), layout.ranks(), layout.order(), parts, {}, pieces};
  }
  for (int axis = 0; axis < layout.axes(); ++axis) {
    std::vector<Triple> cuts;
    for (const auto& part : layout.parts(axis)) cuts.emplace_back(part.first, part.count, part.stride);
    parts.push_back(std::move(cuts));
  }
  return {layout.shape(), layout.ranks(), layout.order(), parts, layout.rank_stride(), pieces};
}

shardfft::Progression progression(const Triple& triple) {
  return {std::get<0>(triple), std::get<1>(triple), std::get<2>(triple)};
}

IndexSet index_set(const std::vector<Triple>& axes) {
  IndexSet set;
  set.axes = static_cast<int>(axes.size());
  for (std::size_t a = 0; a < axes.size(); ++a) set.axis.at(a) = progression(axes[a]);
  return set;
}

Layout boxes(const Shape& shape, const std::vector<std::vector<Triple>>& sets, const AxisOrder& order) {
  // The Python side has checked that every set has an entry for each axis, and max_user_axes of them at most.
  std::vector<IndexSet> result;
  for (const auto& set : sets) result.push_back(index_set(set));
  return Layout::boxes(shape, std::move(result), order);
}

/// mpi4py passes the address of its handle.
Layout gathered(std::uintptr_t comm_address, const Shape& shape, const std::vector<Triple>& mine,
                const AxisOrder& order) {
  const nb::gil_scoped_release others_may_run;
  return shardfft::gather_layout(*reinterpret_cast<const MPI_Comm*>(comm_address), shape, index_set(mine), order);
}

Layout of_pieces(const Shape& shape, int ranks, const AxisOrder& order,
                 const std::vector<std::vector<PieceState>>& states) {
  auto all = std::make_shared<std::vector<std::vector<shardfft::Piece>>>();
  std::vector<IndexSet> sets;
  bool single = true;
  for (const auto& mine : states) {
    std::vector<shardfft::Piece>& pieces = all->emplace_back();
    for (const auto& [axes, offset, strides] : mine) {
      shardfft::Piece& piece = pieces.emplace_back(shardfft::Piece{index_set(axes), offset, {}});
      for (std::size_t a = 0; a < strides.size(); ++a) piece.stride.at(a) = strides[a];
    }
    single = single && pieces.size() <= 1;
    sets.push_back(pieces.empty() ? index_set(std::vector<Triple>(shape.size())) : pieces.front().set);
  }
  Layout result =
      Layout::from_pieces(shape, ranks, [all](int rank) { return all->at(static_cast<std::size_t>(rank)); });
  if (!single) return result;
  // Sets in the layout's own order become boxes again, which support more than pieces.
  Layout plain = Layout::boxes(shape, std::move(sets), order);
  return plain.same_as(result) ? plain : result;
}

Layout of_state(const State& state) {
  const auto& [shape, ranks, order, parts, rank_stride, pieces] = state;
  if (parts.empty()) return of_pieces(shape, ranks, order, pieces);
  std::vector<std::vector<shardfft::Progression>> cuts;
  for (const auto& axis : parts) {
    std::vector<shardfft::Progression> mine;
    for (const Triple& part : axis) mine.push_back(progression(part));
    cuts.push_back(std::move(mine));
  }
  return Layout::grid(shape, std::move(cuts), ranks, rank_stride, order);
}

}  // namespace

void shardfft::python::bind_layout(nb::module_& module) {
  nb::class_<Layout>(module, "Layout")
      .def_static("slab", &Layout::slab, "shape"_a, "ranks"_a, "axis"_a, "order"_a)
      .def_static("pencil", static_cast<Lines<int>>(&Layout::pencil), "shape"_a, "ranks"_a, "local_axis"_a, "order"_a)
      .def_static("pencil", static_cast<Lines<const Shape&>>(&Layout::pencil), "shape"_a, "grid"_a, "local_axis"_a,
                  "order"_a)
      .def_static("brick", static_cast<Cuts<int>>(&Layout::brick), "shape"_a, "ranks"_a, "order"_a)
      .def_static("brick", static_cast<Cuts<const Shape&>>(&Layout::brick), "shape"_a, "grid"_a, "order"_a)
      .def_static("cyclic", static_cast<Cuts<int>>(&Layout::cyclic), "shape"_a, "ranks"_a, "order"_a)
      .def_static("cyclic", static_cast<Cuts<const Shape&>>(&Layout::cyclic), "shape"_a, "grid"_a, "order"_a)
      .def_static("boxes", &boxes, "shape"_a, "sets"_a, "order"_a)
      .def_static("gathered", &gathered, "comm_address"_a, "shape"_a, "mine"_a, "order"_a)
      .def_static("single", &Layout::single, "shape"_a, "ranks"_a, "owner"_a, "order"_a)
      .def_prop_ro("axes", &Layout::axes)
      .def_prop_ro("shape", &Layout::shape)
      .def_prop_ro("ranks", &Layout::ranks)
      .def_prop_ro("order", &Layout::order)
      .def("count", &Layout::count, "rank"_a)
      .def("pieces", &pieces, "rank"_a)
      .def("axis_is_local", &Layout::axis_is_local, "axis"_a)
      .def("same_as", &Layout::same_as, "other"_a)
      .def("with_axis_extent", &Layout::with_axis_extent, "axis"_a, "extent"_a)
      .def("with_order", &Layout::with_order, "order"_a)
      .def("validate", &Layout::validate)
      .def("fingerprint", &Layout::fingerprint)
      .def("describe", &Layout::describe)
      .def("__getstate__", &state)
      .def("__setstate__", [](Layout& self, const State& said) { new (&self) Layout(of_state(said)); });
}
