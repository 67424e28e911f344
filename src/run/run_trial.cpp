#include "run/run_trial.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <sstream>

#include "run/trial_budget.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

class RunTrial {
 public:
  explicit RunTrial(const RunTrialSetup& setup) : setup_(setup), budget_(setup.comm) {}

  RunChoice run() {
    const RunWay& expected = setup_.ways.front();
    // The first run touches memory and connects ranks: it tells only how long the trial may take.
    longest_ = setup_.run(expected);
    budget_.allow(host_defaults().run_trial_runs * longest_ / 2, host_defaults().run_trial_seconds);
    if (!budget_.room(longest_)) return {expected, {{expected, longest_}}};
    enter(expected);
    for (std::size_t i = 1; i < setup_.ways.size() && budget_.room(wanted()); ++i) {
      const RunWay& way = setup_.ways[i];
      if (!promises(way) || !setup_.make(way, budget_.deadline(wanted()))) continue;
      if (!budget_.room(longest_)) break;  // planned in a hurry
      enter(way);
    }
    for (int round = 1; round < host_defaults().trial_rounds && budget_.room(cycle()); ++round)
      for (RunChoice::Time& one : times_)
        if (can_win(one)) time(one);
    return {clearly_fastest(times_).way, times_};
  }

 private:
  void enter(const RunWay& way) {
    times_.push_back({way, std::numeric_limits<double>::infinity()});
    time(times_.back());
  }

  void time(RunChoice::Time& one) {
    const double seconds = setup_.run(one.way);
    one.seconds = std::min(one.seconds, seconds);
    longest_ = std::max(longest_, seconds);
  }

  /// Seconds that are wanted once another way is planned: for its run, and, where there is something to compare
  /// already, for a further round of all.
  double wanted() const { return times_.size() == 1 ? longest_ : 2 * longest_ + cycle(); }

  const RunChoice::Time& fastest() const {
    return *std::min_element(times_.begin(), times_.end(),
                             [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  }

  /// Other ways of an algorithm are worth their time where it is the fastest so far.
  bool promises(const RunWay& way) const {
    const bool is_new = std::none_of(times_.begin(), times_.end(),
                                     [&](const auto& time) { return time.way.algorithm == way.algorithm; });
    return is_new || fastest().way.algorithm == way.algorithm;
  }

  bool can_win(const RunChoice::Time& one) const {
    return one.seconds <= host_defaults().trial_hopeless * fastest().seconds;
  }

  /// Seconds of a round of all that can win, if none takes longer than the longest run so far.
  double cycle() const {
    const auto runs = std::count_if(times_.begin(), times_.end(), [this](const auto& one) { return can_win(one); });
    return static_cast<double>(runs) * longest_;
  }

  const RunTrialSetup& setup_;
  TrialBudget budget_;
  std::vector<RunChoice::Time> times_;
  double longest_ = 0;
};

/// What was measured, by names; of several times with one name, the least.
class Measured {
 public:
  void add(const std::string& name, double seconds) {
    const auto known = std::find_if(times_.begin(), times_.end(), [&](const auto& time) { return time.first == name; });
    if (known == times_.end())
      times_.emplace_back(name, seconds);
    else
      known->second = std::min(known->second, seconds);
  }

  std::string text() const {
    if (times_.empty()) return "there is no memory to measure others with";
    if (times_.size() < 2) return "others take too long to measure, or more memory";
    std::ostringstream text;
    text << "measured:" << std::setprecision(3);
    for (const auto& time : times_)
      text << (&time == times_.data() ? " " : ", ") << time.first << " " << time.second * 1e3 << " ms";
    return text.str();
  }

 private:
  std::vector<std::pair<std::string, double>> times_;
};

}  // namespace

std::string chunks_text(int chunks) { return chunks == 0 ? "by size" : std::to_string(chunks); }

std::string RunChoice::why_algorithm() const {
  Measured measured;
  for (const Time& time : times) measured.add(time.way.algorithm, time.seconds);
  return measured.text();
}

std::string RunChoice::why_exchange() const {
  Measured measured;
  for (const auto& [w, seconds] : times)
    if (w.algorithm == way.algorithm)
      measured.add(w.chunks <= 1 ? w.exchange : w.exchange + " in " + std::to_string(w.chunks) + " chunks", seconds);
  return measured.text();
}

std::string RunChoice::why_chunks() const {
  Measured measured;
  for (const auto& [w, seconds] : times)
    if (w.algorithm == way.algorithm && w.exchange == way.exchange) measured.add(chunks_text(w.chunks), seconds);
  return measured.text();
}

RunChoice choose_way(const RunTrialSetup& setup) { return RunTrial(setup).run(); }

}  // namespace shardfft
