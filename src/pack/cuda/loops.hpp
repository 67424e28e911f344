#pragma once
// The common refinement of two boxes: one list of loops with a stride on either side. Pure arithmetic.
#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.hpp"
#include "reshape/schedule.hpp"

namespace shardfft::cuda {

struct Loops {
  static constexpr int most = 8;
  int axes = 0;  ///< axis 0 is the slowest; the last one is the fastest on the destination or the source or both
  std::int64_t count[most], from[most], to[most];

  void push_front(std::int64_t n, std::int64_t f, std::int64_t t) {
    if (n == 1) return;
    if (axes > 0 && f == from[0] * count[0] && t == to[0] * count[0]) {  // continues the loop inside: one longer loop
      count[0] *= n;
      return;
    }
    if (axes == most) fail(Status::internal, "a copy of more than ", most, " loops");
    std::copy_backward(count, count + axes, count + axes + 1);
    std::copy_backward(from, from + axes, from + axes + 1);
    std::copy_backward(to, to + axes, to + axes + 1);
    count[0] = n;
    from[0] = f;
    to[0] = t;
    ++axes;
  }
};

/// Walks both boxes from their fastest axes and cuts each axis where the other one ends.
inline Loops common_loops(const Box& from, const Box& to) {
  Loops loops;
  int i = from.axes - 1, j = to.axes - 1;
  std::int64_t done_i = 1, done_j = 1;  // points of the current axes that are already used up
  while (i >= 0 || j >= 0) {
    const auto a = static_cast<std::size_t>(std::max(i, 0)), b = static_cast<std::size_t>(std::max(j, 0));
    const std::int64_t left_i = i >= 0 ? from.count[a] / done_i : 1, left_j = j >= 0 ? to.count[b] / done_j : 1;
    const std::int64_t n = i < 0 ? left_j : j < 0 ? left_i : std::gcd(left_i, left_j);
    if (n == 1 && left_i != 1 && left_j != 1) fail(Status::internal, "boxes whose axes do not divide each other");
    loops.push_front(n, i >= 0 ? from.stride[a] * done_i : 0, j >= 0 ? to.stride[b] * done_j : 0);
    done_i *= n;
    done_j *= n;
    if (i >= 0 && done_i == from.count[a]) --i, done_i = 1;
    if (j >= 0 && done_j == to.count[b]) --j, done_j = 1;
  }
  return loops;
}

}  // namespace shardfft::cuda
