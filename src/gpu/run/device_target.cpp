#include "gpu/run/device_target.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "device/facts.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/run/pipeline.hpp"
#include "gpu/slab/slab.hpp"
#include "local/loops.hpp"
#include "lower/fft_spec.hpp"
#include "lower/orders.hpp"
#include "verify/move_check.hpp"

namespace shardfft::gpu {

/// Orders in memory that transform without copies: the natural one where line passes then run, and for cosine
/// transforms, whose work arrays may have any; else the transformed axis slowest, so that its lines are one strided
/// batch. With the least workspace, the order before: pages of an array keep it.
AxisOrder DeviceTarget::order_after(const Program& program, int step) {
  const auto at = static_cast<std::size_t>(step);
  if (one_array()) return program.states[at].layout.order();
  const auto* const fft = at + 1 < program.steps.size() ? std::get_if<TransformStep>(&program.steps[at + 1]) : nullptr;
  if (fft == nullptr || fft->axes.size() != 1 || stage_end(program, at + 1) != at + 3) return {};
  const int axis = fft->axes.front().axis;
  const State& state = program.states[at + 1];
  if (axis == 0 || axis + 1 == state.layout.axes() || fft->kind() == Kind::r2r || line_pass_fits_all(*fft, state))
    return {};
  AxisOrder order(static_cast<std::size_t>(state.layout.axes()));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 1, order.begin() + axis, order.begin() + axis + 1);  // behind the batch
  return order;
}

bool DeviceTarget::line_pass_fits_all(const TransformStep& fft, const State& state) const {
  return team_.all_of([&](const Member& member) {
    const FftSpec spec = fft_spec(fft, state, state, member.rank, setup_.precision);
    return is_empty(spec) || find_own_pass(spec, {.lines = LinesFor::alone}) != nullptr;
  });
}

namespace {

/// Whether one local transform takes all axes, and passes of our own may.
bool is_one_transform(const TransformStep& fft) {
  return std::all_of(fft.axes.begin(), fft.axes.end(), [&fft](const AxisStep& axis) {
    return axis.kind != Kind::r2r && axis.sign == fft.axes.front().sign;
  });
}

bool is_reshape(const Program& program, std::size_t step) {
  return step < program.steps.size() && std::holds_alternative<ReshapeStep>(program.steps[step]);
}

}  // namespace

/// Whether the passes of the transform as a whole add up their lines themselves (option verify), on all GPUs.
bool DeviceTarget::checks_itself(const Program& program, int step) const {
  const auto at = static_cast<std::size_t>(step);
  const auto& fft = std::get<TransformStep>(program.steps[at]);
  if (!is_one_transform(fft)) return false;
  return team_.all_of([&](const Member& member) {
    FftSpec spec = fft_spec(fft, program.states[at], program.states[at + 1], member.rank, setup_.precision);
    spec.preserve_input = false;  // it is next to a reshape
    return plan_fft(spec).checks_itself();
  });
}

bool DeviceTarget::begins_slab(const Program& program, int step) const {
  return leaves_way_open(setup_.exchange) && team_.all_peers() &&
         runs_as_slab(program, step, team_, slab_setup(setup_));
}

namespace {

/// The axis of a transform that runs alone next to a reshape into or out of `beyond`: one that is cut there, since a
/// pass along it can have what does not travel in its place; else `otherwise`. A halved axis cannot move in the list.
int axis_alone(const TransformStep& fft, const Layout& beyond, int otherwise) {
  if (fft.keeps_numbers())
    for (const AxisStep& axis : fft.axes)
      if (!beyond.axis_is_local(axis.axis)) return axis.axis;
  return otherwise;
}

TransformStep only(const TransformStep& fft, int axis) {
  TransformStep alone;
  for (const AxisStep& a : fft.axes)
    if (a.axis == axis) alone.axes = {a};
  return alone;
}

/// The reshape behind a transform of a program's, with that alone, or the one before it.
Joined next_to(const Program& program, std::size_t at, ChunkEnds end, const TransformStep& fft) {
  const std::vector<State>& states = program.states;
  const State &before = states[at], &after = states[at + 1];
  const bool whole = fft.axes.size() == std::get<TransformStep>(program.steps[at]).axes.size();
  if (end == ChunkEnds::sender)
    return {0, after, states[at + 2], Pass{fft, whole ? before : state_after(reversed(fft), after), after}, {}};
  return {0, states[at - 1], before, {}, Pass{fft, before, whole ? after : state_after(fft, before)}};
}

}  // namespace

