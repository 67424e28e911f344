#include "gpu/device_target.hpp"

#include <algorithm>
#include <numeric>

#include "exec/fft_operation.hpp"
#include "gpu/device_fft.hpp"
#include "gpu/fft_passes.hpp"
#include "gpu/slab.hpp"
#include "local/loops.hpp"
#include "lower/orders.hpp"

namespace shardfft::gpu {

/// Orders in memory that transform without copies: the natural one where line passes then run, else the transformed
/// axis slowest, so that its lines are one strided batch.
AxisOrder DeviceTarget::order_after(const Program& program, int step) {
  const auto at = static_cast<std::size_t>(step);
  const auto* const fft = at + 1 < program.steps.size() ? std::get_if<TransformStep>(&program.steps[at + 1]) : nullptr;
  if (fft == nullptr || fft->axes.size() != 1 || stage_end(program, at + 1) != at + 3) return {};
  const int axis = fft->axes.front().axis;
  const State& state = program.states[at + 1];
  if (axis == 0 || axis + 1 == state.layout.axes() || line_pass_fits_all(*fft, state)) return {};
  AxisOrder order(static_cast<std::size_t>(state.layout.axes()));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 1, order.begin() + axis, order.begin() + axis + 1);  // behind the batch
  return order;
}

bool DeviceTarget::line_pass_fits_all(const TransformStep& fft, const State& state) const {
  std::int64_t fits = 1;
  team_.agree([&] {
    for (const Member& member : team_.here()) {
      const device::DeviceScope scope(member.device);
      const FftSpec spec = fft_spec(fft, state, state, member.rank, setup_.precision);
      if (!is_empty(spec) && !line_pass_fits(spec)) fits = 0;
    }
  });
  return team_.min(fits) == 1;
}

/// The slab engine is the exchange cuda_peer with the transforms around it; other names are taken at their word.
bool DeviceTarget::begins_slab(const Program& program, int step) const {
  return setup_.exchange == "cuda_peer" && team_.all_peers() && is_slab(program, step);
}

Fusion DeviceTarget::fusion(const Program& program, const std::vector<int>& steps, std::size_t at) {
  return begins_slab(program, steps[at]) ? Fusion{slab_steps, false} : Fusion{};
}

/// Ranks must decide alike: what one sends the other may be scaled already. The slab engine scales for free.
bool DeviceTarget::scales_free(const Program& program, int step) {
  for (int first = step - slab_steps + 1; first <= step; ++first)
    if (begins_slab(program, first)) return true;
  const auto at = static_cast<std::size_t>(step);
  std::int64_t free = 1;
  team_.agree([&] {
    for (const Member& member : team_.here()) {
      const device::DeviceScope scope(member.device);
      FftSpec spec = fft_spec(std::get<TransformStep>(program.steps[at]), program.states[at], program.states[at + 1],
                              member.rank, setup_.precision);
      for (const bool kept : {false, true}) {  // which it will be is not known yet
        spec.preserve_input = kept;
        if (!shardfft::gpu::scales_free(spec)) free = 0;
      }
    }
  });
  return team_.min(free) == 1;
}

}  // namespace shardfft::gpu
