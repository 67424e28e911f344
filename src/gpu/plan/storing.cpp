#include "gpu/plan/storing.hpp"

#include <algorithm>

#include "device/line_pass.hpp"
#include "gpu/move/exchange.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/plan/offer.hpp"
#include "local/loops.hpp"
#include "lower/fft_spec.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

std::optional<FftPlan> storing_plan(const LocalTransform& before, const Layout& to, int rank, Precision precision,
                                    bool verify) {
  const auto owners = line_owners(before.step, only_piece(before.after.layout, rank), to, LineOwners::Side::output);
  return owners ? plan_storing_fft(fft_spec(before, rank, precision), *owners, verify) : std::nullopt;
}

namespace {

/// Whether all rows begin at runs of memory, if the first one does.
bool rows_begin_with_runs(const Piece& piece, Precision precision) {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(piece.set.axes); ++axis)
    if (piece.stride[axis] != 1 && !device::lines::begins_with_runs(piece.stride[axis], precision)) return false;
  return true;
}

}  // namespace

/// Passes store small arrays (by bytes a GPU), whose time depends on the number of launches: stores need fewer. They
/// store larger ones only next to planes, in rows of whole runs. Plans in place cannot store: nobody may store before
/// the owner has read its input. All GPUs must be able to. Collective.
bool Offers::can_store(const Joined& joined) const {
  if (!joined.before || setup_.options.workspace == Workspace::least || setup_.options.in_place ||
      setup_.options.chunks > 1 || team_.ranks() < 2 || !leaves_way_open(setup_.way.exchange) || !team_.all_peers())
    return false;
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  const std::size_t bytes = max_state_bytes(joined.from, setup_.precision);
  if (bytes > std::max(defaults.most_bytes_to_store, defaults.most_bytes_to_store_planes)) return false;
  if (setup_.options.verify && !moves_all(joined.from, joined.to)) return false;
  return team_.all_of([&](const Member& member) {
    if (is_empty(fft_spec(*joined.before, member.rank, setup_.precision))) return true;
    const auto plan =
        storing_plan(*joined.before, joined.to.layout, member.rank, setup_.precision, setup_.options.verify);
    if (!plan) return false;
    const bool planes = plan->has_planes() ||
                        (joined.after && plan_fft(fft_spec(*joined.after, member.rank, setup_.precision)).has_planes());
    const auto whole = [&](const State& state) {
      return rows_begin_with_runs(only_piece(state.layout, member.rank), setup_.precision);
    };
    return bytes <= (planes && whole(joined.from) && whole(joined.to) ? defaults.most_bytes_to_store_planes
                                                                      : defaults.most_bytes_to_store);
  });
}

}  // namespace shardfft::gpu