/// Whether one pass of our own, which crosses memory once, runs each chunk of the transform `at` before a reshape, or
/// behind one, on all GPUs. Nothing where they cannot be cut.
std::optional<bool> DeviceTarget::has_one_pass(const Program& program, std::size_t at, ChunkEnds end) const {
  const bool is_before = end == ChunkEnds::sender;
  const Joined joined = next_to(program, at, end, std::get<TransformStep>(program.steps[at]));
  const Chunking cut = chunking(joined);
  if (!cut.cuts()) return std::nullopt;
  const bool chunked = cut.ends == end;
  Pass pass = is_before ? *joined.before : *joined.after;
  pass.preserve_input = is_before;  // what has arrived is read once
  return team_.all_of([&](const Member& member) {
    for (int k = 0; k < (chunked ? cut.parts : 1); ++k)
      if (!is_one_pass(fft_spec(pass, member.rank, setup_.precision, chunked ? cut.slice(k) : Slice{}))) return false;
    return true;
  });
}

/// Whether a transform of several axes is best left whole next to a reshape: one that can be cut in chunks of one pass
/// each, planes, crosses memory less often than its axes one by one.
bool DeviceTarget::stays_whole(const Program& program, std::size_t at) const {
  const auto& fft = std::get<TransformStep>(program.steps[at]);
  if (setup_.options.verify || !is_one_transform(fft)) return false;
  std::optional<bool> behind, ahead;
  if (is_reshape(program, at + 1)) behind = has_one_pass(program, at, ChunkEnds::sender);
  if (behind == false || at == 0 || !is_reshape(program, at - 1)) return behind.value_or(false);
  ahead = has_one_pass(program, at, ChunkEnds::receiver);
  return ahead.value_or(behind.value_or(false));
}

/// Next to a reshape that can be cut in chunks one axis runs alone, so that the others are left to cut along. Planes
/// that one pass over memory takes stay together; with the option verify so do all axes whose passes check themselves,
/// where what is left can be cut too, because lines of the vendor's library are read twice more for their sums.
std::vector<std::vector<int>> DeviceTarget::groups(const Program& program, int step) {
  const auto at = static_cast<std::size_t>(step);
  const auto& fft = std::get<TransformStep>(program.steps[at]);
  const std::vector<int> axes = fft.numbers();
  if (axes.size() < 2 || one_array()) return {axes};
  for (int first = step - slab_steps + 1; first <= step; ++first)
    if (begins_slab(program, first)) return {axes};
  const auto others = [&axes](int axis) {
    std::vector<int> rest = axes;
    std::erase(rest, axis);
    return rest;
  };
  if (stays_whole(program, at)) return {axes};
  const bool together = setup_.options.verify && checks_itself(program, step);
  const auto cuts = [&](ChunkEnds end, const TransformStep& of) {
    return chunking(next_to(program, at, end, of)).cuts();
  };
  if (is_reshape(program, at + 1)) {  // runs last
    if (together && cuts(ChunkEnds::sender, fft)) return {axes};
    const TransformStep alone = only(fft, axis_alone(fft, program.states[at + 2].layout, axes.front()));
    const int axis = alone.axes.front().axis;
    if (cuts(ChunkEnds::sender, alone)) return {{axis}, others(axis)};
  } else if (at > 0 && is_reshape(program, at - 1)) {  // runs first
    if (together && cuts(ChunkEnds::receiver, fft)) return {axes};
    const TransformStep alone = only(fft, axis_alone(fft, program.states[at - 1].layout, axes.back()));
    const int axis = alone.axes.front().axis;
    if (alone.keeps_numbers() && cuts(ChunkEnds::receiver, alone)) return {others(axis), {axis}};
  }
  return {axes};
}

/// How many chunks a reshape is cut in, if it can be; 1 where that is not wanted.
int DeviceTarget::wanted_chunks(const State& from, const State& to) const {
  if (team_.ranks() < 2 || setup_.options.chunks == 1 || !cuts_in_slices(setup_.exchange)) return 1;
  std::int64_t sent = 0, moves_all = 1;
  for (const Member& member : team_.here()) {
    const MoveSums sums(from.layout, to.layout, member.rank, 1);
    sent = std::max(sent, sums.schedule().send_count);
    if (!sums.sends_all() || !sums.receives_all()) moves_all = 0;
  }
  sent = team_.max(sent) * static_cast<std::int64_t>(element_bytes(from, setup_.precision));
  if (sent == 0) return 1;
  // What transforms beside the reshape sum up is all that they write and read.
  if (setup_.options.verify && team_.min(moves_all) == 0) return 1;
  return setup_.options.chunks > 0 ? setup_.options.chunks : automatic_chunks(static_cast<std::size_t>(sent));
}

int automatic_chunks(std::size_t bytes) {
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  const auto fit = static_cast<int>(std::min<std::size_t>(bytes / defaults.pipeline_chunk_bytes, 1U << 20));
  return std::clamp(fit, 1, defaults.most_pipeline_chunks);
}

