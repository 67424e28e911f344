// Memory of other processes that has to be closed to make room for what lies at its place now: not before everybody
// has done with it.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "gpu/team.hpp"
#include "mpi_gpu/my_device.hpp"
#include "support/device_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

Plan make(const OwnComm& comm, device::StreamHandle stream) {
  Options options = on_gpu("pencil");
  options.exchange = "cuda_peer";
  options.stream = stream;
  return {comm.comm, c2c<double>, Layout::pencil({8, 12, 10}, process_grid(world().size(), 2)), default_output,
          options};
}

std::vector<std::byte> download(const device::Memory& memory, std::size_t bytes, device::StreamHandle stream) {
  std::vector<std::byte> array(bytes);
  device::copy_bytes(array.data(), memory.get(), bytes, stream);
  device::synchronize(stream);
  return array;
}

TEST(Imports, AreNotClosedUnderRunsOfOtherPlans) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has nothing open";
  const device::DeviceScope scope(my_device());
  const device::Stream stream = device::make_stream();
  const OwnComm one, two;
  Plan late = make(one, stream.get()), early = make(two, nullptr);
  constexpr std::size_t much = std::size_t{16} << 20;
  const std::size_t in_bytes = late.input().bytes(), out_bytes = late.output().bytes();
  const device::Memory load = device::make_memory(2 * much), in = device::make_memory(in_bytes),
                       out = device::make_memory(out_bytes);
  const std::vector<double> numbers(in_bytes / sizeof(double), 1 + world().rank());
  device::copy_bytes(in.get(), numbers.data(), in_bytes, stream.get());
  late.forward(in.get(), out.get());
  const auto expected = download(out, out_bytes, stream.get());
  for (int turn = 0; turn < 3; ++turn) {
    // Every time at the place of the last one, which others still have open.
    const device::Memory result = device::make_memory(out_bytes);
    device::fill_zero(out.get(), out_bytes, stream.get());
    device::fill_zero(load.get(), much, stream.get());
    for (int i = 0; i < 40; ++i)
      device::copy_bytes(static_cast<std::byte*>(load.get()) + much, load.get(), much, stream.get());
    late.forward(in.get(), out.get());
    early.forward(in.get(), result.get());
    EXPECT_TRUE(download(result, out_bytes, nullptr) == expected);
    EXPECT_TRUE(download(out, out_bytes, stream.get()) == expected);
    world().barrier();
  }
}

/// What ranks have open of each other, freed since, and memory at its place.
struct Reused {
  gpu::Team team{world(), my_device()};
  device::Memory memory = device::make_memory(bytes);
  gpu::SharedAddresses before, now;
  static constexpr std::size_t bytes = 4096;

  explicit Reused(const std::shared_ptr<gpu::ImportUser>& user) {
    before.share(team, {memory.get()}, user);
    memory = device::Memory();
    memory = device::make_memory(bytes);
    world().barrier();
  }
  ~Reused() {
    before = now = {};
    world().barrier();
  }
};

TEST(Imports, AreNotClosedInTheMiddleOfCalls) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has nothing open";
  const device::DeviceScope scope(my_device());
  int finished = 0;
  const auto user = std::make_shared<gpu::ImportUser>([&finished] { ++finished; });
  Reused reused(user);
  std::promise<void> begun;
  std::thread call([&] {
    const auto in_call = user->in_call();
    begun.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_FALSE(reused.before.stale());
    EXPECT_EQ(finished, 0);
  });
  begun.get_future().wait();
  EXPECT_NO_THROW(reused.now.share(reused.team, {reused.memory.get()}));
  call.join();
  EXPECT_TRUE(reused.before.stale());
  EXPECT_GT(finished, 0);
}

TEST(Imports, StayOpenWhereWorkDoesNotEnd) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has nothing open";
  const device::DeviceScope scope(my_device());
  const auto user = std::make_shared<gpu::ImportUser>([] {});
  Reused reused(user);
  user->leave(false);
  EXPECT_THROW(reused.now.share(reused.team, {reused.memory.get()}), Error);
  EXPECT_FALSE(reused.before.stale());
  user->leave(true);
  EXPECT_NO_THROW(reused.now.share(reused.team, {reused.memory.get()}));
  EXPECT_TRUE(reused.before.stale());
}

}  // namespace
}  // namespace shardfft::test
