// Plans over their lives: several at once, on several communicators, repeated, moved, with the caller's memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "base/aligned.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TransformCase small(Kind kind = Kind::c2c, const std::string& algorithm = "auto") {
  return {{6, 8, 5}, "slab", "natural", kind, Precision::f64, quick(algorithm)};
}

TEST(PlanLife, RepeatedRunsGiveTheSame) {
  for (const std::string& exchange : exchange_names()) {
    TransformCase c = small();
    c.options.exchange = exchange;
    SCOPED_TRACE(c.name());
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    for (std::uint64_t run = 0; run < 6; ++run)
      check_run(plan, c, run % 3 == 1 ? Direction::backward : Direction::forward, run % 2 == 1, 20 + run);
  }
}

/// Two plans of one communicator, run in turns; the first goes before the second.
TEST(PlanLife, TwoPlansOnOneCommunicator) {
  const TransformCase first = small(Kind::c2c, "slab");
  const TransformCase second = small(Kind::r2c, "pencil");
  std::optional<Plan> a = make_plan(MPI_COMM_WORLD, first);
  Plan b = make_plan(MPI_COMM_WORLD, second);
  check_run(*a, first, Direction::forward, false, 1);
  check_run(b, second, Direction::forward, false, 2);
  check_run(*a, first, Direction::backward, false, 3);
  check_run(b, second, Direction::backward, false, 4);
  a.reset();
  check_plan(b, second);
}

/// Halves of the world run their own plans while the world's plan lives; ranks in reverse order in one of them.
TEST(PlanLife, PlansOnTwoCommunicators) {
  const int rank = world().rank();
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  for (const std::string exchange : {"auto", "alltoallv", "p2p"}) {
    SCOPED_TRACE(exchange);
    TransformCase whole = small(Kind::c2c, "pencil");
    TransformCase part = rank % 2 == 0 ? small(Kind::r2c, "slab") : small(Kind::c2r, "brick");
    part.shape = rank % 2 == 0 ? Shape{4, 6, 7} : Shape{5, 3, 9};
    whole.options.exchange = part.options.exchange = exchange;
    Plan world_plan = make_plan(MPI_COMM_WORLD, whole);
    Plan half_plan = make_plan(half, part);
    for (std::uint64_t run = 0; run < 3; ++run) {
      check_run(world_plan, whole, Direction::forward, false, 30 + run);
      check_run(half_plan, part, Direction::forward, run == 1, 40 + run);
      // The odd half makes one run more: plans of different communicators do not wait for each other.
      if (rank % 2 == 1) check_run(half_plan, part, Direction::backward, false, 50 + run);
      check_run(world_plan, whole, Direction::backward, run == 2, 60 + run);
    }
  }
  MPI_Comm_free(&half);
}

/// The library works on its own communicator: the caller's messages and error handler stay the caller's.
TEST(PlanLife, CallersCommunicatorIsLeftAlone) {
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(mine, &before);
  const int next = (world().rank() + 1) % world().size();
  int sent = world().rank();
  int received = -1;
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, mine, &requests[0]);
  {
    const TransformCase c = small();
    Plan plan = make_plan(mine, c);
    check_run(plan, c, Direction::forward, false, 5);
    EXPECT_EQ(received, -1);
    world().barrier();  // nobody sends before all have looked
  }
  MPI_Isend(&sent, 1, MPI_INT, next, 0, mine, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(received, (world().rank() + world().size() - 1) % world().size());
  MPI_Errhandler after = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(mine, &after);
  EXPECT_EQ(before, after);
  MPI_Errhandler_free(&before);
  MPI_Errhandler_free(&after);
  MPI_Comm_free(&mine);
}

/// The communicator may be freed while its plan lives.
TEST(PlanLife, OutlivesTheCallersCommunicator) {
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  const TransformCase c = small();
  Plan plan = make_plan(mine, c);
  MPI_Comm_free(&mine);
  check_plan(plan, c);
}

TEST(PlanLife, Moves) {
  const TransformCase c = small();
  Plan first = make_plan(MPI_COMM_WORLD, c);
  Plan second = std::move(first);
  check_run(second, c, Direction::forward, false, 6);
  Plan third = make_plan(MPI_COMM_WORLD, small(Kind::r2c));
  third = std::move(second);
  check_run(third, c, Direction::backward, false, 7);
}

