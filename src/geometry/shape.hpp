#pragma once
// The extents of an array: are they any, and how are they written.
#include <string>

#include "shardfft/types.hpp"

namespace shardfft {

/// Throws Error unless the array has 1 to max_axes axes of one index at least, and an address for each of its elements.
void check_shape(const Shape& shape);
/// "197x233x189".
std::string shape_text(const Shape& shape);

}  // namespace shardfft
