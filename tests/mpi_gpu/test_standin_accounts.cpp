// What plans of processes with a GPU each say of memory, against what the stand-in gave out.
#include <gtest/gtest.h>

#include "support/account_check.hpp"
#include "support/device_check.hpp"
#include "support/fewer_buffers.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

void check_here(const TransformCase& c) {
  check_accounts([&] { return make_plan(MPI_COMM_WORLD, c); }, c, [](std::int64_t own) { return world().max(own); });
}

TEST(Accounts, AreWhatWasGivenOut) {
  for (TransformCase c : account_cases()) {
    check_here(c);
    if (c.options.chunks > 0 || c.kind != Kind::r2c) continue;
    for (const char* messages : {"mpi_device", "host_staged"}) {
      c.options.exchange = messages;
      check_here(c);
    }
  }
}

/// Runs take nothing beside it, the planes and rows of slabs included.
TEST(Accounts, CallersWorkspaceIsAll) {
  for (TransformCase c : large_account_cases()) {
    SCOPED_TRACE(c.name());
    device::Memory memory;  // outlives the plan
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    const int device = plan.device(0);
    const device::DeviceScope scope(device);
    memory = device::make_memory(plan.workspace_bytes());
    plan.set_workspace(memory.get(), plan.workspace_bytes());
    const Buffer in = plan.allocate_input(), out = plan.allocate_output();
    auto& table = device::standin::MemoryTable::instance();
    const std::size_t before = table.used(device);
    table.forget_peaks();
    plan.forward(in.data(), out.data());
    plan.backward(out.data(), in.data());
    EXPECT_EQ(table.peak(device), before);
    const PlanReport report = plan.report();
    EXPECT_LT(report.table_bytes, 4096u) << report;
    EXPECT_EQ(device::in_whole_pages(plan.workspace_bytes()), plan.workspace_bytes());  // peers write fastest there
    if (world().size() > 1) {
      EXPECT_GE(report.workspace_bytes, plan.output().bytes()) << report;
    }
    world().barrier();
  }
}

TEST(Accounts, EveryWayWithFewerBuffersIsRight) {
  if (world().size() != 2 && world().size() != 4) GTEST_SKIP() << "shares are equal on two and four ranks";
  const auto check = [](const char* output, Kind kind, bool in_place, const char* input = "slab") {
    TransformCase c{{128, 128, 40}, input, output, kind, Precision::f64, on_gpu(input)};
    c.options.in_place = in_place;
    return check_ways([&] { return make_plan(MPI_COMM_WORLD, c); }, c);
  };
  check("left", Kind::c2c, false);
  check("left", Kind::c2c, true);
  check("natural", Kind::c2c, false);
  check("natural", Kind::r2c, false);
  EXPECT_EQ(check("natural", Kind::c2c, true, "pencil"), world().size() == 4) << "three reshapes need two arrays";
}

TEST(Accounts, OfPassesOfOurOwn) {
  for (const TransformCase& c : large_account_cases()) check_here(c);
}

}  // namespace
}  // namespace shardfft::test
