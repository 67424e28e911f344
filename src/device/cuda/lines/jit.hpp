#pragma once
// Line and plane kernels that are compiled when a plan first needs them (NVRTC), and kept on disk.
#include <algorithm>
#include <functional>
#include <string>

#include "device/cuda/lines/nvrtc.hpp"
#include "device/pass_kernels.hpp"

namespace shardfft::device::lines {

/// The skills of the kernel by whose stack a recipe is chosen. Sums of complex rows take few more registers; kernels
/// with sums were slower with recipes chosen for them than with those of kernels without sums.
constexpr PlaneSkills chosen_by(PlaneSkills skills) { return {skills.real, skills.real && skills.checks}; }
/// Machine code of the kernels "forward" and "backward" of a recipe.
struct KernelCode {
  MachineCode way[2];  ///< [backward]
  int stack_bytes() const { return std::max(way[0].stack_bytes, way[1].stack_bytes); }
};

/// The code of any program, cached and compiled once in a process too.
MachineCode machine_code(const std::string& source, int architecture);

/// The program of a line recipe's kernel for one direction.
std::string kernel_source(const Recipe& recipe, Precision precision, KernelSkills skills, bool backward);
/// The code of both directions for compute capability `architecture` (90: 9.0), from the cache if it is there. Both are
/// compiled at the same time, and once in a process.
KernelCode machine_code(const Recipe& recipe, Precision precision, KernelSkills skills, int architecture);
/// Begins the same on other threads.
void begin_machine_code(const Recipe& recipe, Precision precision, KernelSkills skills, int architecture);

/// The same of planes.
std::string kernel_source(const PlaneCut& cut, Precision precision, PlaneSkills skills, bool backward);
KernelCode machine_code(const PlaneCut& cut, Precision precision, PlaneSkills skills, int architecture);
/// The recipe of least estimated time for kernels of such skills, by the stack of their code.
const PlaneCut& choose_cut(const std::vector<PlaneCut>& cuts, Precision precision, PlaneSkills skills,
                           int architecture);
/// Begins the choice, and then the code of the chosen recipe, on other threads.
void begin_machine_code(const std::vector<PlaneCut>& cuts, Precision precision, PlaneSkills skills, int architecture);

/// Whether this number of processes has cores to spare for code that may not be needed.
bool has_spare_cores(int processes = 1);
/// Runs work that begins compilations on another thread. Its errors are lost.
void begin_machine_code(std::function<void()> work);

}  // namespace shardfft::device::lines
