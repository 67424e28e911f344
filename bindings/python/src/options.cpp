// Arguments and results of planning: options, transforms, sides.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::OptionRow;
using shardfft::Options;

namespace {

/// In the order of the enumerations.
constexpr const char* types[] = {"flag",  "integer", "number", "integers", "choice",
                                 "words", "name",    "path",   "text",     "address"};
constexpr const char* agreements[] = {"same", "presence", "none"};
constexpr const char* places[] = {"cpu", "gpu", "devices"};

nb::list effect_of(const OptionRow& row) {
  nb::list names;
  for (const shardfft::Place place : row.effect) names.append(places[static_cast<int>(place)]);
  return names;
}

/// The answers of a side about an axis, at `count` of its indices.
template <class All>
void at_indices(const All& all, std::uintptr_t index, std::uintptr_t values, std::int64_t count) {
  const auto* const from = static_cast<const std::int64_t*>(shardfft::python::pointer(index));
  auto* const to = static_cast<double*>(shardfft::python::pointer(values));
  for (std::int64_t i = 0; i < count; ++i) to[i] = all[from[i]];
}

template <shardfft::AxisValues (shardfft::Side::*Of)(int, double) const>
void values_of(const shardfft::Side& side, int axis, double unit, std::uintptr_t index, std::uintptr_t values,
               std::int64_t count) {
  at_indices((side.*Of)(axis, unit), index, values, count);
}

/// (name, type, default, choices, least, effect, agreement, sentence) of each option.
nb::list option_rows() {
  const Options defaults;
  nb::list rows;
  for (const OptionRow& row : shardfft::option_table())
    rows.append(nb::make_tuple(row.name, types[static_cast<int>(row.type)], row.get(defaults), row.choices, row.least,
                               effect_of(row), agreements[static_cast<int>(row.agreement)], row.sentence));
  return rows;
}

}  // namespace

void shardfft::python::bind_options(nb::module_& module) {
  nb::enum_<Precision>(module, "Precision").value("f32", Precision::f32).value("f64", Precision::f64);
  nb::enum_<Kind>(module, "Kind")
      .value("c2c", Kind::c2c)
      .value("r2c", Kind::r2c)
      .value("c2r", Kind::c2r)
      .value("r2r", Kind::r2r);

  module.def("option_rows", option_rows);
  module.def("option_hint", option_hint, "name"_a);
  nb::class_<Options>(module, "Options")
      .def(nb::init<>())
      .def(
          "set",
          [](Options& self, const std::string& name, const OptionValue& value) { option_row(name).set(self, value); },
          "name"_a, "value"_a)
      .def(
          "get", [](const Options& self, const std::string& name) { return option_row(name).get(self); }, "name"_a);

  nb::class_<Transform>(module, "Transform")
      .def("__init__",
           [](Transform* self, Kind kind, Precision precision) {
             new (self) Transform{kind, precision};
           })
      .def_ro("kind", &Transform::kind)
      .def_ro("precision", &Transform::precision);

  nb::class_<Side>(module, "Side")
      .def_ro("layout", &Side::layout)
      .def_ro("fields", &Side::fields)
      .def_ro("rank", &Side::rank)
      .def_ro("axes", &Side::axes)
      .def_prop_ro("fourier_axes",
                   [](const Side& side) {
                     std::vector<int> axes;
                     for (std::size_t i = 0; i < side.axes.size(); ++i)
                       if (side.transforms[i] == AxisTransform::fft) axes.push_back(side.axes[i]);
                     return axes;
                   })
      .def("frequencies", values_of<&Side::frequencies>, "axis"_a, "spacing"_a, "index"_a, "values"_a, "count"_a)
      .def("wavenumbers", values_of<&Side::wavenumbers>, "axis"_a, "length"_a, "index"_a, "values"_a, "count"_a)
      .def("slopes", values_of<&Side::slopes>, "axis"_a, "length"_a, "index"_a, "values"_a, "count"_a)
      .def("positions", values_of<&Side::positions>, "axis"_a, "length"_a, "index"_a, "values"_a, "count"_a)
      .def(
          "weights",
          [](const Side& side, int axis, std::uintptr_t index, std::uintptr_t values, std::int64_t count) {
            at_indices(side.weights(axis), index, values, count);
          },
          "axis"_a, "index"_a, "values"_a, "count"_a)
      .def_prop_ro("halved_axis", &Side::halved_axis)
      .def_prop_ro("count", &Side::count)
      .def_prop_ro("is_complex", [](const Side& side) { return side.element.is_complex; });
}
