// Memory and events that processes share by file descriptors, on the stand-in and on GPUs.
#include <gtest/gtest.h>

#include "mpi_gpu/descriptors.hpp"
#include "support/device_check.hpp"

namespace shardfft::test {
namespace {

TEST(Descriptors, OpenTheMemoryOfAPeer) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has no peer";
  const device::DeviceScope scope(my_device());
  const Shared shared;
  const device::Allocation whole = device::allocation_of(static_cast<std::byte*>(shared.memory.get()) + 8);
  EXPECT_EQ(whole.base, shared.memory.get());
  EXPECT_EQ(whole.sharing, Sharing::descriptors);
  EXPECT_EQ(device::describe(shared.memory.get()).device, my_device());
  EXPECT_EQ(device::allocation_of(device::make_memory(64).get()).sharing, Sharing::ipc);
  shared.write(shared.memory.get(), world().rank());
  world().barrier();
  device::IpcHandle handle = shared.handles[shared.next];
  {
    const device::ImportedMemory one(device::import_memory(handle)), two(device::import_memory(handle));
    EXPECT_EQ(shared.first(one.get()), static_cast<int>(shared.next));
    EXPECT_FALSE(device::allocation_of(one.get()).sharing) << "memory of another process cannot be exported";
    world().barrier();
    shared.write(two.get(), 100 + world().rank());
    EXPECT_EQ(shared.first(one.get()), 100 + world().rank());
    world().barrier();
  }
  EXPECT_EQ(shared.first(shared.memory.get()), 100 + (world().rank() + world().size() - 1) % world().size());
  for (const std::size_t byte : {8, 16}) {
    handle[byte] ^= 1;
    EXPECT_THROW(device::import_memory(handle), Error) << byte;
    handle[byte] ^= 1;
  }
  device::ImportedMemory(device::import_memory(handle));
  world().barrier();
}

/// Each rank writes into the next one's memory behind much other work, then records its event, many times.
TEST(Descriptors, EventsOrderTheWorkOfPeers) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has no peer";
  const device::DeviceScope scope(my_device());
  const Shared shared;
  const device::ImportedMemory there(device::import_memory(shared.handles[shared.next]));
  const int before = (world().rank() + world().size() - 1) % world().size();
  const device::Event written(device::import_event(shared.events[static_cast<std::size_t>(before)]));
  EXPECT_TRUE(device::done(written.get())) << "of an event that was never recorded";
  constexpr std::size_t much = std::size_t{16} << 20;
  const device::Memory load = device::make_memory(2 * much);
  for (int turn = 1; turn <= 5; ++turn) {
    const int number = 10 * turn + world().rank();
    const device::Stream stream = device::make_stream();
    for (int i = 0; i < 20; ++i)
      device::copy_bytes(static_cast<std::byte*>(load.get()) + much, load.get(), much, stream.get());
    device::copy_bytes(there.get(), &number, sizeof number, stream.get());
    device::record(shared.event.get(), stream.get());
    world().barrier();
    device::wait(shared.stream.get(), written.get());
    EXPECT_EQ(shared.first(shared.memory.get()), 10 * turn + before);
    EXPECT_TRUE(device::done(written.get()));
    device::synchronize(stream.get());
    world().barrier();
  }
}

TEST(Descriptors, TheUserMayWantThem) {
  const device::DeviceScope scope(my_device());
  for (const char* said : {"0", "1"}) {
    const Descriptors set(said);
    const gpu::Team team(world(), my_device());
    EXPECT_EQ(team.sharing(), world().size() > 1 && said[0] == '1' ? Sharing::descriptors : Sharing::ipc);
    EXPECT_TRUE(team.all_peers());
  }
  {
    // On one rank alone, too: every rank hears of it.
    const Descriptors set(world().rank() == 0 ? "yes" : "1");
    expect_error(Status::invalid_argument,
                 "SHARDFFT_DESCRIPTORS (whether processes share memory of GPUs by file "
                 "descriptors) is 'yes', expected 0 or 1",
                 [] { gpu::Team(world(), my_device()); });
  }
  if (world().size() == 1) return;
  const Descriptors set(world().rank() == 0 ? "1" : "0");
  EXPECT_THROW(gpu::Team(world(), my_device()), Error) << "not the same on all ranks";
}

TEST(Descriptors, ArraysOfThePlanAreWrittenDirectly) {
  if (world().size() == 1) GTEST_SKIP() << "one rank writes to nobody";
  const Descriptors set("1");
  const device::DeviceScope scope(my_device());
  Options options = on_gpu("slab");
  options.exchange = "cuda_peer";
  const OwnComm own;
  Plan plan(own.comm, c2c<double>, Layout::slab({12, 10, 8}, world().size()), default_output, options);
  const Buffer in = plan.allocate_input(), out = plan.allocate_output();
  EXPECT_EQ(device::allocation_of(out.data()).sharing, Sharing::descriptors);
  plan.forward(in.data(), out.data());
  const std::size_t before = plan.report().workspace_bytes;
  const device::Memory other = device::make_memory(plan.output().bytes());
  plan.forward(in.data(), other.get());
  EXPECT_GT(plan.report().workspace_bytes, before) << "no peer can open an array of another maker";
}

TEST(Descriptors, CallersWorkspaceIsRefused) {
  if (world().size() == 1) GTEST_SKIP() << "one rank shares nothing";
  const Descriptors set("1");
  const device::DeviceScope scope(my_device());
  Options options = on_gpu("slab");
  options.exchange = "cuda_peer";
  const OwnComm own;
  Plan plan(own.comm, r2c<double>, Layout::slab({12, 10, 8}, world().size()), natural_output, options);
  const device::Memory memory = device::make_memory(plan.workspace_bytes());
  try {
    plan.set_workspace(memory.get(), plan.workspace_bytes());
    ADD_FAILURE() << "no peer can open it";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("file descriptors"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace shardfft::test
