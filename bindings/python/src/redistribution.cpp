// Redistributions: one call from one array to another.
#include <mpi.h>
#include <nanobind/nanobind.h>

#include "bind.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

void shardfft::python::bind_redistribution(nb::module_& module) {
  module.def(
      "redistribute",
      [](std::uintptr_t comm_address, const Layout& from, const Layout& to, std::size_t element_bytes,
         std::uintptr_t in, std::uintptr_t out, const Options& options, const nb::object& arrays) {
        const nb::gil_scoped_release others_may_run;
        Redistribution planned(*reinterpret_cast<const MPI_Comm*>(comm_address), from, to, element_bytes, options);
        keeping(arrays, planned, [&] { planned.forward(pointer(in), pointer(out)); });
      },
      "comm_address"_a, "start"_a, "to"_a, "element_bytes"_a, "source"_a, "destination"_a, "options"_a, "arrays"_a);
}
