#include "exec/chunk_trial.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <sstream>

#include "exec/trial_budget.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

class ChunkTrial {
 public:
  explicit ChunkTrial(const ChunkTrialSetup& setup) : setup_(setup), budget_(setup.comm) {}

  ChunkChoice run() {
    // The first run touches memory and connects ranks: it tells only how long the trial may take.
    longest_ = setup_.run(1);
    budget_.allow(host_defaults().chunk_trial_runs * longest_ / 2, host_defaults().chunk_trial_seconds);
    times_.push_back({1, std::numeric_limits<double>::infinity()});
    if (!budget_.room(longest_)) return {};
    time(times_.front());
    for (const int chunks : host_defaults().chunks_to_try) {
      if (!budget_.room(longest_)) break;
      if (!setup_.make(chunks, budget_.deadline(longest_))) continue;
      if (!budget_.room(longest_)) break;  // planned in a hurry
      times_.push_back({chunks, std::numeric_limits<double>::infinity()});
      time(times_.back());
    }
    for (int round = 1; round < host_defaults().trial_rounds && budget_.room(cycle()); ++round)
      for (ChunkChoice::Time& one : times_) time(one);
    return {clearly_fastest(times_).chunks, times_};
  }

 private:
  /// Seconds of a round of all, if none takes longer than the longest run so far.
  double cycle() const { return static_cast<double>(times_.size()) * longest_; }

  void time(ChunkChoice::Time& one) {
    const double seconds = setup_.run(one.chunks);
    one.seconds = std::min(one.seconds, seconds);
    longest_ = std::max(longest_, seconds);
  }

  const ChunkTrialSetup& setup_;
  TrialBudget budget_;
  std::vector<ChunkChoice::Time> times_;
  double longest_ = 0;
};

}  // namespace

std::string ChunkChoice::why() const {
  if (times.size() < 2) return "others take too long to measure, or more memory";
  std::ostringstream text;
  text << "measured:" << std::setprecision(3);
  for (const Time& time : times)
    text << (&time == times.data() ? " " : ", ") << time.chunks << " " << time.seconds * 1e3 << " ms";
  return text.str();
}

ChunkChoice choose_chunks(const ChunkTrialSetup& setup) { return ChunkTrial(setup).run(); }

}  // namespace shardfft
