// GPUs that have no room for an array beside an output that others write into.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>

#include "support/fewer_buffers.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// 64 MiB a GPU: the stand-in asks once, so that this suite has a process of its own.
class WithoutRoom : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("SHARDFFT_STANDIN_MEMORY", "64", 1); }
  void SetUp() override { ASSERT_EQ(device::memory_info().total, std::size_t{64} << 20); }
};

TEST_F(WithoutRoom, OthersWriteIntoUsersArraysOfAnySize) {
  if (world().size() == 1) return;
  const TransformCase c{{128, 128, 64}, "slab", "natural", Kind::c2c, Precision::f64, on_gpu("slab")};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const auto run = [&](std::vector<CallArrays> arrays, std::size_t left) {
    const device::DeviceScope scope(plan.device());
    const std::size_t free = device::memory_info().free;
    const PlacedArray rest("device", plan.device(), left > 0 && left < free ? free - left : 1);
    check_arrays(members_of(plan), arrays, c, Direction::forward, 1);
  };
  run(make_arrays(members_of(plan), c, Direction::forward, "pages", false), 0);
  const std::size_t made = plan.workspace_bytes();
  run(make_arrays(members_of(plan), c, Direction::forward, "device", false), std::size_t{1} << 20);
  EXPECT_EQ(plan.workspace_bytes(), made);
}

}  // namespace
}  // namespace shardfft::test
