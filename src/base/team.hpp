#pragma once
// The OpenMP threads of one rank, whose exceptions do not end the program.
#include <cstdint>
#include <functional>
#include <vector>

namespace shardfft {

/// Calls `work(thread)` on `threads` threads, 0 being the caller, waits for all, and rethrows the exception of the
/// first one that threw.
void run_team(int threads, const std::function<void(int)>& work);

/// Items of `worker` when `count` of them are dealt in equal runs, always the same way.
struct Share {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
inline Share share_of(std::int64_t count, int workers, int worker) {
  return {count * worker / workers, count * (worker + 1) / workers};
}

}  // namespace shardfft
