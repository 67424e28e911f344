#pragma once
// What a test puts in the way of the option verify: hooks (base/hooks) that few need to know.
#include <cstddef>

#include "base/hooks.hpp"

namespace shardfft {

/// Who looks at the arrays of CPU plans, or changes them, between the steps of a run.
class HostStepHook {
 public:
  virtual ~HostStepHook() = default;
  /// The array of this rank that a step is about to read, or to let others read.
  virtual void reached(std::size_t step, std::byte* array, std::size_t bytes) = 0;
};

/// Widest vectors of the sums of checks, in bytes: lowered, they are made as on processors that have no wider ones.
struct VectorLimit {
  int most_bytes = 64;
};

}  // namespace shardfft
