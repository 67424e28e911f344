#include "exec/host_target.hpp"

#include <algorithm>
#include <numeric>

#include "exec/movement.hpp"
#include "schedule/pieces.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

template <class S>
const S* step_at(const Program& program, int step) {
  return std::get_if<S>(&program.steps[static_cast<std::size_t>(step)]);
}
const State& state_at(const Program& program, int state) { return program.states[static_cast<std::size_t>(state)]; }
/// Whether there is a steps[i] that comes right behind the one before it.
bool follows(const std::vector<int>& steps, std::size_t i) { return i < steps.size() && steps[i - 1] + 1 == steps[i]; }

}  // namespace

/// With three and more axes, libraries walk through a large array once for each, with the strides of the slowest. In
/// two steps, planes and then lines, each step can run in bundles that stay in cache. If none of the axes is contiguous
/// in memory, a plane would take one number of every row. Then each axis is a step of lines, in bundles of neighbours.
std::vector<std::vector<int>> HostTarget::groups(const Program& program, int step) {
  const State& state = state_at(program, step);
  const std::vector<int> axes = step_at<TransformStep>(program, step)->numbers();
  if (setup_.whole_transforms) return {axes};
  std::int64_t elements = 1;
  for (const std::int64_t extent : state.layout.shape()) elements *= extent;
  const bool rows = std::find(axes.begin(), axes.end(), state.layout.order().back()) != axes.end();
  if (elements < host_defaults().elements_beyond_own_cache || (rows && axes.size() < 3)) return {axes};
  if (rows) return {{axes.front()}, {axes.begin() + 1, axes.end()}};
  std::vector<std::vector<int>> lines;
  for (const int axis : axes) lines.push_back({axis});
  return lines;
}

/// Messages get whole rows of the fastest axis. Lines with one index of the axis that is cut next are contiguous.
AxisOrder HostTarget::order_after(const Program& program, int step) {
  const Layout &from = state_at(program, step).layout, &to = state_at(program, step + 1).layout;
  if (!from.is_grid() || !to.is_grid()) return {};
  int cut = -1, whole = -1;
  for (int axis = 0; axis < from.axes(); ++axis) {
    const bool before = from.parts(axis).size() > 1, after = to.parts(axis).size() > 1;
    if (after && !before) cut = axis;
    if (before && !after) whole = axis;
  }
  if (cut < 0 || whole < 0 || cut + 1 == from.axes() || whole + 1 == from.axes()) return {};
  AxisOrder order(static_cast<std::size_t>(from.axes()));
  std::iota(order.begin(), order.end(), 0);
  order.erase(std::remove_if(order.begin(), order.end(), [&](int a) { return a == cut || a == whole; }), order.end());
  order.insert(order.begin() + 1, {cut, whole});
  return order;
}

bool HostTarget::stays_on_hosts(const Program& program, int step) const {
  return host_ != nullptr && shardfft::stays_on_hosts(setup_.comm, *host_, state_at(program, step).layout,
                                                      state_at(program, step + 1).layout);
}

/// Whether the reshape `step`, a transform and a second reshape lead back to where every element was.
bool HostTarget::leads_back(const Program& program, int step) const {
  const auto moves = [&](int s) { return step_at<ReshapeStep>(program, s) != nullptr && stays_on_hosts(program, s); };
  return step >= 0 && step + 2 < static_cast<int>(program.steps.size()) &&
         step_at<TransformStep>(program, step + 1) != nullptr && moves(step) && moves(step + 2) &&
         lie_alike(state_at(program, step), state_at(program, step + 3));
}

/// Others write into the source of a step behind such a second reshape. It lies in shared memory, where no user's
/// output needs to lie.
bool HostTarget::in_place(const Program& program, int step) {
  return Target::in_place(program, step) && (host_ == nullptr || !leads_back(program, step - 3));
}

/// Fuses a reshape and the transform after it. The next reshape too if it is the last one, or leads back to the source,
/// which then takes the results.
Fusion HostTarget::shared_fusion(const Program& program, const std::vector<int>& steps, std::size_t at) const {
  const auto moves_here = [&](std::size_t i) {
    return step_at<ReshapeStep>(program, steps[i]) != nullptr && stays_on_hosts(program, steps[i]);
  };
  if (!follows(steps, at + 1) || step_at<TransformStep>(program, steps[at + 1]) == nullptr || !moves_here(at))
    return {};
  const bool scatters =
      follows(steps, at + 2) && moves_here(at + 2) && (at + 3 == steps.size() || leads_back(program, steps[at]));
  return {scatters ? 3 : 2, false};
}

/// Whether steps[at] and the next step are a transform and the step that pads one of its axes before it, or drops the
/// padding after it. Then lines are padded in the cache, in their bundles.
bool HostTarget::pads_lines(const Program& program, const std::vector<int>& steps, std::size_t at) const {
  if (setup_.options.verify || !follows(steps, at + 1)) return false;
  for (const std::size_t i : {at, at + 1}) {
    const auto* const modes = step_at<ModesStep>(program, steps[i]);
    const auto* const fft = step_at<TransformStep>(program, steps[2 * at + 1 - i]);
    if (modes != nullptr && fft != nullptr)
      return modes->modes.points && fft->has(modes->modes.axis) &&
             modes->sign == (i == at ? Direction::backward : Direction::forward);
  }
  return false;
}

Fusion HostTarget::fusion(const Program& program, const std::vector<int>& steps, std::size_t at) {
  if (pads_lines(program, steps, at)) return {2, false};
  if (host_ != nullptr) return shared_fusion(program, steps, at);
  // Steps that run in chunks have no array in between to check.
  if (setup_.options.chunks < 2 || setup_.comm.size() < 2 || setup_.options.verify) return {};
  const auto cuts = [this](const ChunkedSteps& chunked) {
    return !possible_chunkings(chunked, setup_.options.chunks).empty() && has_messages(chunked.from, chunked.to);
  };
  return {pipelined_steps(program, steps, at, cuts), true};
}

}  // namespace shardfft
