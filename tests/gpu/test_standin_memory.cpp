// What plans say of device memory, against what the stand-in gave out.
#include <gtest/gtest.h>

#include "device/handles.hpp"
#include "device/standin/memory.hpp"
#include "device/standin/settings.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::test {
namespace {

using device::standin::MemoryTable;

std::size_t used(int device) { return MemoryTable::instance().used(device); }

/// Planning takes what the report calls tables, the first run the workspace, and the plan's end gives both back.
void check(const Layout& input, Transform transform, const Options& options) {
  SCOPED_TRACE(options.exchange + " " + options.algorithm);
  const int ranks = input.ranks();
  std::vector<int> numbers(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) numbers[static_cast<std::size_t>(r)] = r;
  const std::size_t before = used(0);
  {
    Plan plan(Devices(numbers), transform, input, default_output, options);
    EXPECT_EQ(used(0) - before, plan.report().table_bytes) << plan.report();
    std::vector<Buffer> arrays;
    std::vector<const void*> in;
    std::vector<void*> out;
    for (int r = 0; r < ranks; ++r) {
      arrays.push_back(plan.allocate_input(r));
      in.push_back(arrays.back().data());
      arrays.push_back(plan.allocate_output(r));
      out.push_back(arrays.back().data());
    }
    plan.forward(in, out);
    std::vector<void*> back;
    for (const void* array : in) back.push_back(const_cast<void*>(array));
    plan.backward(std::vector<const void*>(out.begin(), out.end()), back);
    const PlanReport report = plan.report();
    EXPECT_EQ(used(0) - before,
              report.table_bytes + report.workspace_bytes + plan.input(0).bytes() + plan.output(0).bytes())
        << report;
  }
  EXPECT_EQ(used(0), before);
}

TEST(DeviceMemory, IsWhatThePlanSays) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const char* exchange : {"auto", "cuda_peer"}) {
      Options options;
      options.exchange = exchange;
      check(Layout::slab({16, 16, 16}, 2), {kind, Precision::f64}, options);
      check(Layout::slab({7, 9, 10}, 2), {kind, Precision::f64}, options);
      check(Layout::slab({16, 16}, 2), {kind, Precision::f64}, options);
      options.algorithm = "pencil";
      check(Layout::slab({16, 12, 16}, 2), {kind, Precision::f64}, options);
    }
}

TEST(DeviceMemory, WhatDoesNotFitIsRefusedBeforeAnythingIsAllocated) {
  const std::size_t before = used(0);
  const Layout huge = Layout::slab({2048, 2048, 512}, 2);  // 16 GiB a rank, of 4
  for (const char* algorithm : {"slab", "pencil"}) {
    Options options;
    options.algorithm = algorithm;
    try {
      Plan(Devices{0, 1}, c2c<double>, huge, default_output, options);
      ADD_FAILURE() << "a plan that does not fit was made";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Status::out_of_memory) << error.what();
      EXPECT_NE(std::string(error.what()).find("34359738368"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(std::to_string(device::standin::device_bytes())), std::string::npos)
          << error.what();
    }
    EXPECT_EQ(used(0), before);
  }
}

}  // namespace
}  // namespace shardfft::test
