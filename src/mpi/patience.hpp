#pragma once
// Waiting for other ranks.
#include <sched.h>

#include <chrono>

#include "tune/defaults.hpp"

namespace shardfft {

/// Spins, then gives the core to other threads. Call rest() between two looks at the awaited state.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  void rest() {
    if (++rests_ >= host_defaults().spins_before_yield) {
      sched_yield();
      return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  /// Seconds; looks at the clock now and then only.
  double waited() {
    if (rests_ % 16 == 0) seconds_ = std::chrono::duration<double>(Clock::now() - since_).count();
    return seconds_;
  }
  Clock::time_point since() const { return since_; }

 private:
  Clock::time_point since_ = Clock::now();
  int rests_ = 0;
  double seconds_ = 0;
};

}  // namespace shardfft
