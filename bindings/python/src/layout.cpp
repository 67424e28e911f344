// Layouts; index sets travel as tuples (first, count, stride), one an axis.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "shardfft/shardfft.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::AxisOrder;
using shardfft::IndexSet;
using shardfft::Layout;
using shardfft::Shape;

namespace {

using Triple = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

std::vector<Triple> triples(const IndexSet& set) {
  std::vector<Triple> result;
  for (int a = 0; a < set.axes; ++a) {
    const auto& axis = set.axis[static_cast<std::size_t>(a)];
    result.emplace_back(axis.first, axis.count, axis.stride);
  }
  return result;
}

Layout boxes(const Shape& shape, const std::vector<std::vector<Triple>>& sets, const AxisOrder& order) {
  std::vector<IndexSet> result;
  for (const auto& set : sets) {
    // The Python side has checked that every set has an entry for each axis, and max_user_axes of them at most.
    IndexSet converted;
    converted.axes = static_cast<int>(set.size());
    for (std::size_t a = 0; a < set.size(); ++a)
      converted.axis[a] = {std::get<0>(set[a]), std::get<1>(set[a]), std::get<2>(set[a])};
    result.push_back(converted);
  }
  return Layout::boxes(shape, std::move(result), order);
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

}  // namespace

void shardfft::python::bind_layout(nb::module_& module) {
  nb::class_<Layout>(module, "Layout")
      .def_static("slab", &Layout::slab, "shape"_a, "ranks"_a, "axis"_a, "order"_a)
      .def_static("pencil", &Layout::pencil, "shape"_a, "local_axis"_a, "grid"_a, "order"_a)
      .def_static("brick", &Layout::brick, "shape"_a, "grid"_a, "order"_a)
      .def_static("cyclic", &Layout::cyclic, "shape"_a, "grid"_a, "order"_a)
      .def_static("boxes", &boxes, "shape"_a, "sets"_a, "order"_a)
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
      .def("describe", &Layout::describe);
}
