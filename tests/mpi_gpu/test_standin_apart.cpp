// GPUs of ranks in containers of their own (apart.sh): peers' memory is used only where it has been found. The stand-in
// finds it by process numbers, as CUDA IPC does, or by descriptors from a socket.
#include <gtest/gtest.h>

#include <cstdlib>

#include "gpu/move/exchange.hpp"
#include "gpu/team.hpp"
#include "support/apart.hpp"
#include "support/device_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

class ByIpc : public testing::Test {
 protected:
  ByIpc() { setenv("SHARDFFT_DESCRIPTORS", "0", 1); }
  ~ByIpc() override { unsetenv("SHARDFFT_DESCRIPTORS"); }
};

TEST_F(ByIpc, OnlyGpusThatWereFoundArePeers) {
  const gpu::Team team(world(), world().rank() % device::device_count());
  for (int rank = 0; rank < world().size(); ++rank) {
    const bool pair = some_apart() && rank < 2 && world().rank() < 2;
    EXPECT_EQ(team.reaches(0, rank), rank == world().rank() || pair || !processes_apart()) << rank;
  }
}

TEST_F(ByIpc, AutoTakesAnotherWay) {
  TransformCase c{{12, 10, 8}};
  c.options = on_gpu("slab");
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_device_plan(members_of(plan), c);
  if (world().size() == 1) return;
  const std::string exchange = plan.report().exchange;
  EXPECT_EQ(exchange.rfind("cuda_peer", 0) == 0, !processes_apart()) << exchange;
  if (!processes_apart()) return;
  c.options.exchange = "cuda_peer";
  expect_error(Status::unsupported, "not all GPUs", [&] { make_plan(MPI_COMM_WORLD, c); });
}

TEST(ByDescriptors, AllGpusArePeers) {
  const gpu::Team team(world(), world().rank() % device::device_count());
  EXPECT_TRUE(team.all_peers());
  EXPECT_EQ(team.sharing(),
            processes_apart() && world().size() > 1 ? device::Sharing::descriptors : device::Sharing::ipc);
  TransformCase c{{12, 10, 8}};
  c.options = on_gpu("slab");
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_device_plan(members_of(plan), c);
  if (world().size() > 1) EXPECT_EQ(plan.report().exchange.rfind("cuda_peer", 0), 0U) << plan.report().exchange;
}

}  // namespace
}  // namespace shardfft::test
