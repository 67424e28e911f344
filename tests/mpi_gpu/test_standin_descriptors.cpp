// Memory that processes share by file descriptors, on the stand-in, which counts what is released too early.
#include <gtest/gtest.h>

#include "device/standin/memory.hpp"
#include "mpi_gpu/descriptors.hpp"
#include "support/device_check.hpp"

namespace shardfft::test {
namespace {

int released_while_open() { return device::standin::MemoryTable::instance().released_while_open(); }

TEST(Descriptors, OfMemoryThatWasReleased) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has no peer";
  const device::DeviceScope scope(my_device());
  Shared shared;
  world().barrier();
  const int before = released_while_open();
  {
    const device::ImportedMemory one(device::import_memory(shared.handles[shared.next]));
    EXPECT_THROW(device::export_memory(one.get()), Error);
    world().barrier();
    shared.memory = {};
    EXPECT_EQ(released_while_open(), before + 1);
    world().barrier();
    EXPECT_THROW(device::import_memory(shared.handles[shared.next]), Error);
    // Other memory of the owner opens beside it, unlike by ipc.
    const Shared again;
    device::ImportedMemory(device::import_memory(again.handles[shared.next]));
    world().barrier();
  }
  EXPECT_EQ(released_while_open(), before + 1) << "the second one was closed before its end";
}

/// Results of two plans at a time, in arrays of the plan and in others, which no peer can open.
TEST(Descriptors, PlansCloseMemoryBeforeItsEnd) {
  const Descriptors set("1");
  const int before = released_while_open();
  for (const char* algorithm : {"slab", "pencil"})
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      TransformCase c{{12, 10, 8}, algorithm, "left", kind, Precision::f64, on_gpu(algorithm)};
      if (world().size() > 1) c.options.exchange = "cuda_peer";
      Plan one = make_plan(MPI_COMM_WORLD, c), two = make_plan(MPI_COMM_WORLD, c);
      for (Plan* plan : {&one, &two, &one}) check_device_plan(members_of(*plan), c);
    }
  world().barrier();
  EXPECT_EQ(released_while_open(), before) << "memory of a plan was released before its peers closed it";
}

}  // namespace
}  // namespace shardfft::test
