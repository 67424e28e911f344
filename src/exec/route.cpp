#include "exec/route.hpp"

#include <algorithm>

namespace shardfft {

bool can_run_in_place(const Step& step) {
  if (const auto* fft = std::get_if<FftStep>(&step)) return fft->kind == Kind::c2c;
  return std::holds_alternative<TwiddleStep>(step) || std::holds_alternative<HalfSpectrumStep>(step);
}

bool moves_something(const Step& step, Direction direction) {
  return !std::holds_alternative<ViewStep>(step) &&
         !(std::holds_alternative<HalfSpectrumStep>(step) && direction == Direction::forward);
}

namespace {

Slot other_buffer(Slot slot) { return slot == Slot::work0 ? Slot::work1 : Slot::work0; }

}  // namespace

bool is_fused(const Program& program, Direction direction, int step, const std::vector<bool>& fusable) {
  const int next = step + (direction == Direction::forward ? 1 : -1);
  if (!fusable[static_cast<std::size_t>(step)] || next < 0 || next >= static_cast<int>(program.steps.size()))
    return false;
  return std::holds_alternative<ReshapeStep>(program.steps[static_cast<std::size_t>(step)]) &&
         std::holds_alternative<FftStep>(program.steps[static_cast<std::size_t>(next)]);
}

std::vector<Stop> plan_route(const Program& program, Direction direction, const std::vector<bool>& fusable) {
  std::vector<Stop> stops;
  for (int i = 0; i < static_cast<int>(program.steps.size()); ++i)
    if (moves_something(program.steps[static_cast<std::size_t>(i)], direction)) stops.push_back({i, {}, {}});
  if (direction == Direction::backward) std::reverse(stops.begin(), stops.end());
  Slot to = Slot::out;
  Slot after = Slot::out;  // where the stop behind this one writes
  for (auto stop = stops.rbegin(); stop != stops.rend(); ++stop) {
    stop->to = to;
    const bool in_place = can_run_in_place(program.steps[static_cast<std::size_t>(stop->step)]);
    stop->from = in_place ? to : other_buffer(to);
    // Fused, there is no buffer between the two stops: the source must differ from the result.
    if (is_fused(program, direction, stop->step, fusable)) stop->from = other_buffer(after);
    after = stop->to;
    to = stop->from;
  }
  if (!stops.empty()) stops.front().from = Slot::in;
  return stops;
}

}  // namespace shardfft
