#pragma once
// Random pairs of boxes that walk the same elements, each with its own memory order, gaps and merges.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "geometry/schedule.hpp"

namespace shardfft::kit {

using Random = std::mt19937_64;

inline std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// Places axes of `counts` in an array: in a random memory order, with random gaps when `gaps`; merges neighbours
/// that are contiguous when `merge`. Returns the box, and in `extent` how many elements the array needs.
inline Box place(Random& random, const std::vector<std::int64_t>& counts, bool shuffle, bool gaps, bool merge,
                 std::int64_t& extent) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (shuffle) std::shuffle(order.begin(), order.end(), random);
  std::vector<std::int64_t> stride(counts.size());
  std::int64_t next = gaps ? pick(random, 1, 2) : 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    stride[order[i]] = next;
    next *= counts[order[i]];
    if (gaps && pick(random, 0, 2) == 0) next += pick(random, 1, 5);
  }
  Box box;
  box.offset = pick(random, 0, 3);
  extent = box.offset + next + 1;
  for (std::size_t a = 0; a < counts.size(); ++a) {
    if (counts[a] == 1) continue;
    const auto last = static_cast<std::size_t>(box.axes - 1);
    if (merge && box.axes > 0 && box.stride[last] == counts[a] * stride[a]) {
      box.count[last] *= counts[a];
      box.stride[last] = stride[a];
      continue;
    }
    box.count[static_cast<std::size_t>(box.axes)] = counts[a];
    box.stride[static_cast<std::size_t>(box.axes)] = stride[a];
    ++box.axes;
  }
  return box;
}

/// Offset of element `i` in the packed order of `box`: the definition that the fast code must meet.
inline std::int64_t offset_of(const Box& box, std::int64_t i) {
  std::int64_t offset = box.offset;
  for (int a = box.axes - 1; a >= 0; --a) {
    const auto axis = static_cast<std::size_t>(a);
    offset += i % box.count[axis] * box.stride[axis];
    i /= box.count[axis];
  }
  return offset;
}

}  // namespace shardfft::kit
