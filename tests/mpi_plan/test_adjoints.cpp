// Plan::adjoint: the other direction with the factor of this one.
#include <gtest/gtest.h>

#include <complex>
#include <string>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

void adjoint(Plan& plan, Direction of, LocalArray& in, LocalArray& out) {
  const void* const from = in.data();
  void* const to = out.data();
  plan.adjoint(of, std::span(&from, 1), std::span(&to, 1));
}

/// Whether `one` is `other` times the factor.
void expect_times(const LocalArray& one, const LocalArray& other, double factor, const Side& side) {
  for (std::int64_t i = 0; i < side.count(); ++i)
    ASSERT_NEAR(std::abs(one.get(i) - factor * other.get(i)), 0, 1e-12 * (1 + std::abs(one.get(i)))) << i;
}

void check(Plan& plan, double forward_factor, double backward_factor) {
  LocalArray x(plan.input()), y(plan.output()), x_again(plan.input()), y_again(plan.output());
  for (std::int64_t i = 0; i < plan.input().count(); ++i) x.set(i, {std::sin(1.0 + static_cast<double>(i)), 0});
  for (int turn = 0; turn < 2; ++turn) {
    plan.forward(x.data(), y.data());
    plan.backward(y.data(), x_again.data());
    LocalArray adjoint_x(plan.input()), adjoint_y(plan.output());
    adjoint(plan, Direction::forward, y, adjoint_x);
    expect_times(adjoint_x, x_again, forward_factor / backward_factor, plan.input());
    adjoint(plan, Direction::backward, x, adjoint_y);
    expect_times(adjoint_y, y, backward_factor / forward_factor, plan.output());
    EXPECT_TRUE(adjoint_x.guard_is_whole() && adjoint_y.guard_is_whole());
  }
}

TEST(Adjoints, HaveTheFactorOfTheOtherDirection) {
  const double points = 8 * 6 * 10;
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const auto& [norm, forward, backward] : {std::tuple{Norm::backward, 1.0, 1 / points},
                                                  {Norm::forward, 1 / points, 1.0},
                                                  {Norm::ortho, 1.0, 1.0},
                                                  {Norm::none, 1.0, 1.0}}) {
      TransformCase c{{8, 6, 10}, "slab", "left", kind, Precision::f64, quick()};
      c.options.norm = norm;
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      check(plan, forward, backward);
    }
}

/// Their programs are no part of the way, and share buffers with all others.
TEST(Adjoints, LeaveThePlanAsItWas) {
  const TransformCase c{{8, 6, 10}, "slab", "left", Kind::r2c, Precision::f64, quick()};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const std::string way = plan.way();
  check(plan, 1, 1.0 / 480);
  check_plan(plan, c);
  EXPECT_EQ(plan.way(), way);
  EXPECT_FALSE(plan.report().apply.has_value());
  LocalArray field(plan.input());
  plan.apply(Operator::gaussian(0), field.data(), field.data());
  EXPECT_EQ(plan.report().apply->runs, 1);
}

TEST(Adjoints, OtherCallsOfOtherRanksAreTold) {
  if (world().size() == 1) GTEST_SKIP() << "needs several ranks";
  Plan plan = make_plan(MPI_COMM_WORLD, {{8, 6, 10}, "slab", "left", Kind::c2c, Precision::f64, quick()});
  LocalArray x(plan.input()), y(plan.output());
  const bool last = world().rank() == world().size() - 1;
  try {
    last ? adjoint(plan, Direction::forward, y, x) : plan.backward(y.data(), x.data());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Status::mismatch);
    EXPECT_NE(std::string(error.what()).find("calls adjoint (call 1)"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace shardfft::test
