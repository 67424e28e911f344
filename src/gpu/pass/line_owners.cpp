#include "gpu/pass/line_owners.hpp"

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

/// The first axis of a transform that is cut in the layout at the other end; if none is cut, its first axis.
int cut_axis(const TransformStep& step, const Layout& other_end) {
  for (const AxisStep& axis : step.axes)
    if (!other_end.axis_is_local(axis.axis)) return axis.axis;
  return step.axes.front().axis;
}

/// The run along `line` that a rank's piece `there` has, for the lines of `here`; none if the piece does not have that
/// run of all lines.
std::optional<LineOwners::Run> run_of(const Piece& here, const Piece& there, int line) {
  LineOwners::Run run;
  run.offset = there.offset;
  run.line = there.stride[static_cast<std::size_t>(line)];
  for (int axis = 0; axis < here.set.axes; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (axis == line) continue;
    const Progression &mine = here.set.axis[a], &theirs = there.set.axis[a];
    if (!is_within(mine, theirs)) return std::nullopt;
    run.offset += (mine.first - theirs.first) * there.stride[a];
    if (mine.count > 1) run.others.push_back(there.stride[a]);
  }
  return run;
}

}  // namespace

LineOwners LineOwners::only(int rank) const {
  LineOwners of_rank = *this;
  std::erase_if(of_rank.direct, [rank](const Run& run) { return run.rank != rank; });
  return of_rank;
}

std::int64_t LineOwners::stride_there(const Loop& loop, const Run& run) const {
  const auto found = std::find(others.begin(), others.end(), stride_here(loop));
  require(found != others.end(), "a loop of a pass is no axis of the array next to the reshape");
  return run.others[static_cast<std::size_t>(found - others.begin())];
}

std::int64_t offset_bytes(const LineOwners::Run& run, Precision precision) {
  return run.offset * static_cast<std::int64_t>(ElementType{precision, true}.bytes());
}

std::optional<LineOwners> line_owners(const TransformStep& step, const Piece& here, const Layout& other_end,
                                      LineOwners::Side side) {
  return line_owners(step, here, other_end, side, [&other_end](int rank) { return only_piece(other_end, rank); });
}

std::optional<LineOwners> line_owners(const TransformStep& step, const Piece& here, const Layout& other_end,
                                      LineOwners::Side side, const std::function<Piece(int)>& there) {
  if (step.axes.empty() || !other_end.is_grid() || here.set.empty()) return std::nullopt;
  const int line = cut_axis(step, other_end);
  const auto l = static_cast<std::size_t>(line);
  const std::vector<Progression>& parts = other_end.parts(line);
  const std::int64_t n = here.set.axis[l].count;
  if (parts.size() < 2 || parts.size() > device::lines::max_owners || n < 2 * static_cast<std::int64_t>(parts.size()) ||
      !in_near_equal_runs(parts, n))
    return std::nullopt;
  LineOwners owners;
  owners.side = side;
  owners.runs = static_cast<int>(parts.size());
  owners.line = here.stride[l];
  for (int axis = 0; axis < here.set.axes; ++axis)
    if (axis != line && here.set.axis[static_cast<std::size_t>(axis)].count > 1)
      owners.others.push_back(here.stride[static_cast<std::size_t>(axis)]);
  for (int rank = 0; rank < other_end.ranks(); ++rank) {
    const Piece theirs = there(rank);
    if (theirs.set.empty()) continue;
    std::optional<LineOwners::Run> run = run_of(here, theirs, line);
    if (!run) continue;
    run->number = static_cast<int>(std::find(parts.begin(), parts.end(), theirs.set.axis[l]) - parts.begin());
    run->rank = rank;
    owners.direct.push_back(std::move(*run));
  }
  std::sort(owners.direct.begin(), owners.direct.end(),
            [](const LineOwners::Run& a, const LineOwners::Run& b) { return a.number < b.number; });
  return owners;
}

Loops merged_loops(Loops batch, const LineOwners* owners) {
  std::erase_if(batch, [](const Loop& loop) { return loop.count == 1; });
  const auto continues_there = [owners](const Loop& outer, const Loop& inner) {
    return owners == nullptr ||
           std::all_of(owners->direct.begin(), owners->direct.end(), [&](const LineOwners::Run& run) {
             return owners->stride_there(outer, run) == inner.count * owners->stride_there(inner, run);
           });
  };
  merge_loops(batch, [&](const Loop& outer, const Loop& inner) {
    return outer.from == inner.count * inner.from && outer.to == inner.count * inner.to &&
           continues_there(outer, inner);
  });
  return batch;
}

void share(device::lines::Side& side, int n, const LineOwners& owners, const Loop* outer, std::int64_t otherwise) {
  const device::lines::Part rest = side.part[0];
  side.block = (n + owners.runs - 1) / owners.runs;
  if (n % owners.runs != 0) side.whole_owners = n % owners.runs;
  for (int q = 0; q < owners.runs; ++q) side.part[static_cast<std::size_t>(q)] = rest;
  for (const LineOwners::Run& run : owners.direct)
    side.part[static_cast<std::size_t>(run.number)] = {nullptr, run.line,
                                                       outer != nullptr ? owners.stride_there(*outer, run) : otherwise};
}

void place(device::lines::Side& side, int n, const LineOwners& owners, Precision precision, std::byte* own,
           std::span<std::byte* const> direct_arrays) {
  const auto bytes = static_cast<std::int64_t>(ElementType{precision, true}.bytes());
  for (int q = 0; q < owners.runs; ++q) {
    device::lines::Part& part = side.part[static_cast<std::size_t>(q)];
    part.base = own + device::lines::owner_begin(side, n, q) * part.line_stride * bytes;
  }
  for (std::size_t i = 0; i < owners.direct.size(); ++i)
    side.part[static_cast<std::size_t>(owners.direct[i].number)].base =
        direct_arrays[i] + offset_bytes(owners.direct[i], precision);
}

}  // namespace shardfft::gpu
