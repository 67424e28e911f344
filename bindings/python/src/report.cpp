// Reports: Python makes a dictionary of the JSON.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bind.hpp"

void shardfft::python::bind_report(nanobind::module_& module) {
  nanobind::class_<PlanReport>(module, "PlanReport")
      .def("to_text", &PlanReport::to_text)
      .def("to_json", &PlanReport::to_json);
}
