// Plans used when or as they cannot be: an Error, and no crash.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "base/aligned.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

const Status bad = Status::invalid_argument;

Plan small_plan() {
  return make_plan(MPI_COMM_WORLD, {{6, 8, 5}, "slab", "natural", Kind::c2c, Precision::f64, quick()});
}

/// Every call of a plan that needs it whole.
std::vector<std::function<void(Plan&)>> calls() {
  static std::byte data[64];
  return {[](Plan& p) { p.forward(data, data); },
          [](Plan& p) { p.backward(data, data); },
          [](Plan& p) { p.forward(std::vector<const void*>{data}, std::vector<void*>{data}); },
          [](Plan& p) { p.backward(std::vector<const void*>{data}, std::vector<void*>{data}); },
          [](Plan& p) { p.ranks(); },
          [](Plan& p) { p.members(); },
          [](Plan& p) { p.input(); },
          [](Plan& p) { p.output(); },
          [](Plan& p) { p.device(); },
          [](Plan& p) { p.stream(); },
          [](Plan& p) { p.set_streams({}); },
          [](Plan& p) { p.workspace_bytes(); },
          [](Plan& p) { p.set_workspace(data, 0); },
          [](Plan& p) { p.allocate_input(); },
          [](Plan& p) { p.allocate_output(); },
          [](Plan& p) { p.report(); }};
}

TEST(Misuse, MovedFrom) {
  Plan plan = small_plan();
  Plan other = std::move(plan);
  for (const auto& call : calls()) expect_error(bad, "moved from", [&] { call(plan); });
  plan = std::move(other);
  for (const auto& call : calls()) expect_error(bad, "moved from", [&] { call(other); });
  check_plan(plan, {{6, 8, 5}, "slab", "natural", Kind::c2c, Precision::f64, quick()});
}

TEST(Misuse, Operators) {
  const Operator one = Operator::laplacian();
  Operator gone = Operator::laplacian();
  const Operator there = std::move(gone);
  expect_error(bad, "moved from", [&] { one* gone; });
  expect_error(bad, "moved from", [&] { gone* one; });
  const double factor = 1;
  expect_error(bad, "none of: f32, f64", [&] { Operator::array({static_cast<Precision>(9), false}, &factor, 1); });
}

TEST(Misuse, ArraysThatOverlapInPart) {
  Plan plan = small_plan();
  const std::size_t bytes = plan.input().bytes();
  std::vector<Value> memory(bytes / sizeof(Value) * 2 + 2, 0.0);
  auto* const data = reinterpret_cast<std::byte*>(memory.data());
  const bool mine = bytes > 0 && world().rank() + 1 == world().size();
  const auto shifted = [&](std::size_t shift) { return data + (mine ? shift : 0); };
  if (any_rank(mine)) {
    expect_error(bad, "overlap in part", [&] { plan.forward(data, shifted(16)); });
    expect_error(bad, "overlap in part", [&] { plan.backward(shifted(bytes - 16), data); });
  }
  plan.forward(data, data);
  plan.forward(data, data + bytes);
  plan.backward(data + bytes, data);
}

TEST(Misuse, ArraysAtAddressesThatNumbersCannotHave) {
  Plan plan = small_plan();
  std::vector<Value> memory(plan.input().size() + 1), result(plan.output().size());
  const std::byte* const data = reinterpret_cast<std::byte*>(memory.data());
  expect_error(bad, "the input begins at an address that is no multiple of 8", [&] {
    plan.forward(static_cast<const void*>(data + (last_rank() ? 4 : 0)), static_cast<void*>(result.data()));
  });
  plan.forward(static_cast<const void*>(data + 8), static_cast<void*>(result.data()));
}

/// Only the part of the caller's memory that calls write is theirs.
TEST(Misuse, ArraysInTheWorkspace) {
  Options options = quick();
  options.exchange = "alltoall";
  Plan plan = make_plan(MPI_COMM_WORLD, {{6, 8, 5}, "slab", "slab", Kind::c2c, Precision::f64, options});
  const std::size_t needed = plan.workspace_bytes() / 64 * 64 + 64, bytes = plan.input().bytes();
  if (!any_rank(plan.workspace_bytes() > 0 && bytes > 0)) GTEST_SKIP() << "no workspace is needed";
  const auto memory = allocate_aligned(needed + 2 * bytes);
  plan.set_workspace(memory.get(), needed + 2 * bytes);
  std::vector<Value> out(plan.output().size());
  expect_error(bad, "the input overlaps the workspace that set_workspace() was given",
               [&] { plan.forward(static_cast<const void*>(memory.get()), static_cast<void*>(out.data())); });
  std::byte* const behind = memory.get() + needed;
  std::fill(behind, behind + 2 * bytes, std::byte{0});
  plan.forward(static_cast<const void*>(behind), static_cast<void*>(out.data()));
}

TEST(Misuse, ADirectionThatDoesNotExist) {
  Plan plan = small_plan();
  const std::vector<Value> in(plan.input().size());
  std::vector<Value> out(in.size());
  const void* const from = in.data();
  void* const to = out.data();
  expect_error(bad, "the direction has the value 5", [&] {
    plan.adjoint(last_rank() ? static_cast<Direction>(5) : Direction::forward, {&from, 1}, {&to, 1});
  });
}

TEST(Misuse, MembersThatAreNotHere) {
  Plan plan = small_plan();
  EXPECT_EQ(plan.members(), 1);
  EXPECT_EQ(plan.ranks(), world().size());
  for (const int member : {-1, 1, 1000})
    expect_error(bad, "does not exist: this process has 1 of", [&] { plan.input(member); });
  std::byte data[64];
  expect_error(bad, "1 of the plan's ranks, but 2 inputs and 1 outputs", [&] {
    plan.forward(std::vector<const void*>{data, data}, std::vector<void*>{data});
  });
  expect_error(bad, "plans on CPUs have no streams", [&] { plan.set_streams({}); });
}

/// Outlives main and with it MPI; then exits with a failure if any call does not throw Error.
struct AfterMpi {
  std::optional<Plan> plan;
  ~AfterMpi() {
    if (!plan) return;
    for (const auto& call : calls()) try {
        call(*plan);
        std::_Exit(17);
      } catch (const Error& e) {
        if (std::string(e.what()).find("MPI is finalized") == std::string::npos) std::_Exit(18);
      }
    try {
      Plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({4, 4}, 1));
      std::_Exit(19);
    } catch (const Error&) {
    }
  }
};

TEST(Misuse, AfterFinalize) {
  static AfterMpi kept;
  kept.plan = small_plan();
}

}  // namespace
}  // namespace shardfft::test
