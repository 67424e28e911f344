#include "exec/route.hpp"

#include <algorithm>

namespace shardfft {

bool can_run_in_place(const Step& step) {
  if (const auto* fft = std::get_if<FftStep>(&step)) return fft->kind == Kind::c2c;
  return std::holds_alternative<TwiddleStep>(step) || std::holds_alternative<HalfSpectrumStep>(step);
}

namespace {

Slot other_buffer(Slot slot) { return slot == Slot::work0 ? Slot::work1 : Slot::work0; }

/// Forward, the half spectrum is left as it is.
bool moves_nothing(const Step& step, Direction direction) {
  return std::holds_alternative<ViewStep>(step) ||
         (std::holds_alternative<HalfSpectrumStep>(step) && direction == Direction::forward);
}

}  // namespace

std::vector<Stop> plan_route(const Program& program, Direction direction) {
  std::vector<Stop> stops;
  for (int i = 0; i < static_cast<int>(program.steps.size()); ++i)
    if (!moves_nothing(program.steps[static_cast<std::size_t>(i)], direction)) stops.push_back({i, {}, {}});
  if (direction == Direction::backward) std::reverse(stops.begin(), stops.end());
  Slot to = Slot::out;
  for (auto stop = stops.rbegin(); stop != stops.rend(); ++stop) {
    stop->to = to;
    const bool in_place = can_run_in_place(program.steps[static_cast<std::size_t>(stop->step)]);
    stop->from = in_place ? to : other_buffer(to);
    to = stop->from;
  }
  if (!stops.empty()) stops.front().from = Slot::in;
  return stops;
}

}  // namespace shardfft
