#pragma once
// The one clock of this library: traces, reports and trials of local transforms read it.
#include <chrono>

#include "base/hooks.hpp"

namespace shardfft {

/// Seconds since some moment that is the same for all processes of a host.
inline double clock_seconds() {
  if (Clock* const clock = installed<Clock>()) return clock->seconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace shardfft
