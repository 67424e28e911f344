#include "pack/loop_nest.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace shardfft {

namespace {

/// Returns the axes of a box from the fastest to the slowest, in parts as small as the other side needs.
class AxisReader {
 public:
  explicit AxisReader(const Box& box) : box_(box), axis_(box.axes) { next(); }
  bool done() const { return left_ == 1 && axis_ == 0; }
  std::int64_t left() const { return left_; }
  /// Takes `count` elements of the present axis and returns their stride.
  std::int64_t take(std::int64_t count) {
    const std::int64_t stride = stride_;
    stride_ *= count;
    left_ /= count;
    if (left_ == 1) next();
    return stride;
  }

 private:
  void next() {
    while (axis_ > 0 && left_ == 1) {
      --axis_;
      left_ = box_.count[static_cast<std::size_t>(axis_)];
      stride_ = box_.stride[static_cast<std::size_t>(axis_)];
    }
  }

  const Box& box_;
  int axis_;
  std::int64_t left_ = 1;
  std::int64_t stride_ = 0;
};

/// Sorts from the largest stride to the smallest, and keeps the order of equal ones. std::stable_sort would allocate
/// memory, and copies are made in the middle of runs.
void sort_by_target(LoopNest& nest) {
  const auto begin = nest.loop.begin();
  for (auto next = begin; next != begin + nest.depth; ++next)
    std::rotate(std::upper_bound(begin, next, *next, [](const Loop& a, const Loop& b) { return a.to > b.to; }), next,
                next + 1);
}

void merge_neighbours(LoopNest& nest) {
  int kept = 0;
  for (int i = nest.depth - 1; i >= 0; --i) {
    const Loop next = nest.loop[static_cast<std::size_t>(i)];
    Loop* inner = kept > 0 ? &nest.loop[nest.loop.size() - static_cast<std::size_t>(kept)] : nullptr;
    if (inner != nullptr && next.from == inner->from * inner->count && next.to == inner->to * inner->count) {
      inner->count *= next.count;
    } else {
      ++kept;
      nest.loop[nest.loop.size() - static_cast<std::size_t>(kept)] = next;
    }
  }
  std::copy(nest.loop.end() - kept, nest.loop.end(), nest.loop.begin());
  nest.depth = kept;
}

}  // namespace

std::int64_t LoopNest::elements() const {
  if (empty) return 0;
  std::int64_t product = 1;
  for (int i = 0; i < depth; ++i) product *= loop[static_cast<std::size_t>(i)].count;
  return product;
}

LoopNest LoopNest::cut(int index, std::int64_t begin, std::int64_t end) const {
  LoopNest part = *this;
  Loop& l = part.loop[static_cast<std::size_t>(index)];
  part.from_offset += begin * l.from;
  part.to_offset += begin * l.to;
  l.count = end - begin;
  part.empty = empty || end <= begin;
  return part;
}

LoopNest common_refinement(const Box& from, const Box& to) {
  LoopNest nest;
  nest.from_offset = from.offset;
  nest.to_offset = to.offset;
  const std::int64_t elements = from.elements();
  if (elements != to.elements()) fail(Status::internal, "copy between boxes of ", elements, " and ", to.elements());
  nest.empty = elements == 0;
  if (nest.empty) return nest;
  AxisReader source(from);
  AxisReader target(to);
  while (!source.done() && !target.done()) {
    const std::int64_t count = std::min(source.left(), target.left());
    if (source.left() % count != 0 || target.left() % count != 0)
      fail(Status::internal, "boxes of one copy have axes of ", source.left(), " and ", target.left(), " elements");
    if (nest.depth == static_cast<int>(nest.loop.size())) fail(Status::internal, "too many axes in one copy");
    nest.loop[static_cast<std::size_t>(nest.depth++)] = {count, source.take(count), target.take(count)};
  }
  sort_by_target(nest);
  merge_neighbours(nest);
  return nest;
}

}  // namespace shardfft
