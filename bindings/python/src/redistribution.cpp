// Redistributions, which Python makes for one call.
#include <mpi.h>
#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "bind.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
using shardfft::Layout;
using shardfft::Options;
using shardfft::Redistribution;

namespace {

/// Made and destroyed without the interpreter's lock, because both are collective.
class PyRedistribution {
 public:
  PyRedistribution(std::uintptr_t comm_address, const Layout& from, const Layout& to, std::size_t element_bytes,
                   const Options& options)
      : planned_(make(*reinterpret_cast<const MPI_Comm*>(comm_address), from, to, element_bytes, options)) {}

  Redistribution& get() const { return *planned_; }
  /// `arrays`: the owner of the memory at these addresses.
  void run(std::uintptr_t in, std::uintptr_t out, const nb::object& arrays) const {
    const nb::gil_scoped_release others_may_run;
    shardfft::python::keeping(
        arrays, *planned_, [&] { planned_->forward(shardfft::python::pointer(in), shardfft::python::pointer(out)); });
  }
  shardfft::python::Memory allocate_output() const {
    shardfft::Buffer buffer;
    {
      const nb::gil_scoped_release others_may_run;
      buffer = planned_->allocate_output();
    }
    return shardfft::python::make_memory(std::move(buffer), planned_->device());
  }
  void close() {
    const nb::gil_scoped_release others_may_run;
    planned_.reset();
  }

 private:
  static std::unique_ptr<Redistribution> make(MPI_Comm comm, const Layout& from, const Layout& to,
                                              std::size_t element_bytes, const Options& options) {
    const nb::gil_scoped_release others_may_run;
    return std::make_unique<Redistribution>(comm, from, to, element_bytes, options);
  }

  std::unique_ptr<Redistribution> planned_;
};

}  // namespace

void shardfft::python::bind_redistribution(nb::module_& module) {
  nb::class_<PyRedistribution>(module, "Redistribution")
      .def(nb::init<std::uintptr_t, const Layout&, const Layout&, std::size_t, const Options&>(), "comm_address"_a,
           "start"_a, "to"_a, "element_bytes"_a, "options"_a)
      .def_prop_ro("device", [](const PyRedistribution& self) { return self.get().device(); })
      .def_prop_ro("stream", [](const PyRedistribution& self) { return address(self.get().stream()); })
      .def("run", &PyRedistribution::run, "source"_a, "destination"_a, "arrays"_a)
      .def("allocate_output", &PyRedistribution::allocate_output)
      .def("close", &PyRedistribution::close);
}
