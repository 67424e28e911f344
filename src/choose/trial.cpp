#include "choose/trial.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/hooks.hpp"

namespace shardfft {

Trial::Trial(const Communicator& comm, Measure measure, double hopeless)
    : comm_(comm), measure_(std::move(measure)), hopeless_(hopeless), begin_(clock_seconds()), met_(begin_) {
  if (TrialCount* const count = installed<TrialCount>()) ++count->begun;
}

void Trial::allow(double seconds, double most) {
  allowed_ = std::min(std::max(host_defaults().trial_least_seconds, seconds), most);
}

bool Trial::meet(bool mine) {
  met_ = clock_seconds();
  const std::vector<double> known = comm_.max({met_ - begin_, mine ? 0.0 : 1.0});
  elapsed_ = known[0];
  return known[1] == 0;
}

std::size_t Trial::enter(std::size_t question) {
  candidates_.push_back({question});
  return candidates_.size() - 1;
}

void Trial::run(const std::vector<std::size_t>& candidates) {
  std::vector<double> times;
  for (const std::size_t candidate : candidates) {
    comm_.barrier();
    const double begin = clock_seconds();
    times.push_back(measure_(candidate));
    times.push_back(clock_seconds() - begin);
  }
  met_ = clock_seconds();
  times.push_back(met_ - begin_);
  times = comm_.max(std::move(times));
  elapsed_ = times.back();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& one = candidates_[candidates[i]];
    one.seconds = std::min(one.seconds, times[2 * i]);
    one.cost = times[2 * i + 1];
    longest_ = std::max(longest_, one.cost);
  }
}

std::vector<std::size_t> Trial::in_next_round() const {
  std::vector<std::size_t> numbers;
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const auto others = std::count_if(candidates_.begin(), candidates_.end(), [&](const Candidate& other) {
      return other.question == candidates_[c].question;
    });
    if (others > 1 && can_win(c)) numbers.push_back(c);
  }
  return numbers;
}

void Trial::run_rounds() {
  for (int round = 1; round < host_defaults().trial_rounds; ++round) {
    const std::vector<std::size_t> candidates = in_next_round();
    if (candidates.empty() || !room(cycle())) return;
    run(candidates);
  }
}

double Trial::cycle() const {
  double seconds = 0;
  for (std::size_t c = 0; c < candidates_.size(); ++c)
    if (can_win(c)) seconds += cost(c);
  return seconds;
}

bool Trial::can_win(std::size_t candidate, double excused) const {
  return hopeless_ == unlimited ||
         seconds(candidate) - excused <= hopeless_ * seconds(fastest(candidates_[candidate].question));
}

std::size_t Trial::fastest(std::size_t question) const {
  std::size_t best = candidates_.size();
  for (std::size_t c = 0; c < candidates_.size(); ++c)
    if (candidates_[c].question == question && (best == candidates_.size() || seconds(c) < seconds(best))) best = c;
  return best;
}

std::size_t Trial::winner(std::size_t question) const {
  const auto expected = static_cast<std::size_t>(
      std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& c) { return c.question == question; }) -
      candidates_.begin());
  const std::size_t best = fastest(question);
  return seconds(best) < host_defaults().trial_clearly_less * seconds(expected) ? best : expected;
}

double seconds_a_call(const std::function<void()>& work) {
  const double begin = clock_seconds();
  double seconds = 0;
  std::int64_t calls = 0;
  while (calls == 0 || (seconds < host_defaults().trial_slice_seconds && calls < host_defaults().trial_slice_runs)) {
    work();
    ++calls;
    seconds = clock_seconds() - begin;
  }
  return seconds / static_cast<double>(calls);
}

}  // namespace shardfft