namespace {

/// Whether a chunk can be transformed where it lies as fast as the whole.
bool runs_well(const FftPart& part) {
  if (is_empty(part.spec)) return true;
  if (part.in % device::unit_bytes != 0 || part.out % device::unit_bytes != 0) return false;
  const Loops loops = output_loops(part.spec);
  const bool dense = output_extent(loops) == points(loops);
  const FftPlan plan = plan_fft(part.spec);
  return plan.runs_where_it_lies() && (dense || plan.scales_free());
}

/// A cut along the axis that is contiguous in memory takes whole runs of its rows, or else both chunks read and write
/// the run that they share; chunks of `least_row` bytes at least, and of twice as many where rows begin within runs.
/// False where they begin within sectors: what is stored in a part of one is read before.
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
    if (least > 0)
      chunking.parts =
          static_cast<int>(std::min<std::int64_t>(chunking.parts, longest_run(layout, chunking.axis) * bytes / least));
  }
  return true;
}

/// The transforms of which a cut makes pieces. What has arrived is read once.
std::vector<Pass> passes_in_pieces(const Joined& joined, ChunkEnds ends) {
  std::vector<Pass> passes;
  if (joined.before && ends != ChunkEnds::receiver) passes.push_back(*joined.before);
  for (Pass& pass : passes) pass.preserve_input = true;  // it may be the user's
  if (joined.after && ends != ChunkEnds::sender) {
    passes.push_back(*joined.after);
    passes.back().preserve_input = false;
  }
  return passes;
}

/// Of how many indices along an axis a multiple begins where kernels can, on both sides.
std::int64_t aligned_indices(const Pass& pass, int axis, int rank, Precision precision) {
  std::int64_t most = 1;
  for (const State* state : {&pass.before, &pass.after}) {
    const Piece piece = only_piece(state->layout, rank);
    const std::int64_t bytes =
        piece.stride[static_cast<std::size_t>(axis)] * static_cast<std::int64_t>(element_bytes(*state, precision));
    most = std::max(most, device::unit_bytes / std::gcd(device::unit_bytes, bytes));
  }
  return most;
}

}  // namespace

/// How to cut a reshape and its transforms, at these ends or at any; nothing where no axis serves: chunks must begin
/// where kernels can (multiples of 16 bytes), be transformed without copies around the transform, be as fast to scale
/// as the whole, and have rows of so many bytes where rows are cut and the caller leaves open in how many parts.
/// Collective.
Chunking DeviceTarget::chunking(const Joined& joined, const Cut& wanted) const {
  const State &from = joined.from, &to = joined.to;
  const int chunks = std::min(wanted_chunks(from, to), wanted.most);
  if (chunks < 2) return {};
  const std::size_t least_row = setup_.options.chunks > 0 ? 0 : peer_gpu_defaults().engine_row_bytes;
  for (Chunking chunking : possible_chunkings(joined.steps(), chunks)) {
    if (chunking.ends != wanted.ends.value_or(chunking.ends)) continue;
    if (!take_whole_runs(chunking, from, to, setup_.precision, static_cast<std::int64_t>(least_row))) continue;
    const std::vector<Pass> passes = passes_in_pieces(joined, chunking.ends);
    std::int64_t grain = chunking.grain;
    for (const Member& member : team_.here())
      for (const Pass& pass : passes)
        grain = std::max(grain, aligned_indices(pass, chunking.axis, member.rank, setup_.precision));
    chunking.grain = team_.max(grain);  // powers of two
    const Layout& cut = chunking.ends == ChunkEnds::receiver ? to.layout : from.layout;
    chunking.parts =
        static_cast<int>(std::min<std::int64_t>(chunking.parts, longest_run(cut, chunking.axis) / chunking.grain));
    if (!chunking.cuts()) continue;
    const bool good = team_.all_of([&](const Member& member) {
      for (const Pass& pass : passes)
        for (int k = 0; k < chunking.parts; ++k)
          if (!runs_well(part_of(pass, member.rank, setup_.precision, chunking.slice(k)))) return false;
      return true;
    });
    if (good) return chunking;
  }
  return {};
}

namespace {

/// Of so many messages, those that leave while the pass before them runs: each GPU sends all but its own share.
int sent_beside_first_pass(int messages, int ranks) {
  const double share = peer_gpu_defaults().pass_in_link_time * ranks / (ranks - 1);
  return std::clamp(static_cast<int>(std::lround(share * messages)), 1, messages - 1);
}

}  // namespace

Pieces DeviceTarget::pieces(const Joined& joined) const {
  const ChunkedSteps steps = joined.steps();
  if (!joined.before && !joined.after) return in_pieces(steps, receiver_chunking(joined.from, joined.to));
  const Chunking one = chunking(joined);
  if (!joined.before || !joined.after || one.ends == ChunkEnds::both) return in_pieces(steps, one);
  const Chunking sender = chunking(joined, {ChunkEnds::sender});
  if (!sender.cuts()) return in_pieces(steps, one);
  const int head = sent_beside_first_pass(sender.parts, team_.ranks());
  const Chunking receiver = chunking(joined, {ChunkEnds::receiver, sender.parts - head});
  return receiver.cuts() ? in_pieces(sender, receiver, head) : in_pieces(steps, one);
}

