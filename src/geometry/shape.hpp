#pragma once
// The extents of an array: checks and text.
#include <string>

#include "shardfft/layout.hpp"

namespace shardfft {

/// Throws Error unless the array has 1 to max_axes axes of at least one index, and an address for each element.
void check_shape(const Shape& shape);
/// Throws Error if the stride is below 1.
void check_stride(const Progression& p);
/// "197x233x189".
std::string shape_text(const Shape& shape);

}  // namespace shardfft
