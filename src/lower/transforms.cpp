#include "lower/transforms.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace shardfft {

namespace {

/// The state after `step`: a halved axis changes its extent, and the numbers their kind.
State after_transform(const State& before, const FftStep& step, const State& end) {
  State state = before;
  if (step.kind == Kind::c2c) return state;
  const int half = step.axes.back();
  state.is_complex = end.is_complex;
  state.layout = before.layout.with_axis_extent(half, end.layout.shape()[static_cast<std::size_t>(half)]);
  return state;
}

/// A real transform takes its halved axis with the group that runs first, its inverse with the one that runs last.
std::vector<FftStep> cut_step(const FftStep& step, std::vector<std::vector<int>> groups) {
  std::vector<FftStep> steps;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) steps.push_back({*group, Kind::c2c, step.sign});
  if (step.kind == Kind::r2c) steps.front().kind = Kind::r2c;
  if (step.kind == Kind::c2r) {
    std::reverse(steps.begin(), steps.end());
    steps.back().kind = Kind::c2r;
  }
  return steps;
}

}  // namespace

Program cut_transforms(const Program& program, Target& target) {
  Program result{program.algorithm, {program.states.front()}, {}};
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const State& end = program.states[i + 1];
    const auto* const fft = std::get_if<FftStep>(&program.steps[i]);
    if (fft != nullptr) {
      const std::vector<FftStep> steps = cut_step(*fft, target.groups(program.states[i], fft->axes));
      for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
        const State next = after_transform(result.states.back(), steps[k], end);
        result.steps.push_back(steps[k]);
        result.states.push_back(next);
      }
      result.steps.push_back(steps.back());
    } else {
      result.steps.push_back(program.steps[i]);
    }
    result.states.push_back(end);
  }
  return result;
}

}  // namespace shardfft
