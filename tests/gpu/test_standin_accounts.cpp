// What plans over GPUs of this process say of memory, against what the stand-in gave out.
#include <gtest/gtest.h>

#include "gpu/group_kit.hpp"
#include "support/account_check.hpp"
#include "support/device_moved.hpp"
#include "support/least_check.hpp"

namespace shardfft::test {
namespace {

void check_over(int ranks, const TransformCase& c) {
  SCOPED_TRACE(std::to_string(ranks) + " GPUs");
  check_accounts([&] { return make_plan_over(devices_for(ranks), c); }, c, [](std::int64_t own) { return own; });
}

TEST(Accounts, AreWhatWasGivenOut) {
  for (TransformCase c : account_cases()) {
    for (const int ranks : {1, 2, 4}) check_over(ranks, c);
    for (const char* exchange : {"cuda_peer_copy", "cuda_peer_store"}) {
      c.options.exchange = exchange;
      check_over(3, c);
    }
  }
}

TEST(Accounts, OfChecks) {
  for (TransformCase c : account_cases()) {
    c.options.verify = true;
    for (const int ranks : {1, 2}) check_over(ranks, c);
  }
  for (TransformCase c : large_account_cases()) {
    c.options.verify = true;
    check_over(2, c);
  }
}

TEST(Accounts, OfPassesOfOurOwn) {
  for (const int ranks : {1, 2})
    for (const TransformCase& c : large_account_cases()) check_over(ranks, c);
}

/// Runs in place take the workspace, and nothing else.
TEST(Accounts, OfTheLeastWorkspace) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const int ranks : {1, 2, 3}) {
      const TransformCase c{{64, 50, 36}, "slab", "left", kind, Precision::f64, least_on_gpu("slab")};
      SCOPED_TRACE(c.name() + ", " + std::to_string(ranks) + " GPUs");
      const auto first = given_out(device::MemoryKind::device, false);
      Plan plan = make_plan_over(devices_for(ranks), c);
      const auto planned = given_out(device::MemoryKind::device, false);
      std::vector<Buffer> arrays;
      std::vector<void*> fields;
      for (int m = 0; m < ranks; ++m) fields.push_back(arrays.emplace_back(plan.allocate_input(m)).data());
      const auto before = given_out(device::MemoryKind::device, false);
      device::standin::MemoryTable::instance().forget_peaks();
      for (int run = 0; run < 3; ++run) {
        plan.forward(fields, fields);
        plan.backward(fields, fields);
      }
      const auto most = given_out(device::MemoryKind::device, true);
      std::size_t tables = 0, workspace = 0;
      for (std::size_t d = 0; d < to_size(ranks); ++d) {
        EXPECT_EQ(arrays[d].bytes(), plan.in_place_bytes(static_cast<int>(d)));
        EXPECT_EQ(before[d] - planned[d], device::in_whole_pages(arrays[d].bytes()));
        tables = std::max(tables, planned[d] - first[d]);
        workspace = std::max(workspace, most[d] - before[d]);
      }
      EXPECT_EQ(tables, plan.report().table_bytes);
      EXPECT_EQ(workspace, plan.report().workspace_bytes);
    }
}

/// Of two GPUs, with arrays on the host, which are copied, and on the devices.
TEST(Accounts, OfRedistributions) {
  const Layout from = Layout::slab({16, 12, 10}, 2), to = Layout::slab({16, 12, 10}, 2, 1, {2, 0, 1});
  for (const std::string memory : {"device", "host"}) {
    SCOPED_TRACE(memory);
    const auto before = given_out(device::MemoryKind::device, false);
    {
      Redistribution planned(Devices(devices_for(2)), from, to, 8);
      std::vector<PlacedArray> in, out;
      std::vector<const void*> ins;
      std::vector<void*> outs;
      for (int m = 0; m < 2; ++m) {
        in.emplace_back(memory, planned.device(m), to_size(planned.input_count(m)) * 8);
        out.emplace_back(memory, planned.device(m), to_size(planned.output_count(m)) * 8);
      }
      for (std::size_t m = 0; m < 2; ++m) {
        ins.push_back(in[m].data());
        outs.push_back(out[m].data());
      }
      const auto with_arrays = given_out(device::MemoryKind::device, false);
      device::standin::MemoryTable::instance().forget_peaks();
      planned.forward(ins, outs);
      planned.backward(ins, outs);
      const auto most = given_out(device::MemoryKind::device, true);
      EXPECT_EQ(most[0] - with_arrays[0], planned.workspace_bytes());
      EXPECT_EQ(planned.workspace_bytes() > 0, memory == "host");
    }
    EXPECT_EQ(given_out(device::MemoryKind::device, false), before);
  }
}

}  // namespace
}  // namespace shardfft::test
