// Halo exchanges, particles on meshes and their migration. Arrays are addresses, which the Python side has checked.
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "bind.hpp"
#include "held.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using namespace shardfft;
using python::Address;
using python::comm_at;
using python::Held;
using python::pointer;

namespace {

using Width = std::tuple<std::int64_t, std::int64_t, bool>;

using Halo = Held<HaloExchange>;
using Mesh = Held<ParticleMesh>;

std::vector<HaloWidth> widths_of(const std::vector<Width>& widths) {
  std::vector<HaloWidth> result;
  for (const auto& [below, above, periodic] : widths) result.push_back({below, above, periodic});
  return result;
}

void bind_particles(nb::module_& module) {
  nb::class_<Mesh>(module, "ParticleMesh")
      .def(
          "__init__",
          [](Mesh* self, Address comm, const Layout& layout, int shape, bool is_double, std::vector<double> lengths,
             bool wrap, std::int64_t reach) {
            new (self)
                Mesh(comm_at(comm), layout, static_cast<Assignment>(shape), is_double ? Precision::f64 : Precision::f32,
                     ParticleOptions{std::move(lengths), wrap, reach});
          },
          "comm"_a, "layout"_a, "shape"_a, "is_double"_a, "lengths"_a, "wrap"_a, "reach"_a)
      .def(
          "deposit",
          [](const Mesh& self, std::int64_t count, Address positions, Address weights, Address field) {
            self.run([&](auto& mesh) { mesh.deposit(count, pointer(positions), pointer(weights), pointer(field)); });
          },
          "count"_a, "positions"_a, "weights"_a, "field"_a)
      .def(
          "interpolate",
          [](const Mesh& self, std::int64_t count, Address positions, Address field, Address values) {
            self.run([&](auto& mesh) { mesh.interpolate(count, pointer(positions), pointer(field), pointer(values)); });
          },
          "count"_a, "positions"_a, "field"_a, "values"_a)
      .def(
          "gradient",
          [](const Mesh& self, std::int64_t count, Address positions, Address field, Address slopes) {
            self.run([&](auto& mesh) { mesh.gradient(count, pointer(positions), pointer(field), pointer(slopes)); });
          },
          "count"_a, "positions"_a, "field"_a, "slopes"_a)
      .def(
          "migration",
          [](const Mesh& self, std::int64_t count, Address positions) {
            return self.run([&](auto& mesh) { return mesh.migration(count, pointer(positions)); });
          },
          "count"_a, "positions"_a)
      .def("close", &Mesh::close);
  nb::class_<Migration>(module, "Migration")
      .def_prop_ro("sent", &Migration::sent)
      .def_prop_ro("received", &Migration::received)
      .def(
          "move",
          [](const Migration& self, Address records, std::size_t bytes, Address moved, bool back) {
            const nb::gil_scoped_release others_may_run;
            back ? self.back(pointer(records), bytes, pointer(moved))
                 : self.move(pointer(records), bytes, pointer(moved));
          },
          "records"_a, "bytes"_a, "moved"_a, "back"_a);
}

}  // namespace

void shardfft::python::bind_halo(nb::module_& module) {
  nb::class_<Halo>(module, "HaloExchange")
      .def(
          "__init__",
          [](Halo* self, Address comm, const Layout& layout, const std::vector<Width>& widths, bool is_double,
             bool is_complex, const Options& options, bool corners) {
            new (self) Halo(Ranks(comm_at(comm)), layout, widths_of(widths),
                            ElementType{is_double ? Precision::f64 : Precision::f32, is_complex}, options,
                            corners ? Corners::filled : Corners::left_out);
          },
          "comm"_a, "layout"_a, "widths"_a, "is_double"_a, "is_complex"_a, "options"_a, "corners"_a)
      .def_prop_ro("extents", [](const Halo& self) { return self.get().extents(); })
      .def_prop_ro("bytes_sent", [](const Halo& self) { return self.get().bytes_sent(); })
      .def(
          "begin",
          [](const Halo& self, Address x, const nb::object& array) {
            self.keep(array, [&](auto& halo) { halo.begin(pointer(x)); });
          },
          "x"_a, "array"_a)
      .def(
          "end", [](const Halo& self, const nb::object& array) { self.keep(array, [&](auto& halo) { halo.end(); }); },
          "array"_a)
      .def(
          "add_back",
          [](const Halo& self, Address x, const nb::object& array) {
            self.keep(array, [&](auto& halo) { halo.add_back(pointer(x)); });
          },
          "x"_a, "array"_a)
      .def("close", &Halo::close);
  bind_particles(module);
}
