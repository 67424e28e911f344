#pragma once
// Line kernels and their twiddle tables on devices: made when a length is prepared, kept until exit. CUDA only.
#include <string>

#include "device/cuda/lines/jit.hpp"
#include "device/cuda/lines/launch.hpp"

namespace shardfft::device::lines {

/// What a pass needs on the device it was prepared on.
struct Prepared {
  Recipe recipe;
  const void* table = nullptr;
  Kernel kernel[2];  ///< [backward]
};

/// Factors of the twiddles between a line's stages, on the current device.
const void* twiddles(const LineCut& line, Precision precision);

/// Compute capability of the current device: 90 is 9.0.
int architecture();
/// The kernels "forward" and "backward" of a program's machine code, on the current device.
struct CompiledPair {
  CUfunction function[2] = {nullptr, nullptr};  ///< [backward]
};
CompiledPair load(const std::string& code);

/// The recipe for lines of a length in even or odd rows, on the current device; null where there is none.
const Recipe* recipe_for(int n, bool odd = false);

/// A recipe's kernels, compiled at run time unless they are the library's own, which check nothing.
Prepared make_prepared(const Recipe& recipe, Precision precision, KernelSkills skills);
/// Enqueues a pass whose arguments were checked.
void launch(const Prepared& prepared, const Pass& pass, void* stream);

}  // namespace shardfft::device::lines
