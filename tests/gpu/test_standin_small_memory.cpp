// GPUs that have room for a plan's transforms, but not for its operators, or for no work areas of the library.
#include <cstdlib>

#include "device/facts.hpp"
#include "device/handles.hpp"
#include "device/standin/memory.hpp"
#include "device/standin/settings.hpp"
#include "gpu/group_kit.hpp"
#include "gpu/pass/device_fft.hpp"
#include "support/fewer_buffers.hpp"

namespace shardfft::test {
namespace {

/// 64 MiB a GPU: the stand-in asks once, so that this suite has a process of its own.
class SmallMemory : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("SHARDFFT_STANDIN_MEMORY", "64", 1); }
  void SetUp() override { ASSERT_EQ(device::memory_info().total, std::size_t{64} << 20); }
};

/// An operator has transforms of its own, with their work areas.
TEST_F(SmallMemory, AnOperatorThatDoesNotFitLeavesThePlanAsItWas) {
  TransformCase c{{96, 104, 112}};
  c.options = on_gpu("slab");
  Plan plan = make_plan_over(devices_for(2), c);
  const std::size_t workspace = plan.workspace_bytes();
  std::vector<Buffer> arrays;
  for (int m = 0; m < 2; ++m) arrays.push_back(plan.allocate_input(m));
  const std::vector<void*> both{arrays[0].data(), arrays[1].data()};
  for (int call = 0; call < 2; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    expect_refusal(Status::out_of_memory, "bytes of its GPU (", [&] {
      plan.apply(Operator::laplacian(), std::vector<const void*>(both.begin(), both.end()), both);
    });
    EXPECT_EQ(plan.workspace_bytes(), workspace);
  }
  arrays.clear();
  check_device_plan(members_of(plan), c);
}

/// An array of 40 MiB has no room for a second one, and one of 63.75 none for pages.
TEST_F(SmallMemory, TheLeastWorkspaceNeedsOneArray) {
  TransformCase c{{128, 128, 160}};
  c.options = on_gpu("slab");
  expect_refusal(Status::out_of_memory, "for input and output", [&] { make_plan_over(devices_for(1), c); });
  expect_refusal(Status::out_of_memory, "; in place with workspace = least it needs 41943040 bytes",
                 [&] { make_plan_over(devices_for(1), c); });
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

/// Fields of 10 MiB, each with an array for its result. What a plan holds is known once a batch has room for its
/// arrays.
TEST_F(SmallMemory, ASmallerBatchIsNamed) {
  TransformCase c{{64, 64, 160}};
  c.options = on_gpu("slab");
  c.options.batch = 8;
  expect_refusal(Status::out_of_memory, "; a batch of 3 of the 8 fields at a time may fit",
                 [&] { make_plan_over(devices_for(1), c); });
  c.options.batch = 3;
  EXPECT_EQ(buffers_of(make_plan_over(devices_for(1), c).report()), "one array");
  c.options.batch = 1;
  EXPECT_EQ(buffers_of(make_plan_over(devices_for(1), c).report()), "fast");
  c.shape = {256, 256, 160};
  expect_refusal(Status::out_of_memory, "more GPUs, or larger ones", [&] { make_plan_over(devices_for(1), c); });
}

/// While it lives, planes of 96 x 384 numbers are too large for the cache, transforms of the library take
/// memory for their work areas, and devices have 4 MiB left.
class NoRoomForWorkAreas {
 public:
  NoRoomForWorkAreas() {
    device::DeviceFacts facts = before_;
    facts.l2_bytes = std::size_t{1} << 19;
    device::standin::give_facts(facts);
    device::standin::take_work_areas(true);
    for (int number = 0; number < device::device_count(); ++number) {
      const device::DeviceScope scope(number);
      taken_.push_back(device::make_memory(device::memory_info().free - (std::size_t{4} << 20)));
    }
  }
  ~NoRoomForWorkAreas() {
    device::standin::take_work_areas(false);
    device::standin::give_facts(before_);
  }
  NoRoomForWorkAreas(const NoRoomForWorkAreas&) = delete;
  NoRoomForWorkAreas& operator=(const NoRoomForWorkAreas&) = delete;
  void give_memory_back() { taken_.clear(); }

 private:
  device::DeviceFacts before_ = device::facts(0);
  std::vector<device::Memory> taken_;
};

/// Whole runs are tried in arrays and a workspace of their own, for which there is no room here.
TEST_F(SmallMemory, WithoutMemoryNoOtherWayIsTried) {
  TransformCase c{{64, 64, 64}, "last-slab", "left"};
  c.options = on_gpu("pencil");
  c.options.effort = Effort::measure;
  std::vector<device::Memory> taken;
  for (int number = 0; number < 2; ++number) {
    const device::DeviceScope scope(number);
    taken.push_back(device::make_memory(device::memory_info().free - (std::size_t{5} << 20)));
  }
  Plan plan = make_plan_over(devices_for(2), c);
  const std::string text = plan.report().to_text();
  EXPECT_NE(text.find("chunks by size: there is no memory to measure others with"), std::string::npos) << text;
  taken.clear();
  check_device_plan(members_of(plan), c);
}

/// Rows of 384 points by a kernel of our own, since the library would want a work area.
TEST_F(SmallMemory, SlabsTakeNoWorkAreaThatTheyDoWithout) {
  NoRoomForWorkAreas devices;
  TransformCase c{{128, 96, 384}};
  c.precision = Precision::f32;
  c.options = on_gpu("slab");
  Plan plan = make_plan_over(devices_for(2), c);
  EXPECT_EQ(plan.report().library_bytes, 0u) << plan.report();
  devices.give_memory_back();
  check_device_plan(members_of(plan), c);
}

TEST_F(SmallMemory, TransformsOfOneGpuTakeNoWorkAreaThatTheyDoWithout) {
  const NoRoomForWorkAreas devices;
  const device::DeviceScope scope(0);
  FftSpec rows;
  rows.transform = {{384, 1, 1}};
  rows.batch = {{16, 384 * 384, 384 * 384}, {384, 384, 384}};
  rows.effort = Effort::estimate;
  expect_refusal(Status::out_of_memory, "has no", [&] { gpu::pass_named("cufft").make(rows, {}); });
  const auto fft = gpu::make_device_fft(rows);
  EXPECT_EQ(fft->kept().library, 0u) << fft->describe();
}

}  // namespace
}  // namespace shardfft::test
