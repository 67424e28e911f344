#pragma once
// The one trial: candidates run in rounds within a budget of time, and the fastest one wins. Plans ask several
// questions by it: the best library, passes, stores, way of whole runs.
#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "mpi/communicator.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

/// A hook (base/hooks.hpp) that counts trials.
struct TrialCount {
  std::atomic<int> begun = 0;
};

/// Candidates are numbered in the order in which they enter. All ranks call the same functions; those that run
/// candidates are collective.
class Trial {
 public:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  /// Runs a candidate once. Returns its seconds on this rank, infinite if it could not run.
  using Measure = std::function<double(std::size_t candidate)>;

  /// The trial's time begins now. Candidates that took `hopeless` times as long as the fastest one do not run again.
  Trial(const Communicator& comm, Measure measure, double hopeless = unlimited);

  /// Allows the trial this many seconds, at least `trial_least_seconds`, but no more than `most`. Before this is
  /// called, there is no time.
  void allow(double seconds, double most);
  /// Agrees on the time that has passed, as run() does, and on whether `mine` is true on all ranks. Collective.
  bool meet(bool mine = true);
  /// Time from the beginning of the trial, on the rank that began first, to the last meeting of ranks.
  double elapsed() const { return elapsed_; }
  double left() const { return allowed_ - elapsed(); }
  /// Whether `seconds` of time are left.
  bool room(double seconds = 0) const { return elapsed() + seconds <= allowed_; }
  /// The time on base/clock to be ready, so that `seconds` are left then.
  double deadline(double seconds) const { return met_ + left() - seconds; }

  /// Adds a candidate for a question. The first one of each question is expected to win.
  std::size_t enter(std::size_t question = 0);
  /// Removes the candidate that entered last.
  void withdraw() { candidates_.pop_back(); }
  /// Runs each of these once, on all ranks at the same time, and keeps the least time of each.
  void run(const std::vector<std::size_t>& candidates);
  /// Runs all candidates that can still win, of questions with several, while there is time. They then have run in up
  /// to `trial_rounds` rounds, including their first run.
  void run_rounds();

  /// The least time of a candidate, on the slowest rank; infinite before its first run.
  double seconds(std::size_t candidate) const { return candidates_[candidate].seconds; }
  /// The time of its last run, with all work for measuring it.
  double cost(std::size_t candidate) const { return candidates_[candidate].cost; }
  /// The longest such time of all runs.
  double longest() const { return longest_; }
  /// The time of a further round.
  double cycle() const;
  /// Whether a candidate may still win. `excused`: seconds of its run to ignore, such as those for loading a kernel.
  bool can_win(std::size_t candidate, double excused = 0) const;
  std::size_t fastest(std::size_t question = 0) const;
  /// The fastest one if it is clearly faster than the expected one, else the expected one. Small differences are noise,
  /// and a plan that is made again should get the same.
  std::size_t winner(std::size_t question = 0) const;

 private:
  struct Candidate {
    std::size_t question;
    double seconds = unlimited;
    double cost = 0;
  };
  std::vector<std::size_t> in_next_round() const;

  const Communicator& comm_;
  Measure measure_;
  double hopeless_;
  double begin_, met_;  ///< on this rank's clock
  double elapsed_ = 0;
  double allowed_ = 0;
  double longest_ = 0;
  std::vector<Candidate> candidates_;
};

/// Seconds of one call of `work`: the mean of enough calls to hide a clock's tick and an interrupt.
double seconds_a_call(const std::function<void()>& work);

}  // namespace shardfft
