#include "lower/in_place.hpp"

#include "base/check.hpp"

namespace shardfft {

void require_same_order(const State& before, const State& after) {
  if (!before.layout.same_as(after.layout))
    fail(Status::unsupported,
         "workspace = least cannot change the order of axes within a transform: leave the order of ",
         "the output to the plan, or plan with workspace = fast");
}

void require_real_in_place(const TransformStep& step, const State& before, const State& after) {
  const AxisOrder order = before.layout.order();
  if (step.axes.size() != 1 || order != after.layout.order() || order.back() != step.axes.front().axis)
    fail(Status::unsupported, "workspace = least transforms real arrays only if their halved axis, here ",
         step.axes.front().axis - 1, ", is the fastest in memory and all axes keep their order");
}

}  // namespace shardfft
