#include "gpu/plan/offer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "device/facts.hpp"
#include "gpu/move/exchange.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/plan/staging_buffer.hpp"
#include "local/loops.hpp"
#include "lower/fft_spec.hpp"
#include "schedule/estimate.hpp"
#include "tune/defaults.hpp"
#include "verify/move_check.hpp"

namespace shardfft::gpu {

namespace {

bool same(const State& a, const State& b) {
  return a.is_complex == b.is_complex && a.element_bytes == b.element_bytes && a.layout.same_as(b.layout);
}

/// Whether two transforms have the same offers. `in_place` does not matter: it depends on strides, which are compared.
bool same(const std::optional<LocalTransform>& a, const std::optional<LocalTransform>& b) {
  if (!a || !b) return !a && !b;
  return a->step.axes == b->step.axes && a->scale == b->scale && a->preserve_input == b->preserve_input &&
         same(a->before, b->before) && same(a->after, b->after);
}

}  // namespace

Offers::Offer& Offers::of(const Joined& joined) {
  for (Offer& offer : offers_)
    if (same(offer.joined.from, joined.from) && same(offer.joined.to, joined.to) &&
        same(offer.joined.before, joined.before) && same(offer.joined.after, joined.after))
      return offer;
  return offers_.emplace_back(Offer{joined});
}

bool Offers::stores(const Joined& joined) {
  Offer& offer = of(joined);
  if (!offer.stores) offer.stores = can_store(joined);
  return *offer.stores;
}

const Chunking& Offers::cut(const Joined& joined) {
  Offer& offer = of(joined);
  if (!offer.cut) offer.cut = chunking(joined, sending(joined.from, joined.to), {});
  return *offer.cut;
}

bool Offers::is_one_pass(const Joined& joined) {
  Offer& offer = of(joined);
  const bool is_before = joined.before.has_value();
  const LocalTransform& local = is_before ? *joined.before : *joined.after;
  const bool chunked = cut(joined).ends == (is_before ? ChunkEnds::sender : ChunkEnds::receiver);
  const std::vector<Slice> slices = chunked ? cut(joined).slices() : std::vector<Slice>{{}};
  if (!offer.one_pass)
    offer.one_pass = cut(joined).cuts() && team_.all_of([&](const Member& member) {
      return std::all_of(slices.begin(), slices.end(), [&](const Slice& slice) {
        return gpu::is_one_pass(fft_spec(local, member.rank, setup_.precision, slice));
      });
    });
  return *offer.one_pass;
}

/// Whether a reshape sends all elements before it, and fills all elements behind it. With the option verify, the sums
/// of the transforms beside it then cover all data. Collective.
bool Offers::moves_all(const State& from, const State& to) const {
  return team_.all_of([&](const Member& member) {
    const MoveSums sums(from.layout, to.layout, member.rank, 1);
    return sums.sends_all() && sums.receives_all();
  });
}

const Sending& Offers::sending(const State& from, const State& to) {
  for (const auto& [states, sent] : sent_)
    if (same(states.first, from) && same(states.second, to)) return sent;
  Sending& most = sent_.emplace_back(std::pair(from, to), Sending{}).second;
  if (team_.ranks() < 2 || setup_.options.chunks == 1 || !cuts_in_slices(setup_.way.exchange)) return most;
  if (setup_.options.verify && !moves_all(from, to)) return most;
  const auto schedule = [&](const Member& member) { return make_schedule(from.layout, to.layout, member.rank); };
  most.bytes = -team_.least_of([&](const Member& m) { return -schedule(m).send_count; }) *
               static_cast<std::int64_t>(element_bytes(from, setup_.precision));
  most.peers = -team_.least_of([&](const Member& m) { return -std::ssize(schedule(m).send); });
  return most;
}

int Offers::wanted_chunks(const Sending& sending, ChunkEnds ends) const {
  if (sending.bytes == 0) return 1;
  if (setup_.options.chunks > 0) return setup_.options.chunks;
  return automatic_chunks(static_cast<std::size_t>(sending.bytes), ends == ChunkEnds::both ? 0 : sending.peers);
}

/// If one end is cut, its first or last piece runs without messages beside it. More pieces shorten that time, but each
/// costs a copy to every peer. The sum is least if the number of pieces grows with the square root of the bytes sent.
int automatic_chunks(std::size_t bytes, std::int64_t peers) {
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  const auto sent = static_cast<double>(bytes);
  const double chunks =
      peers == 0
          ? std::floor(sent / static_cast<double>(defaults.pipeline_chunk_bytes))
          : std::round(std::sqrt(sent / static_cast<double>(defaults.bytes_worth_a_copy) / static_cast<double>(peers)));
  return static_cast<int>(std::clamp(chunks, 1.0, static_cast<double>(defaults.most_pipeline_chunks)));
}

namespace {

/// Whether a chunk can be transformed inside its array, without copies, as fast as the whole.
bool runs_well(const PlacedFft& part) {
  if (is_empty(part.spec)) return true;
  if (part.in % device::unit_bytes != 0 || part.out % device::unit_bytes != 0) return false;
  const Loops loops = output_loops(part.spec);
  const bool dense = output_extent(loops) == points(loops);
  const FftPlan plan = plan_fft(part.spec);
  return plan.runs_where_it_lies() && (dense || plan.scales_free());
}

/// Makes a cut along the contiguous axis take whole runs of rows: otherwise two chunks would read and write the run
/// that they share. Chunks get rows of at least `least_row` bytes, or twice that if rows begin within runs. Returns
/// false if rows begin within sectors: a store to a part of a sector must read it first.
bool take_whole_runs(Chunking& chunking, const State& from, const State& to, Precision precision,
                     std::int64_t least_row) {
  for (const State* state : {&from, &to}) {
    const Layout& layout = state->layout;
    if (!layout.is_grid() || layout.order().back() != chunking.axis) continue;
    const auto bytes = static_cast<std::int64_t>(element_bytes(*state, precision));
    const std::int64_t grain = device::run_bytes / bytes;
    std::int64_t least = least_row;
    for (const Progression& part : layout.parts(chunking.axis)) {
      if (part.count * bytes % device::sector_bytes != 0) return false;
      if (part.count % grain != 0) least = 2 * least_row;
    }
    chunking.grain = std::max(chunking.grain, grain);
    if (least == 0) continue;
    chunking.least = std::max(chunking.least, (least + bytes - 1) / bytes);
    chunking.parts =
        static_cast<int>(std::min<std::int64_t>(chunking.parts, longest_run(layout, chunking.axis) / chunking.least));
  }
  return true;
}

/// The transforms that a cut divides into pieces.
std::vector<LocalTransform> transforms_in_pieces(const Joined& joined, ChunkEnds ends) {
  std::vector<LocalTransform> transforms;
  if (joined.before && ends != ChunkEnds::receiver) transforms.push_back(*joined.before);
  for (LocalTransform& local : transforms) local.preserve_input = true;  // the input may be the user's
  if (joined.after && ends != ChunkEnds::sender) transforms.push_back(*joined.after);
  return transforms;
}

/// The least number of indices along `axis` whose multiples begin at addresses that kernels accept, on both sides.
std::int64_t aligned_indices(const LocalTransform& local, int axis, int rank, Precision precision) {
  std::int64_t most = 1;
  for (const State* state : {&local.before, &local.after}) {
    const Piece piece = only_piece(state->layout, rank);
    const std::int64_t bytes =
        piece.stride[static_cast<std::size_t>(axis)] * static_cast<std::int64_t>(element_bytes(*state, precision));
    most = std::max(most, device::unit_bytes / std::gcd(device::unit_bytes, bytes));
  }
  return most;
}

/// The most pieces that are possible along the axis of a cut.
std::int64_t most_pieces(const Joined& joined, const Chunking& cut) {
  const Layout& layout = (cut.ends == ChunkEnds::receiver ? joined.to : joined.from).layout;
  return longest_run(layout, cut.axis) / std::max(cut.grain, cut.least);
}

bool is_line(const LocalTransform& local) { return local.step.axes.size() == 1; }

/// Costs as numbers of bytes that a GPU sends in the same time.
EndCosts costs_of(const Joined& joined, const Sending& sent, Precision precision) {
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  const auto cost = [&](const LocalTransform& local, const State& state) {
    return (is_line(local) ? defaults.line_pass_in_link_time : defaults.plane_pass_in_link_time) *
           static_cast<double>(max_state_bytes(state, precision));
  };
  return {cost(*joined.before, joined.from), cost(*joined.after, joined.to), static_cast<double>(sent.bytes),
          static_cast<double>(sent.peers) * static_cast<double>(defaults.bytes_in_a_copy),
          static_cast<double>(defaults.bytes_in_a_launch)};
}

}  // namespace

/// How well these transforms run in slices. Slices break planes if the whole is one own pass over several axes and a
/// slice is not; `any_planes` accepts that.
Offers::Fit Offers::fit(const std::vector<LocalTransform>& transforms, const std::vector<Slice>& slices,
                        bool any_planes) const {
  const auto of = [&](const LocalTransform& local, int rank) {
    const auto part = [&](const Slice& slice) { return placed_fft(local, rank, setup_.precision, slice); };
    const auto one = [&](const Slice& slice) { return gpu::is_one_pass(part(slice).spec); };
    const bool planes = !any_planes && local.step.axes.size() > 1 && one({});
    if (planes && !std::all_of(slices.begin(), slices.end(), one)) return Fit::breaks_planes;
    const auto well = [&](const Slice& slice) { return runs_well(part(slice)); };
    return std::all_of(slices.begin(), slices.end(), well) ? Fit::runs_well : Fit::runs_slowly;
  };
  return static_cast<Fit>(team_.least_of([&](const Member& member) {
    Fit least = Fit::runs_well;
    for (const LocalTransform& local : transforms) least = std::min(least, of(local, member.rank));
    return static_cast<std::int64_t>(least);
  }));
}

/// Chooses how to cut a reshape and its transforms; no cut if no axis serves. Chunks must begin at multiples of 16
/// bytes (for kernels), be transformed without copies, and be scaled as fast as the whole. If rows are cut and the user
/// does not fix the number of chunks, each row must have a least number of bytes. Collective.
Chunking Offers::chunking(const Joined& joined, const Sending& sent, const Cut& wanted) const {
  const State &from = joined.from, &to = joined.to;
  const auto most = [&](ChunkEnds ends) { return std::min(wanted_chunks(sent, ends), wanted.most); };
  const int chunks = std::max(most(ChunkEnds::both), most(ChunkEnds::sender));
  if (chunks < 2) return {};
  const std::size_t least_row = setup_.options.chunks > 0 ? 0 : peer_gpu_defaults().engine_row_bytes;
  for (Chunking chunking : possible_chunkings(joined.steps(), chunks)) {
    if (chunking.ends != wanted.ends.value_or(chunking.ends)) continue;
    if (!take_whole_runs(chunking, from, to, setup_.precision, static_cast<std::int64_t>(least_row))) continue;
    const std::vector<LocalTransform> transforms = transforms_in_pieces(joined, chunking.ends);
    for (int rank = 0; rank < team_.ranks(); ++rank)
      for (const LocalTransform& local : transforms)
        chunking.grain = std::max(chunking.grain, aligned_indices(local, chunking.axis, rank, setup_.precision));
    chunking.parts =
        static_cast<int>(std::min<std::int64_t>({chunking.parts, most(chunking.ends), most_pieces(joined, chunking)}));
    // If planes are too small for one pass, fewer chunks are better.
    for (; chunking.cuts(); --chunking.parts) {
      const Fit found = fit(transforms, chunking.slices(), setup_.options.chunks > 0);
      if (found == Fit::runs_well) return chunking;
      if (found == Fit::runs_slowly) break;
    }
  }
  return {};
}

/// Whether all outgoing data, packed, fits into the output. Collective.
bool Offers::is_packed(const Joined& joined, const Pieces& pieces) const {
  if (!is_line(*joined.before)) return false;
  return team_.all_of([&](const Member& member) {
    if (!has_line_pass(joined.before->step, joined.from, member.rank, setup_.precision)) return false;
    const auto staging = staging_buffer_of(joined, pieces, member.rank, setup_.precision, true);
    return staging && staging->overflow_bytes == 0;
  });
}

const Pieces& Offers::pieces(const Joined& joined) {
  std::optional<Pieces>& pieces = of(joined).pieces[joined.after && joined.after->in_place ? 1 : 0];
  if (!pieces) pieces = make_pieces(joined);
  return *pieces;
}

Pieces Offers::make_pieces(const Joined& joined) {
  const ChunkedSteps steps = joined.steps();
  if (stores(joined)) {
    Pieces whole = in_pieces(steps, Chunking{});
    whole.stores = true;
    whole.text.clear();
    return whole;
  }
  const Sending& sent = sending(joined.from, joined.to);
  const Chunking& one = cut(joined);
  if (!joined.before || !joined.after || one.ends == ChunkEnds::both) return in_pieces(steps, one);
  const std::optional<Pieces> equal = equal_pieces(joined, sent);
  if (sent.peers == 1) {  // pieces of unequal size to several peers at once were never timed
    // If the last transform writes another array, outgoing data waits in its output (StagingBuffer). Pieces that are
    // sent in parts need more room there, unless they are packed: so they may have no larger share than in equal
    // pieces.
    const bool here = joined.after->in_place || setup_.options.in_place;
    const auto fastest = fastest_pieces(joined, sent, here || !equal ? 1 : equal->divided_share());
    if (fastest) return *fastest;
  }
  return equal ? *equal : in_pieces(steps, one);
}

namespace {

/// The number of messages that are sent while the pass before them runs: each GPU sends everything except its own
/// share. At least two messages remain, which cut the other end.
int sent_beside_first_pass(int messages, int ranks) {
  const double share = peer_gpu_defaults().plane_pass_in_link_time * ranks / (ranks - 1);
  return std::clamp(static_cast<int>(std::lround(share * messages)), 1, std::max(1, messages - 2));
}

}  // namespace

/// Cuts both ends in pieces of near-equal size. Collective.
std::optional<Pieces> Offers::equal_pieces(const Joined& joined, const Sending& sent) const {
  const Chunking sender = chunking(joined, sent, {ChunkEnds::sender});
  if (!sender.cuts()) return std::nullopt;
  const int whole = sent_beside_first_pass(sender.parts, team_.ranks());
  const Chunking receiver = chunking(joined, sent, {ChunkEnds::receiver, sender.parts - whole});
  return receiver.cuts() ? std::optional(in_pieces(sender, receiver, whole)) : std::nullopt;
}

/// Cuts in as many messages as the user wants, or in those with the least expected time. Skips a cut if more than the
/// share `most_divided` of the data is not sent in the sender's own pieces, unless that data is packed. Collective.
std::optional<Pieces> Offers::fastest_pieces(const Joined& joined, const Sending& sent, double most_divided) const {
  const Chunking sender = chunking(joined, sent, {ChunkEnds::sender, 2});
  const Chunking receiver = chunking(joined, sent, {ChunkEnds::receiver, 2});
  if (!sender.cuts() || !receiver.cuts()) return std::nullopt;
  // Whether a transform can be cut in pieces of these sizes. Each answer is kept.
  const auto serves = [&](const Chunking& cut) {
    return [this, cut, transforms = transforms_in_pieces(joined, cut.ends),
            known = std::map<std::vector<int>, bool>()](const std::vector<int>& sizes) mutable {
      const auto [found, is_new] = known.try_emplace(sizes);
      const std::vector<Slice> slices = cut.slices(sizes);
      if (is_new) found->second = fit(transforms, slices) == Fit::runs_well;
      return found->second;
    };
  };
  auto before = serves(sender), after = serves(receiver);
  for (const EndCuts& cuts : possible_cuts(costs_of(joined, sent, setup_.precision), most_pieces(joined, sender),
                                           most_pieces(joined, receiver))) {
    const bool wanted = setup_.options.chunks == 0 || cuts.messages() == setup_.options.chunks;
    if (!wanted || !before(cuts.before) || !after(cuts.after)) continue;
    Pieces pieces = in_pieces(sender, receiver, cuts);
    if (cuts.divided_share() <= most_divided || is_packed(joined, pieces)) return pieces;
  }
  return std::nullopt;
}

}  // namespace shardfft::gpu
