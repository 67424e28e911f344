#include "gpu/plan/device_target.hpp"

#include <algorithm>
#include <numeric>

#include "gpu/move/exchange.hpp"
#include "gpu/pass/device_fft.hpp"
#include "lower/fft_spec.hpp"
#include "lower/orders.hpp"

namespace shardfft::gpu {

/// Chooses an order in memory that needs no copies for the next transform: the natural one if line passes can run in
/// it, or if the transform is a cosine one (its work arrays may have any order). Otherwise the transformed axis is the
/// slowest: its lines are then one strided batch. With the least workspace the order stays: pages keep it.
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

bool has_line_pass(const TransformStep& fft, const State& state, int rank, Precision precision) {
  const FftSpec spec = fft_spec(fft, state, state, rank, precision);
  return is_empty(spec) || find_own_pass(spec, {.lines = LinesFor::alone}) != nullptr;
}

bool DeviceTarget::line_pass_fits_all(const TransformStep& fft, const State& state) const {
  return team_.all_of([&](const Member& member) { return has_line_pass(fft, state, member.rank, setup_.precision); });
}

namespace {

/// Whether one local transform can run all axes, by the library's own passes.
bool is_one_transform(const TransformStep& fft) {
  return std::all_of(fft.axes.begin(), fft.axes.end(), [&fft](const AxisStep& axis) {
    return axis.kind != Kind::r2r && axis.sign == fft.axes.front().sign;
  });
}

bool is_reshape(const Program& program, std::size_t step) {
  return step < program.steps.size() && std::holds_alternative<ReshapeStep>(program.steps[step]);
}

}  // namespace

/// Whether the passes of the whole transform sum up their lines themselves (option verify), on all GPUs.
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

namespace {

/// Chooses the axis that runs alone next to a reshape: one that is cut in the layout `other_end`, because its pass can
/// move the part that stays on its GPU; else `otherwise`. A halved axis must keep its position in the list.
int axis_alone(const TransformStep& fft, const Layout& other_end, int otherwise) {
  if (fft.keeps_numbers())
    for (const AxisStep& axis : fft.axes)
      if (!other_end.axis_is_local(axis.axis)) return axis.axis;
  return otherwise;
}

TransformStep only(const TransformStep& fft, int axis) {
  TransformStep alone;
  for (const AxisStep& a : fft.axes)
    if (a.axis == axis) alone.axes = {a};
  return alone;
}

/// A transform behind a reshape.
LocalTransform transform_behind(const TransformStep& fft, const State& before, const State& after) {
  LocalTransform local{fft, before, after};
  local.preserve_input = false;  // received data is read once
  return local;
}

/// The reshape behind (sender) or before (receiver) the transform at `at`, with `fft` as its only transform.
Joined next_to(const Program& program, std::size_t at, ChunkEnds end, const TransformStep& fft) {
  const std::vector<State>& states = program.states;
  const State &before = states[at], &after = states[at + 1];
  const bool whole = fft.axes.size() == std::get<TransformStep>(program.steps[at]).axes.size();
  if (end == ChunkEnds::sender)
    return {
        0, after, states[at + 2], LocalTransform{fft, whole ? before : state_after(reversed(fft), after), after}, {}};
  return {0, states[at - 1], before, {}, transform_behind(fft, before, whole ? after : state_after(fft, before))};
}

}  // namespace

int reshapes(const Program& program) {
  return static_cast<int>(std::count_if(program.steps.begin(), program.steps.end(),
                                        [](const Step& step) { return std::holds_alternative<ReshapeStep>(step); }));
}

Joined joined_around(const Program& program, std::size_t reshape, const TransformStep* before,
                     const TransformStep* after) {
  const State* const state = &program.states[reshape];
  Joined joined{static_cast<int>(reshape), state[0], state[1], {}, {}};
  if (before != nullptr) joined.before = LocalTransform{*before, state[-1], state[0]};
  if (after != nullptr) joined.after = transform_behind(*after, state[1], state[2]);
  return joined;
}

Joined joined_around(const Program& program, std::size_t reshape) {
  const auto transform = [&program](std::size_t step) {
    return step < program.steps.size() ? std::get_if<TransformStep>(&program.steps[step]) : nullptr;
  };
  return joined_around(program, reshape, reshape == 0 ? nullptr : transform(reshape - 1), transform(reshape + 1));
}

/// Whether a transform of several axes should stay whole next to a reshape. If each chunk of planes is one pass, it
/// crosses memory less often than axis by axis.
bool DeviceTarget::stays_whole(const Program& program, std::size_t at) {
  const auto& fft = std::get<TransformStep>(program.steps[at]);
  if (setup_.options.verify || !is_one_transform(fft)) return false;
  bool whole = false;
  for (const ChunkEnds end : {ChunkEnds::sender, ChunkEnds::receiver}) {
    if (end == ChunkEnds::sender ? !is_reshape(program, at + 1) : at == 0 || !is_reshape(program, at - 1)) continue;
    const Joined joined = next_to(program, at, end, fft);
    const bool cuts = offers_.cut(joined).cuts();
    if (cuts && !offers_.is_one_pass(joined)) return false;
    whole = whole || cuts;
  }
  return whole;
}

/// Next to a reshape that can be cut in chunks, one axis runs alone, and the cuts are made along the others. Planes
/// that take one pass over memory stay together. With the option verify, all axes stay together if their passes check
/// themselves and the whole can still be cut: for sums, lines of the vendor's library are read twice more.
std::vector<std::vector<int>> DeviceTarget::groups(const Program& program, int step) {
  const auto at = static_cast<std::size_t>(step);
  const auto& fft = std::get<TransformStep>(program.steps[at]);
  const std::vector<int> axes = fft.numbers();
  if (axes.size() < 2 || one_array()) return {axes};
  const auto others = [&axes](int axis) {
    std::vector<int> rest = axes;
    std::erase(rest, axis);
    return rest;
  };
  const auto stores = [&](std::size_t reshape) {
    return reshape > 0 && is_reshape(program, reshape) && offers_.stores(joined_around(program, reshape));
  };
  if (stores(at + 1) || (at > 0 && stores(at - 1)) || stays_whole(program, at)) return {axes};
  const bool together = setup_.options.verify && checks_itself(program, step);
  const auto cuts = [&](ChunkEnds end, const TransformStep& of) {
    return offers_.cut(next_to(program, at, end, of)).cuts();
  };
  // Without a line pass, an axis alone is as slow as all of them in one call of the vendor's library.
  const auto runs_alone = [&](ChunkEnds end, const TransformStep& alone) {
    const bool behind = end == ChunkEnds::sender && fft.kind() != Kind::c2r;  // c2r ends with its halved axis
    const State& there = program.states[behind ? at + 1 : at];
    return cuts(end, alone) && (line_pass_fits_all(alone, there) || !cuts(end, fft));
  };
  if (is_reshape(program, at + 1)) {  // runs last
    if (together && cuts(ChunkEnds::sender, fft)) return {axes};
    const TransformStep alone = only(fft, axis_alone(fft, program.states[at + 2].layout, axes.front()));
    const int axis = alone.axes.front().axis;
    if (runs_alone(ChunkEnds::sender, alone)) return {{axis}, others(axis)};
  } else if (at > 0 && is_reshape(program, at - 1)) {  // runs first
    if (together && cuts(ChunkEnds::receiver, fft)) return {axes};
    const TransformStep alone = only(fft, axis_alone(fft, program.states[at - 1].layout, axes.back()));
    const int axis = alone.axes.front().axis;
    if (alone.keeps_numbers() && runs_alone(ChunkEnds::receiver, alone)) return {others(axis), {axis}};
  }
  return {axes};
}

Fusion DeviceTarget::fusion(const Program& program, const std::vector<int>& steps, std::size_t at) {
  int reshape = steps[at];
  if (!std::holds_alternative<ReshapeStep>(program.steps[static_cast<std::size_t>(reshape)])) ++reshape;
  const auto cuts = [&](const ChunkedSteps& chunked) {
    const State* const state = &program.states[static_cast<std::size_t>(reshape)];
    // A transform that cannot run in the receive buffer writes the output: both buffers of the workspace are in use.
    const bool leads =
        chunked.after != nullptr && (!chunked.after->keeps_numbers() || !state[1].layout.same_as(state[2].layout));
    if (leads && steps.back() != reshape + 1) return false;
    const Joined joined = joined_around(program, static_cast<std::size_t>(reshape), chunked.before, chunked.after);
    return offers_.stores(joined) || offers_.cut(joined).cuts();
  };
  return {pipelined_steps(program, steps, at, cuts), true};
}

/// Whether a plan in place begins with one own pass in pieces, which runs inside the array of input and output. That
/// array has room for both, and all messages leave from it.
bool DeviceTarget::begins_in_place(const Program& program) {
  if (!setup_.options.in_place || one_array() || !is_reshape(program, 1)) return false;
  const auto* const fft = std::get_if<TransformStep>(&program.steps.front());
  return fft != nullptr && fft->keeps_numbers() && program.states[0].layout.same_as(program.states[1].layout) &&
         offers_.is_one_pass(next_to(program, 0, ChunkEnds::sender, *fft));
}

/// Lets a transform behind a reshape write the result from the workspace, if the reshape itself should not write into
/// the result: in a plan in place, over input data that is still to be sent.
bool DeviceTarget::in_place(const Program& program, int step) {
  const auto at = static_cast<std::size_t>(step);
  if (!Target::in_place(program, step) || !program.states[at].layout.same_as(program.states[at + 1].layout))
    return false;
  if (at == 0 || !is_reshape(program, at - 1)) return true;
  int later = 0;  // later arrays; every other one is in the result
  for (int next = step + 1; next < static_cast<int>(program.steps.size()); ++next)
    later += Target::in_place(program, next) ? 0 : 1;
  if (setup_.options.in_place && at == 1 && later % 2 == 0 && (later == 0 || setup_.way.room != Spare::fast))
    return false;
  if (later > 0) return true;
  return at != 2 || !begins_in_place(program);
}

/// All ranks must decide alike, because the data that they send each other may be scaled already.
bool DeviceTarget::scales_free(const Program& program, int step) {
  const auto at = static_cast<std::size_t>(step);
  return team_.all_of([&](const Member& member) {
    FftSpec spec = fft_spec(std::get<TransformStep>(program.steps[at]), program.states[at], program.states[at + 1],
                            member.rank, setup_.precision);
    if (one_array()) return plan_fft_in_place(spec).scales_free();
    for (const bool kept : {false, true}) {  // the caller decides later
      spec.preserve_input = kept;
      if (!plan_fft(spec).scales_free()) return false;
    }
    return true;
  });
}

}  // namespace shardfft::gpu
