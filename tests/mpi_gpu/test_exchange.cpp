// The exchanges between GPUs, one process a GPU.
#include "gpu/reshape_kit.hpp"
#include "support/mpi_counts.hpp"

namespace shardfft::kit {
namespace {

class ProcessExchange : public testing::TestWithParam<std::string> {};

int own_device() { return world().rank() % device::device_count(); }

TEST_P(ProcessExchange, AllLayouts) {
  gpu::Team team(world(), own_device());
  ASSERT_TRUE(team.all_peers());
  if (!possible(team, GetParam())) GTEST_SKIP() << "not on these GPUs, or not by this MPI library";
  conform_all(team, GetParam());
}

TEST_P(ProcessExchange, ProcessesThatShareADevice) {
  gpu::Team team(world(), world().rank() == world().size() - 1 ? 1 % device::device_count() : 0);
  ASSERT_TRUE(team.all_peers());
  if (!possible(team, GetParam())) GTEST_SKIP() << "not on these GPUs, or not by this MPI library";
  conform_all(team, GetParam());
}

TEST_P(ProcessExchange, SeveralHosts) {
  for (int ranks_per_host = 1; ranks_per_host <= 3; ++ranks_per_host) {
    SCOPED_TRACE(std::to_string(ranks_per_host) + " ranks a host");
    gpu::Team team(world(), own_device(), nullptr, ranks_per_host);
    if (!team.all_peers() && GetParam().starts_with("cuda_peer"))
      EXPECT_NE(refusal(team, GetParam()).find("not all GPUs"), std::string::npos);
    else if (possible(team, GetParam()))
      for (const Case& c : some_cases()) conform(team, GetParam(), c);
  }
}

/// In the place of messages beyond an int.
TEST_P(ProcessExchange, SmallCountLimit) {
  gpu::Team team(world(), own_device());
  if (!possible(team, GetParam())) GTEST_SKIP() << "not on these GPUs, or not by this MPI library";
  test::largest_count() = 0;
  for (Case c : some_cases()) {
    c.count_limit = 7;
    conform(team, GetParam(), c);
  }
  EXPECT_LE(test::largest_count(), 7);
  const bool sends = GetParam().starts_with("host_staged") || GetParam().starts_with("mpi_device");
  EXPECT_EQ(test::largest_count() > 0, sends && world().size() > 1);
}

INSTANTIATE_TEST_SUITE_P(Strategies, ProcessExchange, testing::ValuesIn(gpu::device_exchange_names()),
                         [](const auto& strategy) { return strategy.param; });

TEST(ProcessExchangeChoice, PeersWriteDirectly) {
  const gpu::Team team(world(), 0);
  EXPECT_EQ(gpu::choose_device_exchange(team).chosen, "cuda_peer");
}

TEST(ProcessExchangeChoice, PeersOfSomeHostsAreMixed) {
  const gpu::Team pairs(world(), 0, nullptr, 2), alone(world(), 0, nullptr, 1);
  for (int q = 0; q < world().size(); ++q) {
    EXPECT_EQ(pairs.reaches(0, q), q / 2 == world().rank() / 2);
    EXPECT_EQ(alone.reaches(0, q), q == world().rank());
  }
  EXPECT_EQ(gpu::choose_device_exchange(pairs).chosen, world().size() > 2 ? "mixed" : "cuda_peer");
  const std::string chosen = gpu::choose_device_exchange(alone).chosen;
  EXPECT_EQ(chosen == "cuda_peer", world().size() == 1) << chosen;
  EXPECT_NE(chosen, "mixed");
}

TEST(ProcessExchangeChoice, FailuresAreAgreed) {
  gpu::Team team(world(), 0);
  const int p = world().size();
  const Layout good = Layout::slab({8, 8}, p, 0), bad = Layout::slab({8, 8}, p + 1, 1);
  const Layout to = world().rank() == 0 ? bad : Layout::slab({8, 8}, p, 1);
  EXPECT_THROW(gpu::make_device_reshape("cuda_peer", {&team, good, to, 8}), Error);
}

TEST(ProcessExchangeChoice, TheUserMayForbidDeviceMessages) {
  const char* const name = "SHARDFFT_MPI_DEVICE";
  setenv(name, "0", 1);
  EXPECT_FALSE(gpu::mpi_takes_device_memory(world(), 0));
  if (world().rank() == 0) setenv(name, "perhaps", 1);
  EXPECT_THROW(gpu::mpi_takes_device_memory(world(), 0), Error) << "on every rank";
  unsetenv(name);
}

TEST(SharedAddressesTest, ArraysInsideOfAllocationsAreFound) {
  gpu::Team team(world(), world().rank() % device::device_count());
  const int device = team.here().front().device, p = world().size(), me = world().rank();
  const device::DeviceScope scope(device);
  const device::Memory first = device::make_memory(4096), second = device::make_memory(4096);
  const device::Stream stream = device::make_stream();
  gpu::SharedAddresses shared;
  const device::Memory* const order[] = {&first, &second, &first, &first};
  for (int turn = 0; turn < 4; ++turn) {
    const int offset = 256 * turn + 64 * (me % 3);
    auto* const mine = static_cast<std::byte*>(order[turn]->get()) + offset;
    shared.share(team, {mine});
    ASSERT_EQ(shared.all().size(), static_cast<std::size_t>(p));
    EXPECT_EQ(shared.all()[static_cast<std::size_t>(me)], mine);
    // Every rank writes its number into the next one's array, and finds the last one's in its own.
    const int number = 100 * turn + me;
    device::copy_bytes(shared.all()[static_cast<std::size_t>((me + 1) % p)], &number, sizeof number, stream.get());
    device::synchronize(stream.get());
    world().barrier();
    int got = -1;
    device::copy_bytes(&got, mine, sizeof got, stream.get());
    device::synchronize(stream.get());
    EXPECT_EQ(got, 100 * turn + (me + p - 1) % p);
    world().barrier();
  }
  shared.share(team, {nullptr});
  for (const std::byte* address : shared.all()) EXPECT_EQ(address, nullptr);
  world().barrier();
}

TEST(SharedAddressesTest, HostMemoryIsRefusedOnAllRanks) {
  gpu::Team team(world(), 0);
  if (team.all_here()) return;  // plain pointers do
  gpu::SharedAddresses shared;
  const device::Memory memory = device::make_memory(64);
  std::vector<std::byte> host(64);
  try {
    shared.share(team, {world().rank() == 0 ? static_cast<void*>(host.data()) : memory.get()});
    FAIL() << "no exception";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Status::unsupported);
  }
}

}  // namespace
}  // namespace shardfft::kit
