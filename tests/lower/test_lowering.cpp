// The passes of lowering, for targets that answer as a test wants.
#include <gtest/gtest.h>

#include "algorithm/algorithm.hpp"
#include "lower/fused_task.hpp"
#include "lower/orders.hpp"
#include "lower/transforms.hpp"
#include "support/problem.hpp"

namespace shardfft::test {
namespace {

class FakeTarget : public Target {
 public:
  std::vector<std::vector<int>> wanted_groups;
  AxisOrder wanted_order;
  int fused_from = -1;
  Fusion wanted_fusion;
  std::vector<int> not_free;

  std::vector<std::vector<int>> groups(const Program& program, int step) override {
    const std::vector<int> axes = Target::groups(program, step).front();
    std::vector<int> all;
    for (const auto& group : wanted_groups) all.insert(all.end(), group.begin(), group.end());
    return all == axes ? wanted_groups : std::vector<std::vector<int>>{axes};
  }
  AxisOrder order_after(const Program& /*program*/, int /*step*/) override { return wanted_order; }
  Fusion fusion(const Program& /*program*/, const std::vector<int>& steps, std::size_t at) override {
    return steps[at] == fused_from ? wanted_fusion : Fusion{};
  }
  bool scales_free(const Program& /*program*/, int step) override {
    return std::find(not_free.begin(), not_free.end(), step) == not_free.end();
  }
};

TransformStep fft_at(const Program& program, std::size_t step) {
  return std::get<TransformStep>(program.steps.at(step));
}

TEST(Lowering, CutsTransformsInGroups) {
  FakeTarget target;
  target.wanted_groups = {{1}, {2, 3}};
  const Program whole = make_program("slab", problem_of(Kind::r2c, Layout::slab({8, 6, 10}, 1)));
  ASSERT_EQ(whole.steps.size(), 1U);
  const Program forward = cut_transforms(whole, target);
  ASSERT_EQ(forward.steps.size(), 2U);
  EXPECT_EQ(fft_at(forward, 0).numbers(), (std::vector<int>{2, 3}));
  EXPECT_EQ(fft_at(forward, 0).kind(), Kind::r2c);
  EXPECT_EQ(fft_at(forward, 1).numbers(), std::vector<int>{1});
  EXPECT_EQ(fft_at(forward, 1).kind(), Kind::c2c);
  EXPECT_FALSE(forward.states[0].is_complex);
  EXPECT_TRUE(forward.states[1].is_complex);
  EXPECT_EQ(forward.states[1].layout.shape(), (Shape{1, 8, 6, 6}));
  EXPECT_EQ(forward.states[2].layout.shape(), (Shape{1, 8, 6, 6}));
}

/// A local FFT takes Fourier axes together, and cosine and sine axes together.
TEST(Lowering, CutsWhatOneLocalFftCannotTake) {
  FakeTarget target;
  Problem problem = problem_of(Kind::r2c, Layout::slab({8, 6, 10, 4}, 1));
  problem.axes = {3, 4, 1, 2};
  problem.types = {AxisTransform::dct2, AxisTransform::dst1, AxisTransform::fft, AxisTransform::fft};
  const Program forward = cut_transforms(make_program("slab", problem), target), backward = reversed(forward);
  ASSERT_EQ(forward.steps.size(), 2U);
  EXPECT_EQ(fft_at(forward, 0).numbers(), (std::vector<int>{1, 2}));
  EXPECT_EQ(fft_at(forward, 0).kind(), Kind::r2c);
  EXPECT_EQ(fft_at(forward, 1).numbers(), (std::vector<int>{3, 4}));
  EXPECT_EQ(fft_at(forward, 1).kind(), Kind::r2r);
  EXPECT_TRUE(forward.states[1].is_complex);
  EXPECT_EQ(fft_at(backward, 0).axes[0].type, AxisTransform::dct3);
  EXPECT_EQ(fft_at(backward, 0).axes[1].type, AxisTransform::dst1);
  EXPECT_EQ(fft_at(backward, 1).kind(), Kind::c2r);
}

/// Modes are left out before the next axis is transformed and before anything moves.
TEST(Lowering, ModesFollowTheTransformOfTheirAxis) {
  Problem problem = problem_of(Kind::c2c, Layout::slab({8, 6, 10}, 2));
  problem.modes = {4, 0, 5};
  const Program program = make_program("slab", problem);
  std::vector<std::string> names;
  for (const Step& step : program.steps) names.push_back(step_name(step));
  EXPECT_EQ(names, (std::vector<std::string>{"transform", "modes", "transform", "reshape", "transform", "modes"}));
  EXPECT_EQ(program.states[2].layout.shape(), (Shape{1, 8, 6, 5}));
  EXPECT_EQ(program.states.back().layout.shape(), (Shape{1, 4, 6, 5}));
  EXPECT_EQ(std::get<ModesStep>(reversed(program).steps[0]).sign, Direction::backward);
}

/// The inverse of a real transform ends with the halved axis, whichever is cut first: the program or its reverse.
TEST(Lowering, CutsReversedProgramsAlike) {
  FakeTarget target;
  target.wanted_groups = {{1}, {2, 3}};
  const Program whole = make_program("slab", problem_of(Kind::r2c, Layout::slab({8, 6, 10}, 1)));
  const Program one = reversed(cut_transforms(whole, target)), other = cut_transforms(reversed(whole), target);
  ASSERT_EQ(one.steps.size(), 2U);
  ASSERT_EQ(other.steps.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(fft_at(one, i).numbers(), fft_at(other, i).numbers());
    EXPECT_EQ(fft_at(one, i).kind(), fft_at(other, i).kind());
    EXPECT_EQ(fft_at(one, i).axes.front().sign, Direction::backward);
    EXPECT_EQ(fft_at(other, i).axes.front().sign, Direction::backward);
  }
  EXPECT_EQ(fft_at(one, 1).kind(), Kind::c2r);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(one.states[i].layout.same_as(other.states[i].layout));
    EXPECT_EQ(one.states[i].is_complex, other.states[i].is_complex);
  }
}

TEST(Lowering, OrdersOnlyWhatAlgorithmsLeaveOpen) {
  FakeTarget target;
  target.wanted_order = {0, 2, 1, 3};
  Problem problem = problem_of(Kind::c2c, Layout::slab({8, 6, 10}, 2));
  const Program open = choose_orders(make_program("slab", problem), target);
  ASSERT_EQ(open.steps.size(), 3U);
  EXPECT_EQ(open.states[1].layout.order(), (AxisOrder{0, 1, 2, 3}));
  EXPECT_EQ(open.states[2].layout.order(), target.wanted_order);
  EXPECT_EQ(open.states[3].layout.order(), target.wanted_order);

  problem.output = problem.input;  // back to the input's cuts: one more reshape, the stage before it stays open
  const Program natural = choose_orders(make_program("slab", problem), target);
  ASSERT_EQ(natural.steps.size(), 4U);
  EXPECT_EQ(natural.states[3].layout.order(), target.wanted_order);
  EXPECT_EQ(natural.states[4].layout.order(), (AxisOrder{0, 1, 2, 3}));
}

/// A user who wants the last stage's cuts in another order gets them from the transform itself.
TEST(Lowering, LeavesNoReshapeThatOnlyTurnsAxes) {
  for (const AxisOrder& order : {AxisOrder{0, 1, 2, 3}, AxisOrder{0, 3, 2, 1}}) {
    FakeTarget target;
    target.wanted_order = {0, 2, 1, 3};
    Problem problem = problem_of(Kind::c2c, Layout::slab({8, 6, 10}, 2));
    problem.output = Layout::slab({8, 6, 10}, 2, 1).with_batch(1).with_order(order);
    const Program program = choose_orders(make_program("slab", problem), target);
    ASSERT_EQ(program.steps.size(), 3U);
    EXPECT_TRUE(program.states.back().layout.same_as(problem.output));
    EXPECT_TRUE(program.states[2].layout.same_as(problem.output));
  }
}

std::vector<int> arrays(const std::vector<FusedTask>& fused_tasks) {
  std::vector<int> all;
  for (const FusedTask& fused : fused_tasks)
    for (const LoweredStep& one : fused) all.insert(all.end(), {one.from, one.to});
  return all;
}

TEST(Lowering, NumbersArraysSoThatTheInputIsOnlyRead) {
  FakeTarget target;
  const Program program = make_program("slab", problem_of(Kind::c2c, Layout::slab({8, 6, 10}, 2)));
  const auto fused_tasks = fuse_steps(program, 1, target);
  // planes out of place, exchange into the output, lines in place
  EXPECT_EQ(arrays(fused_tasks),
            (std::vector<int>{input_array, first_between, first_between, output_array, output_array, output_array}));
}

TEST(Lowering, FusedStepsHaveNoArrayInBetween) {
  FakeTarget target;
  target.fused_from = 1;
  target.wanted_fusion = {2, false};
  const Program program = make_program("slab", problem_of(Kind::c2c, Layout::slab({8, 6, 10}, 2)));
  const auto fused_tasks = fuse_steps(program, 1, target);
  ASSERT_EQ(fused_tasks.size(), 2U);
  EXPECT_EQ(fused_tasks[1].front().from, first_between);
  EXPECT_EQ(fused_tasks[1].back().to, output_array);
  target.fused_from = 0;
  target.wanted_fusion = {3, true};
  const auto whole = fuse_steps(program, 1, target);
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(arrays(whole), arrays(fuse_steps(program, 1, *std::make_unique<FakeTarget>())));
}

TEST(Lowering, TheLastTransformThatScalesForFreeScales) {
  Program program = make_program("slab", problem_of(Kind::c2c, Layout::slab({8, 6, 10}, 2)));
  const auto scales = [&program](std::vector<int> not_free) {
    FakeTarget target;
    target.not_free = std::move(not_free);
    std::vector<double> all;
    for (const FusedTask& fused : fuse_steps(program, 0.25, target)) all.push_back(fused.front().scale);
    return all;
  };
  EXPECT_EQ(scales({}), (std::vector<double>{1, 1, 0.25}));
  EXPECT_EQ(scales({2}), (std::vector<double>{0.25, 1, 1}));
  EXPECT_EQ(scales({0, 2}), (std::vector<double>{1, 1, 0.25}));
  program = joined(program, OperatorStep{}, reversed(program));  // none before the operator
  EXPECT_EQ(scales({6}), (std::vector<double>{1, 1, 1, 1, 0.25, 1, 1}));
  EXPECT_EQ(scales({4, 6}), (std::vector<double>{1, 1, 1, 1, 1, 1, 0.25}));
}

}  // namespace
}  // namespace shardfft::test
