#include "exec/chunk_trial.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <sstream>

#include "base/clock.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

class ChunkTrial {
 public:
  explicit ChunkTrial(const ChunkTrialSetup& setup) : setup_(setup) {}

  ChunkChoice run() {
    begin_ = clock_seconds();
    // The first run touches memory and connects ranks: it tells only how long the trial may take.
    const double first = setup_.run(1);
    budget_ = std::clamp(host_defaults().chunk_trial_runs * first / 2, host_defaults().trial_least_seconds,
                         host_defaults().chunk_trial_seconds);
    times_.push_back({1, std::numeric_limits<double>::infinity()});
    round_ = first;
    if (!room()) return {};
    time(times_.front());
    for (const int chunks : host_defaults().chunks_to_try) {
      if (!room()) break;
      if (!setup_.make(chunks, clock_seconds() + budget_ - elapsed())) continue;
      if (!room()) break;  // planned in a hurry
      times_.push_back({chunks, std::numeric_limits<double>::infinity()});
      time(times_.back());
    }
    for (int round = 1; round < host_defaults().trial_rounds && room(times_.size()); ++round)
      for (ChunkChoice::Time& one : times_) time(one);
    return {fastest().chunks, times_};
  }

 private:
  /// Of the trial, on the rank that began first.
  double elapsed() const { return setup_.comm.max(clock_seconds() - begin_); }
  /// Whether there is time for so many runs as long as the longest so far.
  bool room(std::size_t runs = 1) const { return elapsed() + static_cast<double>(runs) * round_ <= budget_; }

  void time(ChunkChoice::Time& one) {
    const double seconds = setup_.run(one.chunks);
    one.seconds = std::min(one.seconds, seconds);
    round_ = std::max(round_, seconds);
  }

  const ChunkChoice::Time& fastest() const {
    const ChunkChoice::Time* best = &times_.front();
    for (const ChunkChoice::Time& one : times_)
      if (one.seconds < best->seconds && one.seconds < host_defaults().trial_clearly_less * times_.front().seconds)
        best = &one;
    return *best;
  }

  const ChunkTrialSetup& setup_;
  std::vector<ChunkChoice::Time> times_;
  double begin_ = 0;
  double budget_ = 0;
  double round_ = 0;
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
