// The workspace of plans whose ranks are processes: data that others write may lie in whole pages of users' arrays.
#include <gtest/gtest.h>
#include <mpi.h>

#include "support/fewer_buffers.hpp"
#include "support/smaller_gpus.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

double arrays_of_workspace(const Plan& plan) {
  const double mine = static_cast<double>(plan.workspace_bytes()) / static_cast<double>(array_bytes(plan));
  return world().max(mine);
}

TransformCase natural(const Shape& shape, const char* input, Kind kind, bool in_place) {
  TransformCase c{shape, input,          "natural",
                  kind,  Precision::f64, on_gpu(input == std::string("slab") ? "slab" : "pencil")};
  c.options.in_place = in_place;
  return c;
}

TEST(Workspace, OneArrayBetweenProcesses) {
  if (world().size() != 2 && world().size() != 4) return;
  const ChangedFacts plenty(of_memory(std::size_t{900} << 30));
  for (const Shape& shape : {Shape{1024, 1024, 1024}, Shape{1000, 1000, 1000}}) {  // whole pages, and others
    for (const bool in_place : {false, true}) {
      const TransformCase real = natural(shape, "slab", Kind::r2c, in_place);
      EXPECT_LE(arrays_of_workspace(make_plan(MPI_COMM_WORLD, real)), 1.26) << real.name() << ", " << in_place;
    }
    const TransformCase complex = natural(shape, "pencil", Kind::c2c, false);
    EXPECT_LE(arrays_of_workspace(make_plan(MPI_COMM_WORLD, complex)), 1.001) << complex.name();
  }
}

/// Out of place in both directions.
void check_apart(Plan& plan, const TransformCase& c, const char* memory) {
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    std::vector<CallArrays> arrays = make_arrays(members_of(plan), c, direction, memory, false);
    check_arrays(members_of(plan), arrays, c, direction, 1);
  }
}

TEST(Workspace, DataInUsersArraysOfProcessesIsRight) {
  if (world().size() != 2) return;
  const SmallerGpus smaller;
  for (const bool in_place : {false, true}) {
    TransformCase c = natural({128, 128, 128}, "slab", Kind::r2c, in_place);
    c.options.exchange = "cuda_peer_copy";
    c.options.chunks = 8;
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    EXPECT_LE(arrays_of_workspace(plan), 1.5) << c.name() << ", " << in_place;
    check_device_plan(members_of(plan), c, "pages");
    if (!in_place) check_apart(plan, c, "device");
  }
}

/// Others write into another array beside them, which the last transform reads.
TEST(Workspace, OfUsersArraysThatAreNoWholePages) {
  if (world().size() == 1) return;
  const SmallerGpus smaller;
  for (const char* input : {"slab", "pencil"})
    for (const bool verify : {false, true}) {
      TransformCase c = natural({64, 72, 80}, input, Kind::c2c, false);
      c.options.exchange = "cuda_peer";
      c.options.verify = verify;
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      const std::size_t made = plan.workspace_bytes();
      check_apart(plan, c, "pages");
      EXPECT_EQ(plan.workspace_bytes(), made) << c.name();
      check_apart(plan, c, "device");
      EXPECT_GT(plan.workspace_bytes(), made) << c.name();
      check_device_plan(members_of(plan), c, "device");
    }
}

TEST(Workspace, ResultsAreWrittenIntoThem) {
  if (world().size() == 1) return;
  const SmallerGpus smaller;
  const TransformCase c = natural({64, 72, 80}, "slab", Kind::c2c, false);
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const std::size_t made = plan.workspace_bytes();
  const PlacedArray in("device", plan.device(), plan.input().bytes()),
      out("device", plan.device(), plan.output().bytes());
  plan.forward(in.data(), out.data());
  EXPECT_GT(plan.workspace_bytes(), made);
  for (const PlanReport::Step& step : plan.report().forward.steps)
    for (const PlanReport::Time& time : step.times)
      EXPECT_NE(time.activity, "stage") << "a copy in '" << step.text << "'";
}

}  // namespace
}  // namespace shardfft::test
