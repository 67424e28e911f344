#pragma once
// Kernels of line and plane passes on devices: each implementation makes and launches them. The choice of recipes and
// the registry of prepared kernels are common to all implementations.
#include <cstdint>
#include <memory>
#include <vector>

#include "device/line_recipe.hpp"
#include "device/plane_pass.hpp"
#include "device/plane_recipe.hpp"

namespace shardfft::device::lines {

/// Optional abilities of the kernels of a recipe.
struct KernelSkills {
  bool odd = false;         ///< rows of odd lengths (TileCut)
  bool checks = false;      ///< sums of their lines
  bool multiplies = false;  ///< forward, by an operator's factors
};
struct PlaneSkills {
  bool real = false;    ///< rows
  bool checks = false;  ///< sums of their lines
};

/// The recipe for lines of n points in even or odd rows, on the current device; null if there is none.
const Recipe* recipe_for(int n, bool odd = false);

// Each implementation has these.

/// Whether there is a compiler for kernels, and SHARDFFT_JIT in the environment is not 0.
bool can_compile();
/// The recipe, among those for planes of one size, that suits kernels of such skills on the current device.
const PlaneCut& choose_cut(const std::vector<PlaneCut>& cuts, Precision precision, PlaneSkills skills);
/// Begins, on other threads, to compile the kernels that make_prepared() needs; for planes, those of the recipe that
/// choose_cut() takes.
void compile_ahead(const Recipe& recipe, Precision precision, KernelSkills skills);
void compile_ahead(const std::vector<PlaneCut>& cuts, Precision precision, PlaneSkills skills);
/// The objects that passes use in both directions, on the device that was current when they were made.
struct Prepared;
struct PreparedPlanes;
std::shared_ptr<const Prepared> make_prepared(const Recipe& recipe, Precision precision, KernelSkills skills);
std::shared_ptr<const PreparedPlanes> make_prepared(const PlaneCut& cut, Precision precision, PlaneSkills skills);
/// Enqueue passes; the caller has checked their arguments.
void launch(const Prepared& prepared, const Pass& pass, void* stream);
void launch(const PreparedPlanes& prepared, const PlanePass& pass, std::uint32_t* counters, void* stream);

}  // namespace shardfft::device::lines
