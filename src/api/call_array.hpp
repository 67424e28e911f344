#pragma once
// Checks the arrays of a call against the sides of its plan, as far as the types of the arguments say.
#include "shardfft/plan.hpp"

namespace shardfft {

/// An array, as a call gave it, and the side of the plan that it is for.
struct CallArray {
  const void* data;
  const detail::ArrayFacts& facts;
  const Side& side;
};

/// Throws Error(invalid_argument) for null pointers, wrong element types, arrays that are too short, and arrays that
/// overlap in part.
void check_arrays(const CallArray& in, const CallArray& out);
/// Of these bytes: throws Error(invalid_argument) unless both are one array, or do not overlap.
void check_overlap(const void* in, std::size_t read, const void* out, std::size_t written);

}  // namespace shardfft
