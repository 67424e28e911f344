// Solvers. Arrays are passed as addresses; the Python side has checked them.
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
using python::pointer;

namespace {

using Solver = python::Held<Poisson>;
using Value = std::tuple<int, bool, Address>;

void solve(const Solver& self, Address f, Address u, const std::vector<Value>& values,
           const std::vector<Address>& gradient) {
  std::vector<WallValues> walls;
  for (const auto& [axis, upper, address] : values) walls.push_back({axis, upper, pointer(address)});
  std::vector<void*> slopes;
  for (const Address address : gradient) slopes.push_back(pointer(address));
  self.run([&](Poisson& solver) { solver.solve(pointer(f), pointer(u), walls, slopes); });
}

}  // namespace

void shardfft::python::bind_poisson(nb::module_& module) {
  nb::class_<Solver>(module, "Poisson")
      .def(
          "__init__",
          [](Solver* self, Address comm, const Layout& layout, bool is_double, std::vector<double> lengths,
             const std::vector<std::tuple<int, int>>& boundary, int points, double shift, int kernel, int eigenvalues,
             int wrong_mean, double tolerance, int stretched, std::vector<double> cells, const Options& options) {
            PoissonOptions given;
            given.lengths = std::move(lengths);
            for (const auto& [lower, upper] : boundary)
              given.boundary.push_back({static_cast<Boundary>(lower), static_cast<Boundary>(upper)});
            given.points = static_cast<WallPoints>(points);
            given.shift = shift;
            given.kernel = static_cast<OpenKernel>(kernel);
            given.eigenvalues = static_cast<Eigenvalues>(eigenvalues);
            given.wrong_mean = static_cast<WrongMean>(wrong_mean);
            given.tolerance = tolerance;
            given.stretched_axis = stretched;
            given.cells = std::move(cells);
            given.plan = options;
            new (self) Solver(comm_at(comm), layout, is_double ? Precision::f64 : Precision::f32, given);
          },
          "comm"_a, "layout"_a, "is_double"_a, "lengths"_a, "boundary"_a, "points"_a, "shift"_a, "kernel"_a,
          "eigenvalues"_a, "wrong_mean"_a, "tolerance"_a, "stretched"_a, "cells"_a, "options"_a)
      .def("solve", solve, "f"_a, "u"_a, "values"_a, "gradient"_a)
      .def(
          "adjoint",
          [](const Solver& self, Address by_u, Address by_f) {
            self.run([&](Poisson& solver) { solver.adjoint(pointer(by_u), pointer(by_f)); });
          },
          "by_u"_a, "by_f"_a)
      .def(
          "points", [](const Solver& self, int axis) { return self.get().points(axis); }, "axis"_a)
      .def(
          "weights", [](const Solver& self, int axis) { return self.get().weights(axis); }, "axis"_a)
      .def_prop_ro("device", [](const Solver& self) { return self.get().device(); })
      .def_prop_ro("stream", [](const Solver& self) { return address(self.get().stream()); })
      .def("allocate",
           [](const Solver& self) {
             Buffer buffer = self.run([](Poisson& solver) { return solver.allocate(); });
             return python::make_memory(std::move(buffer), self.get().device());
           })
      .def_prop_ro("is_singular", [](const Solver& self) { return self.get().is_singular(); })
      .def_prop_ro("workspace_bytes", [](const Solver& self) { return self.get().workspace_bytes(); })
      .def("report", [](const Solver& self) { return self.run([](Poisson& solver) { return solver.report(); }); })
      .def("close", &Solver::close);
}
