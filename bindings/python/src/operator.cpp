// Operators. The Python side calls Python functions, for whole arrays of modes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::Operator;

namespace {

/// Gets the rank's spectrum, whose memory Python must not keep, and its GPU's stream. Returns the error, if any.
using Change = std::function<std::string(int rank, shardfft::python::Memory spectrum, std::uintptr_t stream)>;

Operator calling(Change change) {
  return Operator::calling([change = std::move(change)](const shardfft::SpectrumPart& part) {
    const std::shared_ptr<void> lent(part.data, [](void* /*of the plan*/) {});
    // The host must never read memory of a GPU's plan, even if it is pinned: its work is still in progress.
    const shardfft::MemoryPlace place{part.device < 0 ? "pageable" : "device", part.device};
    const std::string failed =
        change(part.side.rank, {{lent, part.side.bytes()}, place}, shardfft::python::address(part.stream));
    if (!failed.empty()) throw std::runtime_error(failed);
  });
}

}  // namespace

void shardfft::python::bind_operator(nb::module_& module) {
  nb::class_<Operator>(module, "Operator")
      .def_static(
          "arrays",
          [](const std::vector<std::pair<std::uintptr_t, std::int64_t>>& arrays, Precision precision, bool is_complex) {
            std::vector<Operator::Part> parts;
            for (const auto& [address, count] : arrays) parts.push_back({pointer(address), count});
            return Operator::array({precision, is_complex}, parts);
          },
          "addresses_and_counts"_a, "precision"_a, "is_complex"_a)
      .def_static("derivative", &Operator::derivative, "axis"_a, "order"_a, "lengths"_a)
      .def_static("laplacian", &Operator::laplacian, "lengths"_a)
      .def_static("inverse_laplacian", &Operator::inverse_laplacian, "lengths"_a)
      .def_static("gaussian", &Operator::gaussian, "sigma"_a, "lengths"_a)
      .def_static("calling", &calling, "change"_a)
      .def_static("cuda", &Operator::cuda, "text"_a, "lengths"_a)
      .def_static("constant", &Operator::constant, "factor"_a)
      .def(
          "times", [](const Operator& a, const Operator& b) { return a * b; }, "other"_a)
      .def(
          "plus", [](const Operator& a, const Operator& b) { return a + b; }, "other"_a)
      .def(
          "minus", [](const Operator& a, const Operator& b) { return a - b; }, "other"_a)
      .def(
          "over", [](const Operator& a, const Operator& b) { return a / b; }, "other"_a);
}
