#include "lower/stretch.hpp"

namespace shardfft {

namespace {

const Step& step_of(const Program& program, int step) { return program.steps[static_cast<std::size_t>(step)]; }

std::vector<int> moving_steps(const Program& program) {
  std::vector<int> steps;
  for (int i = 0; i < static_cast<int>(program.steps.size()); ++i)
    if (moves_something(step_of(program, i))) steps.push_back(i);
  return steps;
}

/// Gives the stops of a stretch that ends in `to` their buffers, from the last to the first. Returns where it begins.
Slot color(const Program& program, Stretch& stretch, const Fusion& fusion, Target& target, Slot to, bool uses_result) {
  const Slot end = to;
  const auto other = [&](Slot slot) { return uses_result && slot == Slot::work0 ? Slot::out : other_buffer(slot); };
  for (auto stop = stretch.rbegin(); stop != stretch.rend(); ++stop) {
    stop->to = to;
    stop->from = target.one_array() || target.in_place(program, stop->step) ? to : other(to);
    to = stop->from;
  }
  // Without buffers in between, the source must differ from the result.
  if (stretch.size() > 1 && !fusion.keeps_buffers) to = stretch.front().from = other(end);
  return to;
}

/// Whether the first steps use the result's array otherwise than for a transform inside one array.
bool takes_result(const Program& program, const Stretch& first) {
  for (const Stop& stop : first) {
    const auto step = static_cast<std::size_t>(stop.step);
    const bool inside = &stop == &first.front() && std::holds_alternative<TransformStep>(program.steps[step]) &&
                        can_run_in_place(program.steps[step]) &&
                        program.states[step].layout.same_as(program.states[step + 1].layout);
    if (stop.to == Slot::out && !inside) return true;
  }
  return false;
}

/// Lets the first steps, which take the result's array, write over their input there: a transform leads away from it
/// before the reshape, or else back to it behind. False where they are one step.
bool lead_over_input(const Program& program, Stretch& first) {
  if (first.size() < 2) return false;
  const auto step = static_cast<std::size_t>(first.front().step);
  if (std::holds_alternative<ReshapeStep>(program.steps[step])) first[0].to = first[1].from = Slot::work0;
  return true;
}

/// The last transform that scales for free, or else the last one, multiplies its result; none before an operator, which
/// sees the sums of the forward transform. Null without any.
Stop* scaled_stop(const Program& program, std::vector<Stretch>& stretches, Target& target) {
  Stop* last = nullptr;
  for (std::size_t i = stretches.size(); i-- > 0;)
    for (auto stop = stretches[i].rbegin(); stop != stretches[i].rend(); ++stop) {
      const Step& step = step_of(program, stop->step);
      if (last != nullptr && std::holds_alternative<OperatorStep>(step)) return last;
      const bool cannon = std::holds_alternative<CannonStep>(step);
      if (!cannon && !std::holds_alternative<TransformStep>(step)) continue;
      if (last == nullptr) last = &*stop;
      if (last == &*stop && cannon) return last;
      if (!cannon && target.scales_free(program, stop->step)) return &*stop;
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

std::vector<Stretch> cut_in_stretches(const Program& program, double scale, Target& target) {
  const std::vector<int> steps = moving_steps(program);
  std::vector<Stretch> stretches;
  std::vector<Fusion> fusions;
  for (std::size_t at = 0; at < steps.size();) {
    fusions.push_back(target.one_array() ? Fusion{} : target.fusion(program, steps, at));
    Stretch& stretch = stretches.emplace_back();
    for (int i = 0; i < fusions.back().steps; ++i, ++at) stretch.push_back({steps[at], {}, {}, 1});
  }
  if (scale != 1)
    if (Stop* const stop = scaled_stop(program, stretches, target)) stop->scale = scale;
  const auto color_all = [&](bool uses_result) {
    Slot to = Slot::out;
    for (std::size_t i = stretches.size(); i-- > 0;)
      to = color(program, stretches[i], fusions[i], target, to, uses_result);
  };
  const ResultUse use = target.uses_result(program);
  color_all(use != ResultUse::never);
  if (stretches.empty()) return stretches;
  if (use != ResultUse::never && use != ResultUse::always && takes_result(program, stretches.front()) &&
      (use == ResultUse::behind_first || !lead_over_input(program, stretches.front())))
    color_all(false);
  stretches.front().front().from = Slot::in;
  return stretches;
}

}  // namespace shardfft
