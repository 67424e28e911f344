#pragma once
// Data of line and plane kernels on a device: tables of twiddles, machine code. CUDA only.
#include <string>

#include "device/cuda/lines/jit.hpp"
#include "device/cuda/lines/launch.hpp"

namespace shardfft::device::lines {

struct Prepared {
  Recipe recipe;
  const void* table = nullptr;
  Kernel kernel[2];  ///< [backward]
};

/// Factors of the twiddles between a line's stages, on the current device.
const void* twiddles(const LineCut& line, Precision precision);

/// Compute capability of the current device: 90 is 9.0.
int architecture();
/// The kernels on the current device.
struct CompiledPair {
  CUfunction function[2] = {nullptr, nullptr};  ///< [backward]
};
CompiledPair load(const KernelCode& code);

}  // namespace shardfft::device::lines
