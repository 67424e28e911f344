// Complex rows between two passes: padded if they would begin within sectors of memory.
#include "device/line_pass.hpp"
#include "geometry/gaps.hpp"
#include "gpu/move/exchange.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/plan/device_target.hpp"
#include "lower/fft_spec.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

bool is_one_pass(const FftSpec& spec) {
  if (is_empty(spec)) return true;
  const FftPlan plan = plan_fft(spec);
  return plan.stages() == 1 && plan.is_own();
}

namespace {

/// The number of complex numbers in a row along the last axis; none if a rank does not have whole, contiguous rows.
std::optional<std::int64_t> complex_row(const State& state) {
  const Layout& layout = state.layout;
  const int last = layout.axes() - 1;
  if (!state.is_complex || !layout.is_grid() || layout.order().back() != last || !layout.axis_is_local(last))
    return std::nullopt;
  return layout.shape().back();
}

}  // namespace

/// Pads the rows on both sides of a reshape to whole bundles, if they would begin within sectors and if both transforms
/// then are one own pass each. If both are complex, it does so only for large arrays with rows that begin within
/// 16-byte units, which no other own pass accepts. Padding needs one more buffer, so it is not done if memory is short.
std::optional<Joined> Offers::padded(const Joined& joined) const {
  if (setup_.options.workspace == Workspace::least || setup_.way.room != Spare::fast || setup_.options.in_place ||
      !cuts_in_slices(setup_.way.exchange) || !joined.before || !joined.after)
    return std::nullopt;
  const bool all_complex = joined.before->step.keeps_numbers() && joined.after->step.keeps_numbers();
  if (all_complex && max_state_bytes(joined.from, setup_.precision) < peer_gpu_defaults().bytes_worth_padding)
    return std::nullopt;
  Joined padded = joined;
  for (State* state : {&padded.from, &padded.to}) {
    const std::optional<std::int64_t> row = complex_row(*state);
    if (!row || device::lines::begins_with_sectors(*row, setup_.precision) ||
        (all_complex && device::lines::begins_with_units(*row, setup_.precision)))
      return std::nullopt;
    state->layout = with_padded_rows(state->layout, device::lines::granule(setup_.precision));
  }
  padded.before->after = padded.from;
  padded.after->before = padded.to;
  const bool gains = team_.all_of([&](const Member& member) {
    return gpu::is_one_pass(fft_spec(*padded.before, member.rank, setup_.precision)) &&
           gpu::is_one_pass(fft_spec(*padded.after, member.rank, setup_.precision));
  });
  return gains ? std::optional(padded) : std::nullopt;
}

/// With several reshapes, whose results take turns in the output, only rows that begin within units are padded.
std::int64_t DeviceTarget::row_unit(const Program& program, int step) {
  const auto row = complex_row(program.states[static_cast<std::size_t>(step)]);
  if (reshapes(program) > 1 && row && device::lines::begins_with_units(*row, setup_.precision)) return 1;
  return offers_.padded(joined_around(program, static_cast<std::size_t>(step)))
             ? device::lines::granule(setup_.precision)
             : 1;
}

}  // namespace shardfft::gpu
