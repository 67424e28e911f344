#pragma once
// Kernels that are compiled with the library.
#include "device/line_recipe.hpp"

namespace shardfft::device::lines {

/// The kernels of one length and precision.
struct Variant {
  const Recipe* recipe = nullptr;
  /// [for odd rows][backward]; null for odd rows if shared memory is too small.
  const void* kernel[2][2] = {{nullptr, nullptr}, {nullptr, nullptr}};
  const void* multiplies[2] = {nullptr, nullptr};  ///< [for odd rows]: forward, by an operator's factors
};

/// Null if there is none.
const Variant* find_f64(int n);
const Variant* find_f32(int n);

}  // namespace shardfft::device::lines
