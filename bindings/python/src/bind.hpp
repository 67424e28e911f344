#pragma once
// The parts of the extension module; one function a source file.
#include <nanobind/nanobind.h>

namespace shardfft::python {

void bind_layout(nanobind::module_& module);
void bind_plan(nanobind::module_& module);

}  // namespace shardfft::python
