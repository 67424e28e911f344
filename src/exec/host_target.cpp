#include "exec/host_target.hpp"

#include <algorithm>
#include <numeric>

#include "exec/chunking.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

template <class S>
const S* step_at(const Program& program, int step) {
  return std::get_if<S>(&program.steps[static_cast<std::size_t>(step)]);
}
const State& state_at(const Program& program, int state) { return program.states[static_cast<std::size_t>(state)]; }

/// Walks over the steps that move something. With a view in between, two steps count other axes and cannot be joined.
class Steps {
 public:
  Steps(const Program& program, const std::vector<int>& steps) : program_(program), steps_(steps) {}
  bool is_fft(std::size_t i) const {
    return i < steps_.size() && step_at<TransformStep>(program_, steps_[i]) != nullptr;
  }
  bool is_reshape(std::size_t i) const {
    return i < steps_.size() && step_at<ReshapeStep>(program_, steps_[i]) != nullptr;
  }
  bool joins_next(std::size_t i) const { return i + 1 < steps_.size() && steps_[i] + 1 == steps_[i + 1]; }
  /// Whether the transform `i` should be left to the reshapes behind it, because one of them would otherwise have none.
  bool wanted_by_next(std::size_t i) const {
    for (std::size_t reshape = i + 1; joins_next(reshape - 1) && is_reshape(reshape); reshape += 2)
      if (!joins_next(reshape) || !is_fft(reshape + 1)) return true;
    return false;
  }

 private:
  const Program& program_;
  const std::vector<int>& steps_;
};

}  // namespace

/// Libraries walk through a large array once for each of three axes and more, with the strides of the slowest; in two
/// steps, planes and then lines, each step can run in bundles that stay in cache. Where the axis that is contiguous in
/// memory is none of them, a plane would take one number out of every row: lines then, which come in bundles of
/// neighbours.
std::vector<std::vector<int>> HostTarget::groups(const State& state, const std::vector<int>& axes) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : state.layout.shape()) elements *= extent;
  const bool rows = std::find(axes.begin(), axes.end(), state.layout.order().back()) != axes.end();
  if (elements < host_defaults().elements_beyond_own_cache || (rows && axes.size() < 3)) return {axes};
  if (rows) return {{axes.front()}, {axes.begin() + 1, axes.end()}};
  std::vector<std::vector<int>> lines;
  for (const int axis : axes) lines.push_back({axis});
  return lines;
}

/// Whole rows of the fastest axis travel, and the lines of one index of the axis that is cut anew lie together.
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
  if (host_ == nullptr) return false;
  const State &from = state_at(program, step), &to = state_at(program, step + 1);
  const bool here = host_->holds(exchange_group(from.layout, to.layout, setup_.comm.rank()));
  return setup_.comm.min(std::int64_t{here ? 1 : 0}) == 1;
}

bool HostTarget::has_messages(const State& from, const State& to) const {
  const auto group = static_cast<std::int64_t>(exchange_group(from.layout, to.layout, setup_.comm.rank()).size());
  return setup_.comm.max(group) > 1;
}

/// With chunks: a reshape and the transforms at its ends, behind which its messages are hidden. 1 where there are none.
int HostTarget::pipelined_steps(const Program& program, const std::vector<int>& steps, std::size_t at) const {
  const Steps walk(program, steps);
  const bool fft_first = walk.is_fft(at);
  const std::size_t reshape = fft_first ? at + 1 : at;
  if (!walk.is_reshape(reshape) || (fft_first && !walk.joins_next(at))) return 1;
  std::size_t last = reshape;
  if (walk.joins_next(reshape) && walk.is_fft(reshape + 1) && !(fft_first && walk.wanted_by_next(reshape + 1))) ++last;
  const State &from = state_at(program, steps[reshape]), &to = state_at(program, steps[reshape] + 1);
  const ChunkedSteps chunked{from.layout, to.layout, fft_first ? step_at<TransformStep>(program, steps[at]) : nullptr,
                             last > reshape ? step_at<TransformStep>(program, steps[last]) : nullptr};
  if (!choose_chunking(chunked, setup_.options.chunks).cuts() || !has_messages(from, to)) return 1;
  return static_cast<int>(last - at) + 1;
}

Fusion HostTarget::fusion(const Program& program, const std::vector<int>& steps, std::size_t at) {
  const Steps walk(program, steps);
  if (host_ != nullptr) {
    const bool gathers = walk.is_reshape(at) && walk.joins_next(at) && walk.is_fft(at + 1);
    return gathers && stays_on_hosts(program, steps[at]) ? Fusion{2, false} : Fusion{};
  }
  if (setup_.options.chunks < 2 || setup_.comm.size() < 2) return {};
  return {pipelined_steps(program, steps, at), true};
}

}  // namespace shardfft
