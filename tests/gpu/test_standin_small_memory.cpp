// A GPU that has room for a plan's transforms, but not for its operators.
#include <cstdlib>

#include "device/standin/memory.hpp"
#include "gpu/group_kit.hpp"

namespace shardfft::test {
namespace {

/// In MiB, before the stand-in asks.
const bool small = setenv("SHARDFFT_STANDIN_MEMORY", "64", 1) == 0;

/// An operator needs room for the spectrum beside the planes.
TEST(SmallMemory, AnOperatorThatDoesNotFitLeavesThePlanAsItWas) {
  ASSERT_TRUE(small);
  TransformCase c{{100, 104, 125}};
  c.options = on_gpu("slab");
  Plan plan = make_plan_over(devices_for(2), c);
  const std::size_t workspace = plan.workspace_bytes();
  const std::vector<Buffer> arrays{plan.allocate_input(0), plan.allocate_input(1)};
  const std::vector<void*> both{arrays[0].data(), arrays[1].data()};
  for (int call = 0; call < 2; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    expect_refusal(Status::out_of_memory, "bytes of its GPU (", [&] {
      plan.apply(Operator::laplacian(), std::vector<const void*>(both.begin(), both.end()), both);
    });
    EXPECT_EQ(plan.workspace_bytes(), workspace);
  }
  check_device_plan(members_of(plan), c, "host");
}

/// An array of 40 MiB has no room for a second one, and one of 63.75 none for pages.
TEST(SmallMemory, TheLeastWorkspaceNeedsOneArray) {
  TransformCase c{{128, 128, 160}};
  c.options = on_gpu("slab");
  expect_refusal(Status::out_of_memory, "for input and output", [&] { make_plan_over(devices_for(1), c); });
  c.options.workspace = Workspace::least;
  Plan plan = make_plan_over(devices_for(1), c);
  check_device_plan(members_of(plan), c);
  c.shape = {128, 128, 2 * 240};
  make_plan_over(devices_for(2), c);
  const auto& memory = device::standin::MemoryTable::instance();
  const std::size_t before = memory.used(1);
  c.shape = {128, 128, 2 * 255};
  expect_refusal(Status::out_of_memory, "of workspace", [&] { make_plan_over(devices_for(2), c); });
  EXPECT_EQ(memory.used(1), before);
}

}  // namespace
}  // namespace shardfft::test
