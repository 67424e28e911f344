// Programs of axes beyond 2^31 and 2^40, on paper: every state is the whole array, every reshape loses nothing.
#include <gtest/gtest.h>

#include "algorithm/algorithm.hpp"
#include "schedule_check.hpp"
#include "shardfft/error.hpp"
#include "support/problem.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

constexpr std::int64_t large = std::int64_t{1} << 30;

void check_program(const Program& program) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i) + ", " + step_name(program.steps[i]));
    const Layout &before = program.states[i].layout, &after = program.states[i + 1].layout;
    if (std::holds_alternative<ReshapeStep>(program.steps[i])) check_balance(before, after);
    if (const auto* fft = std::get_if<TransformStep>(&program.steps[i]))
      for (const AxisStep& a : fft->axes) {
        EXPECT_EQ(a.in, before.shape()[to_size(a.axis)]);
        EXPECT_EQ(a.out, after.shape()[to_size(a.axis)]);
        EXPECT_TRUE(before.axis_is_local(a.axis));
      }
    if (!std::holds_alternative<ViewStep>(program.steps[i])) continue;
    for (int r = 0; r < before.ranks(); ++r) EXPECT_EQ(before.count(r), after.count(r));
  }
  const Layout& end = program.states.back().layout;
  std::int64_t whole = 1, parts = 0;
  for (const std::int64_t n : end.shape()) whole *= n;
  for (int r = 0; r < end.ranks(); ++r) parts += end.count(r);
  EXPECT_EQ(parts, whole);
}

/// Returns how many algorithms make programs of it.
int check_all_algorithms(const Layout& input) {
  int made = 0;
  for (const std::string& algorithm : algorithm_names())
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      SCOPED_TRACE(algorithm + " of " + input.describe() + (kind == Kind::r2c ? ", real" : ""));
      try {
        check_program(make_program(algorithm, problem_of(kind, input)));
        ++made;
      } catch (const Error& e) {
        EXPECT_TRUE(e.code() == Status::unsupported || e.code() == Status::invalid_argument) << e.what();
      }
    }
  return made;
}

TEST(ProgramsLarge, OneAxis) {
  for (const std::int64_t n : {2 * large, 2 * large + 11, 1024 * large, 1024 * large + 6, 720 * large})
    for (const int ranks : {1, 2, 3, 8}) {
      EXPECT_GE(check_all_algorithms(Layout::slab({n}, ranks)), 6);
      EXPECT_GE(check_all_algorithms(Layout::cyclic({n}, {ranks})), 6);
    }
}

TEST(ProgramsLarge, LongAndShortAxes) {
  for (const Shape& shape : {Shape{3 * large, 6, 4}, Shape{6, 1024 * large, 4}, Shape{8, 4, 1024 * large + 1},
                             Shape{2 * large + 11, 1 << 20}, Shape{1 << 18, 1 << 18, 1 << 18}})
    for (const int ranks : {1, 2, 6, 8}) {
      EXPECT_GE(check_all_algorithms(Layout::slab(shape, ranks)), 8);
      EXPECT_GE(check_all_algorithms(Layout::brick(shape, process_grid(ranks, shape.size()))), 8);
      EXPECT_GE(check_all_algorithms(Layout::cyclic(shape, process_grid(ranks, shape.size()))), 8);
    }
}

}  // namespace
}  // namespace shardfft::test