Chunking DeviceTarget::receiver_chunking(const State& from, const State& to) const {
  Chunking chunking;
  for (const int axis : to.layout.order())
    if (chunking.axis < 0 && longest_run(to.layout, axis) > 1) chunking.axis = axis;
  if (chunking.axis < 0) return chunking;
  chunking.ends = ChunkEnds::receiver;
  chunking.parts = static_cast<int>(
      std::min<std::int64_t>(std::max(wanted_chunks(from, to), 1), longest_run(to.layout, chunking.axis)));
  return chunking;
}

Fusion DeviceTarget::fusion(const Program& program, const std::vector<int>& steps, std::size_t at) {
  if (begins_slab(program, steps[at])) return {slab_steps, false, true};
  int reshape = steps[at];
  if (!std::holds_alternative<ReshapeStep>(program.steps[static_cast<std::size_t>(reshape)])) ++reshape;
  const auto cuts = [&](const ChunkedSteps& chunked) {
    if (chunked.after != nullptr && begins_slab(program, reshape + 1)) return false;
    const State* const state = &program.states[static_cast<std::size_t>(reshape)];
    // One that cannot run where peers write leads to the output: both buffers of the workspace are in use.
    const bool leads =
        chunked.after != nullptr && (!chunked.after->keeps_numbers() || !state[1].layout.same_as(state[2].layout));
    if (leads && steps.back() != reshape + 1) return false;
    Joined joined{reshape, state[0], state[1], {}, {}};
    if (chunked.before != nullptr) joined.before = Pass{*chunked.before, state[-1], state[0]};
    if (chunked.after != nullptr) joined.after = Pass{*chunked.after, state[1], state[2]};
    return chunking(joined).cuts();
  };
  return {pipelined_steps(program, steps, at, cuts), true};
}

/// The result of a reshape that peers of other processes would write into
/// the user's array slowly lands in the workspace, from where the transform behind it leads to that array: all that
/// come after it run there.
bool DeviceTarget::in_place(const Program& program, int step) {
  const auto at = static_cast<std::size_t>(step);
  if (!Target::in_place(program, step) || !program.states[at].layout.same_as(program.states[at + 1].layout))
    return false;
  if (at == 0 || !std::holds_alternative<ReshapeStep>(program.steps[at - 1])) return true;
  for (int later = step + 1; later < static_cast<int>(program.steps.size()); ++later)
    if (!Target::in_place(program, later)) return true;
  return !lands_slowly(program.states[at]);
}

/// Where it has room for all of it. Other processes write slowly into the users' arrays, and may announce earlier what
/// is used once. To wait until the input has been read costs what would run beside messages.
ResultUse DeviceTarget::uses_result(const Program& program) {
  if (setup_.buffering == Buffering::fast && !team_.all_here()) return ResultUse::never;
  for (std::size_t state = 1; state < program.states.size(); ++state)
    for (int rank = 0; rank < team_.ranks(); ++rank)
      if (state_bytes(program.states[state], setup_.precision, rank) >
          state_bytes(program.states.back(), setup_.precision, rank))
        return ResultUse::never;
  if (!setup_.options.in_place) return ResultUse::always;
  return setup_.buffering == Buffering::fast ? ResultUse::behind_first : ResultUse::over_input;
}

bool DeviceTarget::lands_slowly(const State& state) const {
  if (setup_.buffering != Buffering::fast || one_array() || team_.all_here() || !cuts_in_slices(setup_.exchange))
    return false;
  if (max_state_bytes(state, setup_.precision) <= gpu_defaults().large_page_bytes) return false;
  for (int rank = 0; rank < team_.ranks(); ++rank)
    if (state_bytes(state, setup_.precision, rank) % gpu_defaults().large_page_bytes != 0) return true;
  return false;
}

/// Ranks must decide alike: what one sends the other may be scaled already.
bool DeviceTarget::scales_free(const Program& program, int step) {
  const auto at = static_cast<std::size_t>(step);
  return team_.all_of([&](const Member& member) {
    FftSpec spec = fft_spec(std::get<TransformStep>(program.steps[at]), program.states[at], program.states[at + 1],
                            member.rank, setup_.precision);
    if (one_array()) return plan_fft_in_place(spec).scales_free();
    for (const bool kept : {false, true}) {  // which it will be is not known yet
      spec.preserve_input = kept;
      if (!plan_fft(spec).scales_free()) return false;
    }
    return true;
  });
}

}  // namespace shardfft::gpu
