#pragma once
// Plans on GPUs with a tolerance: how far their results are from the reference, and what their reports tell.
#include "support/device_check.hpp"

namespace shardfft::test {

/// Sums of squares over the members here: of errors, and of what is expected.
struct Distance {
  double error = 0, norm = 0;
};

/// Of one run.
inline Distance distance_of(const Members& members, const TransformCase& c, Direction direction) {
  std::vector<CallArrays> arrays = make_arrays(members, c, direction, "device", false);
  const WholeArrays whole = whole_arrays(c, direction, arrays.front().from_side.element, 3);
  run_arrays(members, arrays, direction, whole);
  Distance sum;
  for (CallArrays& a : arrays) {
    a.out.get(a.host_out.data());
    for (std::int64_t f = 0; f < c.options.batch; ++f)
      for_own_elements(a.to_side, f, [&](std::int64_t at, std::int64_t i) {
        const Value wanted = whole.output[to_size(f)][to_size(i)];
        sum.error += std::norm(a.host_out.get(at) - wanted);
        sum.norm += std::norm(wanted);
      });
  }
  return sum;
}

/// What the report says of the tolerance.
inline std::string chosen_for_tolerance(const PlanReport& report) {
  for (const Choice& choice : report.choices)
    if (choice.what == "tolerance") return choice.chosen;
  return "";
}

/// `relative` is the error of all ranks' results.
inline void check_told(const PlanReport& report, const TransformCase& c, Direction direction, double relative) {
  const double rounding = 40 * epsilon(c.precision);
  const PlanReport::Program& program = direction == Direction::forward ? report.forward : report.backward;
  EXPECT_LE(relative, c.options.tolerance + rounding) << report;
  EXPECT_LE(program.error, c.options.tolerance) << report;
  EXPECT_LE(relative, 1.5 * program.error + rounding) << report;
  const bool is_short = chosen_for_tolerance(report).find("bytes a number") != std::string::npos;
  EXPECT_TRUE(is_short || program.error == 0) << report;
}

}  // namespace shardfft::test
