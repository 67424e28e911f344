#pragma once
// The extents of an array: are they any, and how are they written.
#include <string>

#include "shardfft/layout.hpp"

namespace shardfft {

/// Throws Error unless the array has 1 to max_axes axes of one index at least, and an address for each of its elements.
void check_shape(const Shape& shape);
/// Throws Error for strides below 1.
void check_stride(const Progression& p);
/// "197x233x189".
std::string shape_text(const Shape& shape);

}  // namespace shardfft
