#include "lower/transforms.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "lower/orders.hpp"

namespace shardfft {

namespace {

/// One call of a local FFT transforms axes of one sign, and either Fourier or cosine and sine transforms.
bool run_together(const AxisStep& a, const AxisStep& b) {
  return a.sign == b.sign && (a.kind == Kind::r2r) == (b.kind == Kind::r2r);
}

const AxisStep& axis_of(const TransformStep& step, int axis) {
  const auto found =
      std::find_if(step.axes.begin(), step.axes.end(), [axis](const AxisStep& a) { return a.axis == axis; });
  if (found == step.axes.end())
    fail(Status::internal, "a group has axis ", axis, ", which its step does not transform");
  return *found;
}

/// The steps in the order of a run: `groups`, cut if one call of a local FFT cannot transform a whole group. A halved
/// axis is in the first step, a completed one in the last.
std::vector<TransformStep> cut_step(const TransformStep& step, const std::vector<std::vector<int>>& groups) {
  std::vector<TransformStep> steps;
  for (const std::vector<int>& group : groups)
    for (std::size_t i = 0; i < group.size(); ++i) {
      const AxisStep& axis = axis_of(step, group[i]);
      if (i == 0 || !run_together(steps.back().axes.back(), axis)) steps.emplace_back();
      steps.back().axes.push_back(axis);
    }
  if (step.kind() != Kind::c2r) std::reverse(steps.begin(), steps.end());
  return steps;
}

/// In one array, a halved axis (the last one) is a group of its own.
std::vector<std::vector<int>> groups_of(const Program& program, std::size_t step, Target& target) {
  const auto& fft = std::get<TransformStep>(program.steps[step]);
  const std::vector<int> axes = fft.numbers();
  if (!target.one_array() || fft.keeps_numbers() || axes.size() < 2)
    return target.groups(program, static_cast<int>(step));
  return {{axes.begin(), axes.end() - 1}, {axes.back()}};
}

}  // namespace

Program lowered(const Program& program, Target& target) {
  return cut_transforms(pad_rows(choose_orders(program, target), target), target);
}

Program cut_transforms(const Program& program, Target& target) {
  Program result{program.algorithm, {program.states.front()}, {}};
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const State& end = program.states[i + 1];
    const auto* const fft = std::get_if<TransformStep>(&program.steps[i]);
    if (fft != nullptr) {
      const std::vector<TransformStep> steps = cut_step(*fft, groups_of(program, i, target));
      for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
        result.steps.push_back(steps[k]);
        result.states.push_back(state_after(steps[k], result.states.back()));
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
