// Whether the pass before a reshape between GPUs stores what it makes where the reshape leads.
#include <algorithm>
#include <optional>
#include <variant>

#include "gpu/move/exchange.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/run/device_target.hpp"
#include "local/loops.hpp"
#include "lower/fft_spec.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

/// Small arrays are bound by launches, of which stores need fewer, so by bytes a GPU; and never in place, where nobody
/// may store before the owner has read. All GPUs must be able to. Collective.
bool DeviceTarget::stores(const Joined& joined) const {
  if (!joined.before || one_array() || setup_.options.in_place || setup_.options.chunks > 1 || team_.ranks() < 2 ||
      !leaves_way_open(setup_.exchange) || !team_.all_peers())
    return false;
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  const std::size_t bytes = max_state_bytes(joined.from, setup_.precision);
  if (bytes > std::max(defaults.most_bytes_to_store, defaults.most_bytes_to_store_planes)) return false;
  if (setup_.options.verify && !moves_all(joined.from, joined.to)) return false;
  return team_.all_of([&](const Member& member) {
    const FftSpec spec = fft_spec(*joined.before, member.rank, setup_.precision);
    if (is_empty(spec)) return true;
    const auto owners = line_owners(joined.before->step, only_piece(joined.from.layout, member.rank), joined.to.layout,
                                    LineOwners::Side::output);
    const auto plan = owners ? plan_storing_fft(spec, *owners, setup_.options.verify) : std::nullopt;
    if (!plan) return false;
    const bool planes = plan->has_planes() ||
                        (joined.after && plan_fft(fft_spec(*joined.after, member.rank, setup_.precision)).has_planes());
    return bytes <= (planes ? defaults.most_bytes_to_store_planes : defaults.most_bytes_to_store);
  });
}

/// The same of a reshape of a program with the transforms around it.
bool DeviceTarget::stores(const Program& program, std::size_t reshape) const {
  if (reshape == 0 || reshape >= program.steps.size() || !std::holds_alternative<ReshapeStep>(program.steps[reshape]))
    return false;
  const std::vector<State>& states = program.states;
  Joined joined{static_cast<int>(reshape), states[reshape], states[reshape + 1], {}, {}};
  if (const auto* before = std::get_if<TransformStep>(&program.steps[reshape - 1]))
    joined.before = Pass{*before, states[reshape - 1], states[reshape]};
  if (reshape + 1 < program.steps.size())
    if (const auto* after = std::get_if<TransformStep>(&program.steps[reshape + 1]))
      joined.after = Pass{*after, states[reshape + 1], states[reshape + 2]};
  return stores(joined);
}

}  // namespace shardfft::gpu
