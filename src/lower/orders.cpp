#include "lower/orders.hpp"

#include <algorithm>
#include <span>

#include "geometry/gaps.hpp"

namespace shardfft {

namespace {

bool is_reshape(const Program& program, std::size_t step) {
  return std::holds_alternative<ReshapeStep>(program.steps[step]);
}

/// The order of axes of the next stage, if it has the same cuts. Empty if its cuts differ or its order is free.
AxisOrder order_of_next(const Program& program, std::size_t next) {
  if (next >= program.states.size() || program.states[next].free_order) return {};
  const Layout& mine = program.states[next - 1].layout;
  const Layout& wanted = program.states[next].layout;
  if (!mine.is_grid() || !wanted.is_grid()) return {};
  return wanted.same_as(mine.with_order(wanted.order())) ? wanted.order() : AxisOrder{};
}

}  // namespace

std::size_t stage_end(const Program& program, std::size_t begin) {
  std::size_t end = begin;
  while (end < program.steps.size() && !is_reshape(program, end)) ++end;
  return end + 1;
}

Program choose_orders(Program program, Target& target) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (!is_reshape(program, i)) continue;
    const std::size_t begin = i + 1, end = stage_end(program, begin);
    const auto states = std::span(program.states).subspan(begin, end - begin);
    if (!std::all_of(states.begin(), states.end(), [](const State& state) { return state.free_order; })) continue;
    const AxisOrder next = order_of_next(program, end);
    const AxisOrder order = next.empty() ? target.order_after(program, static_cast<int>(i)) : next;
    if (!order.empty())
      for (State& state : states) state.layout = state.layout.with_order(order);
    if (next.empty()) continue;
    const auto at = static_cast<std::ptrdiff_t>(end);
    program.steps.erase(program.steps.begin() + at - 1);
    program.states.erase(program.states.begin() + at);
    program.states[end - 1].free_order = false;
  }
  return program;
}

Program pad_rows(Program program, Target& target) {
  for (std::size_t i = 1; i + 2 < program.states.size(); ++i) {
    if (!is_reshape(program, i)) continue;
    const std::int64_t unit = target.row_unit(program, static_cast<int>(i));
    for (const std::size_t state : {i, i + 1})
      if (unit > 1) program.states[state].layout = with_padded_rows(program.states[state].layout, unit);
  }
  return program;
}

}  // namespace shardfft
