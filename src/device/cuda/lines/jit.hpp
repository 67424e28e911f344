#pragma once
// Line kernels that are compiled when a plan first needs them (NVRTC), and kept on disk.
#include <string>

#include "device/line_recipe.hpp"

namespace shardfft::device::lines {

/// Whether there is a compiler, and SHARDFFT_JIT in the environment is not 0.
bool can_compile();
/// The program of the kernels "forward" and "backward" of a recipe; `odd`: over odd rows (TileCut).
std::string kernel_source(const Recipe& recipe, Precision precision, bool odd);
/// Its machine code for compute capability `architecture` (90: 9.0), from the cache where it is there.
std::string machine_code(const Recipe& recipe, Precision precision, bool odd, int architecture);

}  // namespace shardfft::device::lines
