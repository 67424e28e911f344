#include "gpu/pass/own_points.hpp"

#include <algorithm>

#include "algorithm/program.hpp"
#include "base/check.hpp"
#include "local/loops.hpp"

namespace shardfft::gpu {

namespace {

bool in_near_equal_runs(const std::vector<Progression>& parts, std::int64_t n) {
  const auto runs = static_cast<std::int64_t>(parts.size());
  for (std::int64_t i = 0; i < runs; ++i)
    if (!(parts[static_cast<std::size_t>(i)] == block_part(n, runs, i))) return false;
  return true;
}

bool is_within(const Progression& inner, const Progression& outer) {
  return inner.stride == 1 && outer.stride == 1 && inner.first >= outer.first && inner.last() <= outer.last();
}

/// The first axis of a transform that is cut in the layout at the other end; its first axis where none is.
int cut_axis(const TransformStep& step, const Layout& beyond) {
  for (const AxisStep& axis : step.axes)
    if (!beyond.axis_is_local(axis.axis)) return axis.axis;
  return step.axes.front().axis;
}

}  // namespace

std::int64_t OwnPoints::stride_there(const Loop& loop) const {
  const auto found =
      std::find_if(others.begin(), others.end(), [&](const Strides& axis) { return axis.here == stride_here(loop); });
  require(found != others.end(), "a loop of a pass is no axis of what is next to the reshape");
  return found->there;
}

std::int64_t OwnPoints::offset_bytes(Precision precision) const {
  return offset * static_cast<std::int64_t>(ElementType{precision, true}.bytes());
}

std::optional<OwnPoints> own_points(const TransformStep& step, const Piece& here, const Layout& beyond, int rank,
                                    OwnPoints::Side side) {
  if (step.axes.empty() || !beyond.is_grid() || here.set.empty()) return std::nullopt;
  const int line = cut_axis(step, beyond);
  const auto l = static_cast<std::size_t>(line);
  const Piece there = only_piece(beyond, rank);
  const std::vector<Progression>& parts = beyond.parts(line);
  const std::int64_t n = here.set.axis[l].count;
  if (there.set.empty() || parts.size() < 2 || parts.size() > device::lines::max_owners ||
      n < 2 * static_cast<std::int64_t>(parts.size()) || !in_near_equal_runs(parts, n))
    return std::nullopt;
  OwnPoints own;
  own.side = side;
  own.runs = static_cast<int>(parts.size());
  own.run = static_cast<int>(std::find(parts.begin(), parts.end(), there.set.axis[l]) - parts.begin());
  own.offset = there.offset;
  own.line = {here.stride[l], there.stride[l]};
  for (int axis = 0; axis < here.set.axes; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (axis == line) continue;
    const Progression &mine = here.set.axis[a], &theirs = there.set.axis[a];
    if (!is_within(mine, theirs)) return std::nullopt;
    own.offset += (mine.first - theirs.first) * there.stride[a];
    if (mine.count > 1) own.others.push_back({here.stride[a], there.stride[a]});
  }
  return own;
}

Loops merged_loops(Loops batch, const OwnPoints* own) {
  std::erase_if(batch, [](const Loop& loop) { return loop.count == 1; });
  merge_loops(batch, [own](const Loop& outer, const Loop& inner) {
    return outer.from == inner.count * inner.from && outer.to == inner.count * inner.to &&
           (own == nullptr || own->stride_there(outer) == inner.count * own->stride_there(inner));
  });
  return batch;
}

void share(device::lines::Side& side, int n, const OwnPoints& own, std::int64_t outer_stride) {
  const device::lines::Part rest = side.part[0];
  side.block = (n + own.runs - 1) / own.runs;
  if (n % own.runs != 0) side.whole_owners = n % own.runs;
  for (int q = 0; q < own.runs; ++q) side.part[static_cast<std::size_t>(q)] = rest;
  side.part[static_cast<std::size_t>(own.run)] = {nullptr, own.line.there, outer_stride};
}

void place(device::lines::Side& side, int n, const OwnPoints& own, Precision precision, std::byte* others,
           std::byte* beyond) {
  const auto bytes = static_cast<std::int64_t>(ElementType{precision, true}.bytes());
  for (int q = 0; q < own.runs; ++q) {
    device::lines::Part& part = side.part[static_cast<std::size_t>(q)];
    part.base = q == own.run ? beyond + own.offset_bytes(precision)
                             : others + device::lines::owner_begin(side, n, q) * part.line_stride * bytes;
  }
}

}  // namespace shardfft::gpu
