// Ranks that make different calls of a plan: an error on every rank that says who called what, and no hang.
#include <gtest/gtest.h>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TransformCase some_case() { return {{9, 10, 4}, "slab", "natural", Kind::c2c, Precision::f64, quick()}; }

/// A plan, its arrays and the calls that one may make of it.
struct Calls {
  TransformCase c = some_case();
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  LocalArray in{plan.input()};
  LocalArray out{plan.output()};

  void forward() { plan.forward(in.data(), out.data()); }
  void backward() { plan.backward(out.data(), in.data()); }
};

TEST(CallCheck, ForwardAgainstBackward) {
  if (world().size() < 2) GTEST_SKIP() << "one rank";
  Calls calls;
  calls.forward();
  expect_error(Status::mismatch, last_rank_text() + " calls backward (call 2)",
               [&] { last_rank() ? calls.backward() : calls.forward(); });
  expect_error(Status::mismatch, "forward (call 3)", [&] { last_rank() ? calls.forward() : calls.backward(); });
  check_plan(calls.plan, calls.c);
}

TEST(CallCheck, ReportAndArrays) {
  if (world().size() < 2) GTEST_SKIP() << "one rank";
  Calls calls;
  expect_error(Status::mismatch, last_rank_text() + " calls report (call 1)", [&] {
    if (last_rank())
      calls.plan.report();
    else
      calls.forward();
  });
  expect_error(Status::mismatch, last_rank_text() + " calls allocate_input (call 2)", [&] {
    if (last_rank())
      calls.plan.allocate_input();
    else
      calls.plan.allocate_output();
  });
  EXPECT_NE(calls.plan.report().to_text(), "");
  check_plan(calls.plan, calls.c);
}

/// What is wrong with an argument comes before what is wrong with the call.
TEST(CallCheck, WrongArgumentOfAnotherCall) {
  if (world().size() < 2) GTEST_SKIP() << "one rank";
  Calls calls;
  expect_error(Status::invalid_argument, "input is a null pointer", [&] {
    if (last_rank())
      calls.plan.backward(nullptr, nullptr);
    else
      calls.forward();
  });
  check_plan(calls.plan, calls.c);
}

/// An operator differs in a constant, in a table, in what joins, in its kind or in its axis; the plan can be used
/// after.
TEST(CallCheck, DifferentOperators) {
  if (world().size() < 2) GTEST_SKIP() << "one rank";
  Calls calls;
  const Operator one = Operator::constant(1), wide = Operator::gaussian(0.5);
  const std::vector<double> ones(calls.plan.output().size() / calls.plan.output().fields, 1);
  const std::pair<Operator, Operator> pairs[] = {{one, Operator::constant(1.5)},
                                                 {wide, Operator::gaussian(0.5 + 1e-6)},
                                                 {one + wide, one * wide},
                                                 {one, Operator::array(ones)},
                                                 {Operator::derivative(0), Operator::derivative(1)}};
  const auto apply = [&](const Operator& op) { calls.plan.apply(op, calls.in.data(), calls.in.data()); };
  for (const auto& [mine, others] : pairs) {
    expect_error(Status::mismatch, "the ranks gave apply (call", [&] { apply(world().rank() == 0 ? mine : others); });
    apply(mine);
  }
  // Arrays and functions are a rank's own; so are the last bits of what its host computes.
  apply(Operator::array(ones));
  apply(Operator::constant(world().rank() == 0 ? 1 : 1 + 1e-15));
  check_plan(calls.plan, calls.c);
}

}  // namespace
}  // namespace shardfft::test
