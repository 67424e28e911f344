#pragma once
#include "shardfft/kernels.hpp"

namespace shardfft::device {

/// Whether so many processes have cores to compile kernels that may not be wanted.
bool has_cores_for_kernels(int processes);
/// Begins, on other threads, to compile what plans of such arrays may ask the compiler for. Nothing where there is
/// none.
void begin_kernels(const KernelsFor& plans);

}  // namespace shardfft::device
