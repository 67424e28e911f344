// Rows of half spectra between two passes: padded where they would begin within sectors of memory.
#include <algorithm>

#include "device/line_pass.hpp"
#include "geometry/gaps.hpp"
#include "gpu/move/exchange.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/run/device_target.hpp"
#include "lower/fft_spec.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

bool is_one_pass(const FftSpec& spec) {
  if (is_empty(spec)) return true;
  const FftPlan plan = plan_fft(spec);
  return plan.stages() == 1 && plan.is_own();
}

namespace {

/// Rows of a half spectrum, along the last axis, that begin within sectors.
bool are_odd_rows(const State& state, Precision precision) {
  const Layout& layout = state.layout;
  return state.is_complex && layout.is_grid() && layout.order().back() == layout.axes() - 1 &&
         layout.axis_is_local(layout.axes() - 1) &&
         !device::lines::begins_with_sectors(layout.shape().back(), precision);
}

}  // namespace

/// Around the reshape between a real transform and a complex one that are one pass of our own each then, so of large
/// arrays. It costs a buffer more: not where memory is short.
std::int64_t DeviceTarget::row_unit(const Program& program, int step) {
  const auto at = static_cast<std::size_t>(step);
  const auto* const before = std::get_if<TransformStep>(&program.steps[at - 1]);
  const auto* const after = std::get_if<TransformStep>(&program.steps[at + 1]);
  if (one_array() || setup_.buffering != Buffering::fast || setup_.options.in_place ||
      !cuts_in_slices(setup_.exchange) || before == nullptr || after == nullptr ||
      before->keeps_numbers() == after->keeps_numbers())
    return 1;
  Pass first{*before, program.states[at - 1], program.states[at]};
  Pass second{*after, program.states[at + 1], program.states[at + 2]};
  const std::int64_t unit = device::lines::granule(setup_.precision);
  for (State* state : {&first.after, &second.before}) {
    if (!are_odd_rows(*state, setup_.precision)) return 1;
    state->layout = with_padded_rows(state->layout, unit);
  }
  second.preserve_input = false;  // what has arrived is read once
  const bool gains = team_.all_of([&](const Member& member) {
    return is_one_pass(fft_spec(first, member.rank, setup_.precision)) &&
           is_one_pass(fft_spec(second, member.rank, setup_.precision));
  });
  return gains ? unit : 1;
}

}  // namespace shardfft::gpu
