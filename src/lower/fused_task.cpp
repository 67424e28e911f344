#include "lower/fused_task.hpp"

namespace shardfft {

namespace {

const Step& step_of(const Program& program, int step) { return program.steps[static_cast<std::size_t>(step)]; }

std::vector<int> moving_steps(const Program& program) {
  std::vector<int> steps;
  for (int i = 0; i < static_cast<int>(program.steps.size()); ++i)
    if (moves_something(step_of(program, i))) steps.push_back(i);
  return steps;
}

/// The transform that applies the scale factor: the last one that scales for free, else the last one. If one follows an
/// operator, none before it scales: the operator gets the sums of the forward transform. Null without transforms.
LoweredStep* scaled_step(const Program& program, std::vector<FusedTask>& fused_tasks, Target& target) {
  LoweredStep* last = nullptr;
  for (std::size_t i = fused_tasks.size(); i-- > 0;)
    for (auto one = fused_tasks[i].rbegin(); one != fused_tasks[i].rend(); ++one) {
      const Step& step = step_of(program, one->step);
      if (last != nullptr && std::holds_alternative<OperatorStep>(step)) return last;
      const bool cannon = std::holds_alternative<CannonStep>(step);
      if (!cannon && !std::holds_alternative<TransformStep>(step)) continue;
      if (last == nullptr) last = &*one;
      if (last == &*one && cannon) return last;
      if (!cannon && target.scales_free(program, one->step)) return &*one;
    }
  return last;
}

}  // namespace

bool can_run_in_place(const Step& step) {
  if (const auto* fft = std::get_if<TransformStep>(&step)) return fft->keeps_numbers();
  return std::visit(
      [](const auto& s) {
        // cppcheck-suppress constStatement
        return requires { s.in_place; };
      },
      step);
}

bool moves_something(const Step& step) {
  if (const auto* half = std::get_if<HalfSpectrumStep>(&step)) return half->sign == Direction::backward;
  return !std::holds_alternative<ViewStep>(step);
}

std::vector<FusedTask> fuse_steps(const Program& program, double scale, Target& target) {
  const std::vector<int> steps = moving_steps(program);
  std::vector<FusedTask> fused_tasks;
  std::vector<Fusion> fusions;
  for (std::size_t at = 0; at < steps.size();) {
    fusions.push_back(target.one_array() ? Fusion{} : target.fusion(program, steps, at));
    FusedTask& fused = fused_tasks.emplace_back();
    for (int i = 0; i < fusions.back().steps; ++i, ++at) fused.push_back({steps[at], {}, {}, 1});
  }
  if (scale != 1)
    if (LoweredStep* const one = scaled_step(program, fused_tasks, target)) one->scale = scale;
  int to = output_array, next = first_between;
  for (std::size_t i = fused_tasks.size(); i-- > 0;) {
    const int end = to;
    for (auto one = fused_tasks[i].rbegin(); one != fused_tasks[i].rend(); ++one) {
      one->to = to;
      if (!target.one_array() && !target.in_place(program, one->step)) to = next++;
      one->from = to;
    }
    // If no arrays are in between, the source must differ from the result.
    if (to == end && fused_tasks[i].size() > 1 && !fusions[i].keeps_buffers) to = fused_tasks[i].front().from = next++;
  }
  if (!fused_tasks.empty()) fused_tasks.front().front().from = input_array;
  return fused_tasks;
}

}  // namespace shardfft
