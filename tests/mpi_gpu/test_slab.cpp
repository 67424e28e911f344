// The slab engine behind operations, one process a GPU.
#include "gpu/slab_kit.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TEST(ProcessSlab, SmallShapes) {
  gpu::Team team(world(), world().rank() % device::device_count());
  for (const SlabCase& c : small_slabs()) check_slab(team, c);
}

TEST(ProcessSlab, LineKernels) {
  if (world().size() > 3) GTEST_SKIP() << "every rank computes the whole reference";
  gpu::Team team(world(), world().rank() % device::device_count());
  if (!check_fused_slab(team, fused_f64)) GTEST_SKIP() << "no line kernels here";
  EXPECT_TRUE(check_fused_slab(team, fused_real));
  EXPECT_TRUE(check_fused_slab(team, fused_odd_rows));
  if (world().size() == 2) {
    EXPECT_TRUE(check_fused_slab(team, fused_planes));
    EXPECT_TRUE(check_fused_slab(team, fused_real_planes));
  }
  for (const SlabCase& c : straddling_slabs()) EXPECT_TRUE(check_fused_slab(team, c));
  EXPECT_TRUE(check_fused_slab(team, odd_shares_of_odd_rows));
  const SlabCase stores = left_open(fused_f64);
  EXPECT_TRUE(check_fused_slab(team, stores));
  EXPECT_EQ(stores_into_peers(team, stores), world().size() == 2) << "between two GPUs only";
}

TEST(ProcessSlab, RunsWithoutTheEngine) {
  if (world().size() > 4) GTEST_SKIP() << "as with fewer";
  const SlabsBySchedule switched;
  for (const TransformCase& c : scheduled_slabs()) {
    SCOPED_TRACE(c.name());
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    EXPECT_EQ(plan.report().to_text().find(" chunks in "), std::string::npos) << "by the engine";
    check_device_plan(members_of(plan), c);
  }
}

TEST(ProcessSlab, SpectraThatAreNoWholePagesAreNotWrittenByPeers) {
  gpu::Team team(world(), world().rank() % device::device_count());
  const SlabCase c{{7, 9, 5}, Kind::c2c, Precision::f64, 1};
  const auto with_pages = [&](std::size_t bytes) {
    return gpu::make_slab(slab_steps(c, team.ranks()), 0, {.team = &team, .page_bytes = bytes})[0][0]->writes_peers();
  };
  EXPECT_EQ(with_pages(64 * 1024), world().size() == 1) << "all arrays are smaller";
  EXPECT_TRUE(with_pages(1));
}

TEST(ProcessSlab, ProcessesThatShareADevice) {
  gpu::Team team(world(), 0);
  check_slab(team, small_slabs().front());
}

}  // namespace
}  // namespace shardfft::test