TEST(PlanLife, CallersWorkspace) {
  for (const std::string& exchange : exchange_names())
    for (const std::string algorithm : {"slab", "brick", "cyclic"}) {
      TransformCase c = small(algorithm == "cyclic" ? Kind::c2c : Kind::r2c, algorithm);
      c.options.exchange = exchange;
      c.options.in_place = true;  // copies for such calls are in the workspace too
      SCOPED_TRACE(c.name());
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      const std::size_t bytes = plan.workspace_bytes();
      const AlignedMemory memory = allocate_aligned(bytes + guard_bytes);
      std::fill_n(memory.get(), bytes + guard_bytes, poison);
      plan.set_workspace(memory.get(), bytes);
      check_plan(plan, c);
      EXPECT_EQ(plan.workspace_bytes(), bytes);
      for (std::size_t i = 0; i < guard_bytes; ++i)
        ASSERT_EQ(memory.get()[bytes + i], poison) << "written behind the workspace";
    }
}

/// A workspace may be given after runs with the plan's own, and changed.
TEST(PlanLife, WorkspaceMayChange) {
  const TransformCase c = small(Kind::c2c, "pencil");
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_run(plan, c, Direction::forward, false, 8);
  for (int i = 0; i < 2; ++i) {
    const AlignedMemory memory = allocate_aligned(plan.workspace_bytes() + 64);
    plan.set_workspace(memory.get(), plan.workspace_bytes() + 64);
    check_run(plan, c, Direction::forward, true, 9);
    check_run(plan, c, Direction::backward, false, 10);
  }
}

TEST(PlanLife, AllocatedBuffers) {
  for (const std::string& exchange : exchange_names()) {
    SCOPED_TRACE(exchange);
    Buffer kept;
    {
      Options o = quick();
      o.exchange = exchange;
      Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab({4, 6, 5}, world().size()), natural_output, o);
      const Buffer in = plan.allocate_input();
      const Buffer out = plan.allocate_output();
      kept = plan.allocate_input();
      EXPECT_EQ(in.bytes(), plan.input().bytes());
      EXPECT_EQ(out.bytes(), plan.output().bytes());
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(in.data()) % 64, 0u);
      std::fill_n(in.as<double>(), plan.input().count(), 1.0);
      for (int run = 0; run < 3; ++run) plan.forward(in.data(), out.data());
      for_own_elements(plan.output(), 0, [&](std::int64_t address, std::int64_t number) {
        const Value v = out.as<Value>()[address];
        EXPECT_NEAR(std::abs(v - (number == 0 ? 120.0 : 0.0)), 0, 1e-12) << number;
      });
    }
    // Memory outlives the plan that allocated it.
    if (kept.bytes() > 0) std::memset(kept.data(), 1, kept.bytes());
  }
}

TEST(PlanLife, SidesSayWhatIsWhere) {
  Options o = quick();
  o.batch = 2;
  const int ranks = world().size();
  Plan plan(MPI_COMM_WORLD, r2c<float>, Layout::slab({6, 4, 8}, ranks), natural_output, o);
  EXPECT_TRUE(plan.input().layout.same_as(Layout::slab({6, 4, 8}, ranks)));
  EXPECT_TRUE(plan.output().layout.same_as(Layout::slab({6, 4, 5}, ranks)));
  EXPECT_EQ(plan.input().count(), 2 * Layout::slab({6, 4, 8}, ranks).count(world().rank()));
  EXPECT_EQ(plan.input().bytes(), static_cast<std::size_t>(plan.input().count()) * 4);
  EXPECT_EQ(plan.output().bytes(), static_cast<std::size_t>(plan.output().count()) * 8);
  EXPECT_EQ(plan.input().rank, world().rank());
  EXPECT_EQ(plan.input().fields, 2);
}

/// Layouts of several pieces a rank can be an input and an output, too.
TEST(PlanLife, LayoutsOfPieces) {
  const int ranks = world().size();
  const Layout slab = Layout::slab({6, 4, 5}, ranks);
  const Layout pieces = Layout::from_pieces({6, 4, 5}, ranks, [slab](int rank) { return slab.pieces(rank); });
  const TransformCase c{{6, 4, 5}, "", "", Kind::c2c, Precision::f64, quick()};
  Plan plan(MPI_COMM_WORLD, c2c<double>, pieces, pieces, c.options);
  check_plan(plan, c);
}

}  // namespace
}  // namespace shardfft::test
