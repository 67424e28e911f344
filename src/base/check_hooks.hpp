#pragma once
// Hooks (base/hooks) by which tests disturb the option verify.
#include <cstddef>

#include "base/hooks.hpp"

namespace shardfft {

/// Looks at the arrays of CPU plans, or changes them, between the steps of a run.
class HostStepHook {
 public:
  virtual ~HostStepHook() = default;
  /// The array that a step is about to read, or to offer to other ranks.
  virtual void reached(std::size_t step, std::byte* array, std::size_t bytes) = 0;
};

/// Widest vectors of the sums of checks, in bytes: a lower limit gives the sums of processors without wider ones.
struct VectorLimit {
  int most_bytes = 64;
};

}  // namespace shardfft
