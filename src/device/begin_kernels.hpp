#pragma once
#include "shardfft/kernels.hpp"

namespace shardfft::device {

/// Whether this number of processes has spare cores to compile kernels that a plan may not need.
bool has_cores_for_kernels(int processes);
/// Begins, on other threads, to compile the kernels that plans of such arrays may need. Does nothing in a build without
/// a kernel compiler.
void begin_kernels(const KernelsFor& plans);

}  // namespace shardfft::device
