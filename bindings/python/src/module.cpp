// shardfft._core: the functions that need C++. Checks, docstrings and NumPy's conventions are in the .py files.
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "bind.hpp"
#include "held.hpp"
#include "shardfft/c/base.h"
#include "shardfft/shardfft.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

/// Raises the Python class of the error's code.
void translate(const std::exception_ptr& caught, void*) {
  try {
    std::rethrow_exception(caught);
  } catch (const shardfft::Error& error) {
    const nb::object raised =
        nb::module_::import_("shardfft._ground.errors")
            .attr("from_status")(shardfft_status_name(static_cast<shardfft_status>(error.code())), error.what());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  }
}

/// The MPI library whose header this module was compiled with.
std::string mpi_compiled() {
#if defined(OPEN_MPI)
  return "Open MPI " + std::to_string(OMPI_MAJOR_VERSION) + "." + std::to_string(OMPI_MINOR_VERSION) + "." +
         std::to_string(OMPI_RELEASE_VERSION);
#elif defined(I_MPI_VERSION)
  return std::string("Intel(R) MPI Library ") + I_MPI_VERSION;
#elif defined(MPICH_VERSION)
  return std::string("MPICH ") + MPICH_VERSION;
#elif defined(MPI_ABI_VERSION)
  return "MPI ABI " + std::to_string(MPI_ABI_VERSION) + "." + std::to_string(MPI_ABI_SUBVERSION);
#else
  return "no MPI";
#endif
}

/// The MPI library that this module calls; needs no MPI_Init.
std::string mpi_loaded() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, static_cast<std::size_t>(length)};
}

/// The least and the greatest number of all ranks.
std::pair<std::int64_t, std::int64_t> extremes(std::uintptr_t comm, std::int64_t number) {
  const nb::gil_scoped_release others_may_run;
  std::int64_t ends[2] = {number, -number};
  if (MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT64_T, MPI_MIN, shardfft::python::comm_at(comm)) != MPI_SUCCESS)
    throw shardfft::Error(shardfft::Status::mpi_failure, "MPI_Allreduce failed");
  return {ends[0], -ends[1]};
}

bool mpi_running() {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return started != 0 && ended == 0;
}

}  // namespace

NB_MODULE(_core, module) {
  // Objects that a program still holds when it ends (in daemon threads, say) are no leak that its user could mend.
  nb::set_leak_warnings(false);
  module.def(
      "warn_of_leaks", [](bool warn) { nb::set_leak_warnings(warn); }, "warn"_a);
  module.def("mpi_inherited", shardfft::mpi_is_inherited);
  nb::register_exception_translator(translate);
  module.def("mpi_compiled", mpi_compiled);
  module.def("mpi_loaded", mpi_loaded);
  module.def("mpi_running", mpi_running);
  module.def("extremes", extremes, "comm_address"_a, "number"_a);
  module.attr("sizeof_comm") = sizeof(MPI_Comm);
  module.attr("why_no_mpi") = "";  // _core.py sets it in a wheel
  module.def("algorithm_names", shardfft::algorithm_names);
  module.def("exchange_names", shardfft::exchange_names);
  module.def("local_fft_names", shardfft::local_fft_names);
  shardfft::python::bind_layout(module);
  shardfft::python::bind_options(module);
  shardfft::python::bind_report(module);
  shardfft::python::bind_gpu(module);
  shardfft::python::bind_memory(module);
  shardfft::python::bind_ends(module);
  shardfft::python::bind_gradients(module);
  shardfft::python::bind_operator(module);
  shardfft::python::bind_plan(module);
  shardfft::python::bind_redistribution(module);
  shardfft::python::bind_halo(module);
  shardfft::python::bind_poisson(module);
}
