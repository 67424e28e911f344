#pragma once
// From a PlanePass to a kernel launch, and the kernels on devices. CUDA only.
#include "device/cuda/lines/jit.hpp"
#include "device/cuda/lines/launch.hpp"
#include "device/plane_pass.hpp"
#include "device/plane_recipe.hpp"

namespace shardfft::device::lines {

/// What a plane pass needs on the device it was prepared on.
struct PreparedPlanes {
  PlaneCut cut;
  const void *row_table = nullptr, *column_table = nullptr;
  Kernel kernel[2];  ///< [backward]
};

/// Whether there are recipes for planes of n rows of m points on the current device.
bool has_plane_cuts(int n, int m);
/// The one of kernels that can do so much, by what stack their code has. There is one.
const PlaneCut& plane_cut_for(int n, int m, Precision precision, PlaneSkills skills);

/// A recipe's kernels, compiled at run time unless they are the library's own, which check nothing.
PreparedPlanes make_prepared(const PlaneCut& cut, Precision precision, PlaneSkills skills);
/// Enqueues a pass whose arguments were checked.
void launch(const PreparedPlanes& prepared, const PlanePass& pass, std::uint32_t* counters, void* stream);

}  // namespace shardfft::device::lines
