#pragma once
// Adds the numbers of one strided box to those of another.
#include <cstddef>

#include "geometry/schedule.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// Adds `from` in `source` to `to` in `destination`. Both walk equally many numbers in the same order; none is in both.
void add_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to, ElementType element);
/// Makes the numbers of a box 0.
void clear_box(std::byte* array, const Box& box, ElementType element);

}  // namespace shardfft
