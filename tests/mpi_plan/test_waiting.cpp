// Ranks that wait for others in vain: an error on those that wait and on those that come late, and nothing works on
// that communicator afterwards. Slow ranks are waited for.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "api/call_check.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TransformCase waiting_case(double timeout = 0) {
  TransformCase c{{6, 5, 4}, "slab", "natural", Kind::c2c, Precision::f64, quick()};
  c.options.call_timeout = timeout;
  return c;
}

void run_once(Plan& plan) {
  LocalArray in(plan.input());
  LocalArray out(plan.output());
  plan.forward(in.data(), out.data());
}

void expect_ruined(const OwnComm& own, Plan& plan, Status code) {
  expect_error(code, "an earlier call was given up", [&] { run_once(plan); });
  expect_error(code, "an earlier call was given up", [&] { plan.report(); });
  expect_error(code, "an earlier call was given up", [&] { make_plan(own.comm, waiting_case()); });
  check_case(waiting_case());  // on another communicator
}

TEST(Waiting, DifferentPlans) {
  if (world().size() < 2) GTEST_SKIP() << "one rank";
  const OwnComm own;
  Plan one = make_plan(own.comm, waiting_case());
  Plan two = make_plan(own.comm, waiting_case());
  run_once(two);
  expect_error(Status::mismatch, "wait for each other in different plans", [&] { run_once(last_rank() ? two : one); });
  expect_ruined(own, one, Status::mismatch);
}

TEST(Waiting, SomeRanksOnly) {
  if (world().size() < 2) GTEST_SKIP() << "one rank";
  constexpr double seconds = 3;
  const OwnComm own;
  Plan plan = make_plan(own.comm, waiting_case(seconds));
  check_plan(plan, waiting_case(seconds));
  if (!last_rank())
    expect_error(Status::timed_out, "forward (call 5) waited 3 s for " + last_rank_text(), [&] { run_once(plan); });
  world().barrier();
  if (last_rank()) expect_error(Status::timed_out, "for " + last_rank_text(), [&] { run_once(plan); });
  expect_ruined(own, plan, Status::timed_out);
}

/// Whoever waits asks the others; what it is told late must not count for a later call.
TEST(Waiting, SlowRanks) {
  if (world().size() < 2) GTEST_SKIP() << "one rank";
  const OwnComm own;
  std::optional<Plan> one = make_plan(own.comm, waiting_case(100));
  std::optional<Plan> two = make_plan(own.comm, waiting_case());
  for (int turn = 0; turn < 2; ++turn) {
    if (world().rank() == turn) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    check_plan(turn == 0 ? *two : *one, waiting_case());
  }
  two.reset();
  if (last_rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  check_plan(*one, waiting_case());
}

/// Who fails in the middle of a call tells those that wait for its next one.
TEST(Waiting, FailedHalfWay) {
  if (world().size() < 2) GTEST_SKIP() << "one rank";
  const OwnComm own;
  HostMemory host(world(), 0);
  CallCheck calls({world(), own.comm, "a plan"}, &host);
  calls.enter(Call::forward);
  if (last_rank()) calls.give_up({Status::internal, "the disk is on fire"});
  expect_error(Status::internal, "the disk is on fire", [&] { calls.enter(Call::forward); });
  EXPECT_TRUE(calls.given_up());
}

TEST(Waiting, BadTimeouts) {
  expect_error(Status::invalid_argument, "call_timeout is -1", [] { make_plan(MPI_COMM_WORLD, waiting_case(-1)); });
  if (world().size() < 2) return;
  expect_error(Status::mismatch, "different values of option call_timeout",
               [] { make_plan(MPI_COMM_WORLD, waiting_case(last_rank() ? 1 : 2)); });
}

}  // namespace
}  // namespace shardfft::test
