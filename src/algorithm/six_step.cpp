// Six-step: a 1-D array as a matrix n1 x n2. Columns are transformed, twiddled and exchanged, and rows transformed; the
// result k = k1 + n1 k2 is brought back to the output's order (three exchanges, since the input is in runs).
#include "algorithm/algorithm.hpp"
#include "algorithm/builder.hpp"
#include "algorithm/digit_view.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

/// The divisor of n nearest to its square root from above, so that both factors suffice for as many ranks as possible.
std::int64_t long_factor(std::int64_t n) {
  std::int64_t best = 1;
  for (std::int64_t small = 1; small * small <= n; ++small)
    if (n % small == 0) best = small;
  return n / best;
}

Layout cut_along(const Shape& shape, int axis, int ranks, const AxisOrder& order) {
  return cut_layout(shape, {{axis, runs(shape[static_cast<std::size_t>(axis)], ranks), ranks}}, ranks, order);
}

}  // namespace

Program six_step_program(const Problem& problem) {
  require(problem.input.axes() == 2, "algorithm six_step is for 1-D arrays, this one has ", problem.input.axes() - 1,
          " axes");
  require_plain(problem, "six_step");
  const int ranks = problem.ranks();
  const std::int64_t n = problem.input.shape()[1];
  const std::int64_t n1 = long_factor(n);
  const std::int64_t n2 = n / n1;
  const bool real = problem.kind == Kind::r2c;
  ProgramBuilder builder("six_step", problem);
  if (real) builder.step(PromoteStep{}, {problem.input, true});
  // Axes from here on: batch, row (n1, later k1), column (n2, later k2).
  builder.step(ViewStep{}, {digit_view(problem.input, {{}, {n1, n2}}, false), true});
  const Shape shape{problem.input.shape()[0], n1, n2};
  builder.reshape(cut_along(shape, 2, ranks, {0, 2, 1}));
  builder.fft({1});
  builder.step(TwiddleStep{{{{2, 1, n}}}}, builder.state());
  builder.reshape(cut_along(shape, 1, ranks, {0, 1, 2}));
  builder.fft({2});
  if (real) builder.step(HalfSpectrumStep{{1, 2, n1, n}}, builder.state());
  Layout out = problem.output;
  if (!problem.fixed_output()) out = real ? problem.input.with_axis_extent(1, n / 2 + 1) : problem.input;
  builder.reshape(digit_view(out, {{}, {n2, n1}}, true));
  builder.step(ViewStep{}, {out, true});
  return builder.finish();
}

}  // namespace shardfft
