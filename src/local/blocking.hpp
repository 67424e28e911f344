#pragma once
// How a batch is cut into calls of the backend.
#include "local/loops.hpp"

namespace shardfft {

/// The limits of one call.
struct CallLimits {
  int max_loops = 1;
  std::int64_t max_bytes = 0;
  int threads = 1;
};

/// Batch loops sorted by who runs them: the backend (`kept` and `block` points of `blocked`) or the front (the rest).
struct Blocking {
  Loops kept;
  Loop blocked;
  std::int64_t block = 1;
  Loops outer;

  /// One call does it all.
  bool trivial() const { return outer.empty() && block >= blocked.count; }
  std::int64_t blocks() const { return (blocked.count + block - 1) / block; }
  std::int64_t calls() const { return points(outer) * blocks(); }
};

/// Keeps loops of small strides first, because the backend then reads whole cache lines.
Blocking choose_blocking(const FftSpec& spec, const CallLimits& limits);

}  // namespace shardfft
