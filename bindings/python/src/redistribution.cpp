// Redistributions. Arrays come as addresses: the Python side has checked them.
#include <nanobind/nanobind.h>

#include <utility>

#include "bind.hpp"
#include "held.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using namespace shardfft;
using python::Address;

void shardfft::python::bind_redistribution(nb::module_& module) {
  using Move = Held<Redistribution>;
  nb::class_<Move>(module, "Redistribution")
      .def(
          "__init__",
          [](Move* self, Address comm, const Layout& start, const Layout& to, std::size_t element_bytes,
             const Options& options) { new (self) Move(comm_at(comm), start, to, element_bytes, options); },
          "comm_address"_a, "start"_a, "to"_a, "element_bytes"_a, "options"_a)
      .def_prop_ro("device", [](const Move& self) { return self.get().device(); })
      .def_prop_ro("stream", [](const Move& self) { return address(self.get().stream()); })
      .def(
          "run",
          [](const Move& self, Address source, Address destination, const nb::object& arrays) {
            self.keep(arrays, [&](auto& move) { move.forward(pointer(source), pointer(destination)); });
          },
          "source"_a, "destination"_a, "arrays"_a)
      .def("allocate_output",
           [](const Move& self) {
             Buffer buffer = self.run([](auto& move) { return move.allocate_output(); });
             return make_memory(std::move(buffer), self.get().device());
           })
      .def("close", &Move::close);
}
