#pragma once
// What trials of whole candidates have in common: how long they may take, and which candidate wins.
#include <algorithm>
#include <vector>

#include "base/clock.hpp"
#include "mpi/communicator.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

/// The time that a trial may take, the same on all ranks. It begins where this is made; what reads the clock is
/// collective.
class TrialBudget {
 public:
  explicit TrialBudget(const Communicator& comm) : comm_(comm), begin_(clock_seconds()) {}

  /// So many seconds may be used, or `most` where that is less, but a few milliseconds in any case. Before this none
  /// may.
  void allow(double seconds, double most) {
    seconds_ = std::max(host_defaults().trial_least_seconds, std::min(seconds, most));
  }
  /// Since the trial began, on the rank that began first.
  double elapsed() const { return comm_.max(clock_seconds() - begin_); }
  double left() const { return seconds_ - elapsed(); }
  /// Whether there is time left for something that takes so long.
  bool room(double seconds = 0) const { return elapsed() + seconds <= seconds_; }
  /// When to be ready on base/clock so that there is still time for something that takes so long.
  double deadline(double seconds) const {
    const double left = seconds_ - elapsed() - seconds;
    return clock_seconds() + left;
  }

 private:
  const Communicator& comm_;
  double begin_;
  double seconds_ = 0;
};

/// The one of `candidates` that took the least `seconds`. The first one is what is expected to win: another must be
/// clearly faster, because small differences are noise, and a plan that is made again should get the same.
template <class Candidate>
Candidate& clearly_fastest(std::vector<Candidate>& candidates) {
  const double enough = host_defaults().trial_clearly_less * candidates.front().seconds;
  Candidate* best = &candidates.front();
  for (Candidate& one : candidates)
    if (one.seconds < best->seconds && one.seconds < enough) best = &one;
  return *best;
}

}  // namespace shardfft
