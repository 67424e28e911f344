#pragma once
// From a PlanePass to a kernel launch, and the kernels on devices. CUDA only.
#include "device/cuda/lines/jit.hpp"
#include "device/cuda/lines/launch.hpp"

namespace shardfft::device::lines {

struct PreparedPlanes {
  PlaneCut cut;
  const void *row_table = nullptr, *column_table = nullptr;
  Kernel kernel[2];  ///< [backward]
};

}  // namespace shardfft::device::lines
