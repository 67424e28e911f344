#pragma once
// Plane kernels that are compiled with the library.
#include "device/plane_recipe.hpp"

namespace shardfft::device::lines {

/// The kernels of one recipe and precision.
struct PlaneVariant {
  const PlaneCut* cut = nullptr;
  const void* kernel[2][2] = {{nullptr, nullptr}, {nullptr, nullptr}};  ///< [real][backward]
};

/// Null if there is none.
const PlaneVariant* find_planes_f64(const PlaneCut& cut);
const PlaneVariant* find_planes_f32(const PlaneCut& cut);

}  // namespace shardfft::device::lines
