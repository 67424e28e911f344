// What plans are told and tell: options, transforms, sides.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"

namespace nb = nanobind;

void shardfft::python::bind_options(nb::module_& module) {
  nb::enum_<Precision>(module, "Precision").value("f32", Precision::f32).value("f64", Precision::f64);
  nb::enum_<Kind>(module, "Kind").value("c2c", Kind::c2c).value("r2c", Kind::r2c).value("c2r", Kind::c2r);
  nb::enum_<Norm>(module, "Norm")
      .value("backward", Norm::backward)
      .value("ortho", Norm::ortho)
      .value("forward", Norm::forward)
      .value("none", Norm::none);
  nb::enum_<Effort>(module, "Effort")
      .value("estimate", Effort::estimate)
      .value("measure", Effort::measure)
      .value("patient", Effort::patient);

  nb::class_<Options>(module, "Options")
      .def(nb::init<>())
      .def_rw("processor", &Options::processor)
      .def_rw("memory", &Options::memory)
      .def_rw("device", &Options::device)
      .def_prop_rw(
          "stream", [](const Options& options) { return address(options.stream); },
          [](Options& options, std::uintptr_t stream) { options.stream = pointer(stream); })
      .def_rw("algorithm", &Options::algorithm)
      .def_rw("exchange", &Options::exchange)
      .def_rw("local_fft", &Options::local_fft)
      .def_rw("norm", &Options::norm)
      .def_rw("effort", &Options::effort)
      .def_rw("axes", &Options::axes)
      .def_rw("real_extent", &Options::real_extent)
      .def_rw("batch", &Options::batch)
      .def_rw("chunks", &Options::chunks)
      .def_rw("threads", &Options::threads)
      .def_rw("grid", &Options::grid)
      .def_rw("in_place", &Options::in_place)
      .def_rw("check_calls", &Options::check_calls)
      .def_rw("call_timeout", &Options::call_timeout)
      .def_rw("fake_ranks_per_host", &Options::fake_ranks_per_host)
      .def_rw("trace", &Options::trace);

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
      .def_ro("real_extent", &Side::real_extent)
      .def_prop_ro("count", &Side::count)
      .def_prop_ro("is_complex", [](const Side& side) { return side.element.is_complex; });
}
