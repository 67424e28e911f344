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

}  // namespace shardfft
