#include "exec/local_fft_choice.hpp"

#include "base/text.hpp"
#include "choose/measured.hpp"

namespace shardfft {

namespace {

/// The time of a library for all steps in which it was tried.
struct Total {
  std::string name;
  double seconds = 0;
  std::size_t steps = 0;
};

std::vector<Total> totals_of(const std::vector<LocalFftChoice::Step>& steps) {
  std::vector<Total> totals;
  for (const auto& step : steps)
    for (const auto& time : step.times) {
      Total& total = named(totals, time.name);
      total.seconds += time.seconds;
      ++total.steps;
    }
  return totals;
}

/// The time of the library that was chosen for the step.
double seconds_of(const LocalFftChoice::Step& step) {
  for (const auto& time : step.times)
    if (time.name == step.name) return time.seconds;
  return 0;
}

}  // namespace

std::string LocalFftChoice::name() const {
  std::string text;
  for (const std::string& one : names) text += (text.empty() ? "" : ", ") + one;
  return text;
}

std::string LocalFftChoice::why() const {
  Text text;
  text << note << std::setprecision(3);
  const std::vector<Total> totals = totals_of(steps);
  for (const Total& total : totals) {
    text << (&total == totals.data() ? " " : ", ") << total.name << " " << total.seconds * 1e3 << " ms";
    if (total.steps < steps.size()) text << " (" << total.steps << " of " << steps.size() << " transforms)";
  }
  if (names.size() < 2) return text.str();
  if (!totals.empty()) {
    double seconds = 0;
    for (const Step& step : steps) seconds += seconds_of(step);
    text << "; together " << seconds * 1e3 << " ms";
  }
  for (const std::string& one : names) {
    text << (&one == names.data() && totals.empty() ? ": " : "; ") << one << " makes";
    bool first = true;
    for (const Step& step : steps) {
      if (step.name != one) continue;
      text << (first ? " " : ", ") << step.step;
      first = false;
    }
  }
  return text.str();
}

}  // namespace shardfft
