#pragma once
// Problems as plans pose them, of whole transforms in one line.
#include <numeric>
#include <vector>

#include "algorithm/algorithm.hpp"

namespace shardfft::test {

/// `axes` count as users do, from 0; none are all.
inline Problem problem_of(Kind kind, const Layout& input, const std::vector<int>& axes = {}, std::int64_t batch = 1) {
  Problem p;
  p.kind = kind;
  p.input = input.with_batch(batch);
  p.axes = axes;
  if (axes.empty()) {
    p.axes.resize(input.shape().size());
    std::iota(p.axes.begin(), p.axes.end(), 0);
  }
  for (int& a : p.axes) ++a;
  return p;
}

}  // namespace shardfft::test
