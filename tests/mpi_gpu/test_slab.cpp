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
  const SlabCase stores = left_open(fused_f64);
  EXPECT_TRUE(check_fused_slab(team, stores));
  EXPECT_EQ(stores_into_peers(team, stores), world().size() == 2) << "between two GPUs only";
}

TEST(ProcessSlab, ProcessesThatShareADevice) {
  gpu::Team team(world(), 0);
  check_slab(team, small_slabs().front());
}

}  // namespace
}  // namespace shardfft::test
