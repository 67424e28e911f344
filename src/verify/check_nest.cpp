#include "verify/check_nest.hpp"

#include <utility>

namespace shardfft {

namespace {

NestedLoop cut_loop(const CheckLoop& loop, const CheckCut& cut) {
  return {cut.count,
          loop.stride * cut.step,
          loop.unit_stride * cut.step,
          loop.unit_stride > 0 || loop.weight.empty() ? nullptr : loop.weight.data() + cut.begin,
          cut.step,
          0};
}

/// The distance in the other array of elements that are `stride` apart here; negative if there are several distances.
std::int64_t other_stride(const LoopNest& copy, CopySide side, std::int64_t stride) {
  for (int i = 0; i < copy.depth; ++i) {
    const Loop& loop = copy.loop[static_cast<std::size_t>(i)];
    const std::int64_t own = side == CopySide::from ? loop.from : loop.to;
    const std::int64_t other = side == CopySide::from ? loop.to : loop.from;
    if (stride >= own && stride < own * loop.count) return stride % own == 0 ? stride / own * other : -1;
  }
  return -1;
}

/// Whether each step of `outer` continues `inner` at its end, in all arrays.
bool go_on(const NestedLoop& outer, const NestedLoop& inner) {
  return outer.weight == nullptr && inner.weight == nullptr && outer.stride == inner.count * inner.stride &&
         outer.unit_stride == inner.count * inner.unit_stride && outer.other_stride == inner.count * inner.other_stride;
}

}  // namespace

CheckNest::CheckNest(const std::vector<CheckLoop>& loops, const std::vector<CheckCut>& cuts) {
  for (const CheckLoop& loop : loops) {
    const CheckCut whole{0, loop.n, 1};
    const CheckCut& taken = cuts.empty() ? whole : cuts[loop.loop];
    first_ += taken.begin * loop.stride;
    begins_.push_back({taken.begin, loop.stride});
    first_unit_ += taken.begin * loop.unit_stride;
    first_weight_ = taken.begin;
    loops_.push_back(cut_loop(loop, taken));
  }
}

std::vector<NestedLoop> CheckNest::merged() const {
  std::vector<NestedLoop> list;
  for (const NestedLoop& loop : loops_) {
    if (list.empty() || !go_on(list.back(), loop)) {
      list.push_back(loop);
      continue;
    }
    const std::int64_t count = list.back().count * loop.count;
    list.back() = loop;
    list.back().count = count;
  }
  return list;
}

bool CheckNest::join(const LoopNest& copy, CopySide side, CopyOf what) {
  CheckNest joined = *this;
  joined.joined_ = true;
  joined.other_first_ = 0;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const NestedLoop& loop = loops_[i];
    std::int64_t& stride = joined.loops_[i].other_stride;
    stride = loop.count > 1 ? other_stride(copy, side, loop.stride) : 0;
    if (stride < 0 || (joined_ && stride != loop.other_stride)) return false;
    const auto& [begin, step] = begins_[i];
    if (what == CopyOf::array && begin > 0) joined.other_first_ += begin * other_stride(copy, side, step);
  }
  if (joined_ && joined.other_first_ != other_first_) return false;
  *this = std::move(joined);
  return true;
}

}  // namespace shardfft
