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
  const Shape cube{1024, 1024, 1024};  // arrays are multiples of large pages
  for (const bool in_place : {false, true}) {
    const TransformCase real = natural(cube, "slab", Kind::r2c, in_place);
    EXPECT_LE(arrays_of_workspace(make_plan(MPI_COMM_WORLD, real)), 1.26) << real.name() << ", " << in_place;
  }
  const TransformCase complex = natural(cube, "pencil", Kind::c2c, false);
  EXPECT_LE(arrays_of_workspace(make_plan(MPI_COMM_WORLD, complex)), 1.001) << complex.name();
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
    check_device_plan(members_of(plan), c);
  }
}

}  // namespace
}  // namespace shardfft::test
