#pragma once
// Line and plane kernels that are compiled when a plan first needs them (NVRTC), and kept on disk.
#include <string>

#include "device/cuda/lines/nvrtc.hpp"
#include "device/pass_kernels.hpp"

namespace shardfft::device::lines {

/// The skills of the kernel by whose stack a recipe is chosen. The sums of complex rows take few more registers, and
/// with other recipes than those without sums they were slower.
constexpr PlaneSkills chosen_by(PlaneSkills skills) { return {skills.real, skills.real && skills.checks}; }
/// The program of the kernels "forward" and "backward" of a recipe.
std::string kernel_source(const Recipe& recipe, Precision precision, KernelSkills skills);
/// Its machine code for compute capability `architecture` (90: 9.0), from the cache where it is there.
MachineCode machine_code(const Recipe& recipe, Precision precision, KernelSkills skills, int architecture);

/// Source and machine code of the kernels of a plane recipe.
std::string kernel_source(const PlaneCut& cut, Precision precision, PlaneSkills skills);
MachineCode machine_code(const PlaneCut& cut, Precision precision, PlaneSkills skills, int architecture);

}  // namespace shardfft::device::lines
