// How often a plan pins host arrays, which only the stand-in can tell.
#include "device/standin/memory.hpp"
#include "gpu/pages_kit.hpp"

namespace shardfft::test {
namespace {

TEST(StandinRegisteredArrays, NewMemoryAtAnOldAddressIsPinnedAnew) {
  if (!kernel_tells()) GTEST_SKIP() << "this kernel does not tell locked pages";
  Options o = on_gpu();
  o.memory = MemoryModel::registered;
  Plan plan(Devices{0}, c2c<double>, Layout::slab({16, 16, 16}, 1), default_output, o);
  ASSERT_EQ(plan.input(0).bytes(), page_bytes);
  auto in = std::make_unique<Pages>(page_bytes), out = std::make_unique<Pages>(page_bytes);
  void* const at = in->data();
  const auto& table = device::standin::MemoryTable::instance();
  const auto run = [&] {
    std::memset(in->data(), 0, page_bytes);
    const std::vector<const void*> ins{in->data()};
    const std::vector<void*> outs{out->data()};
    const std::int64_t before = table.registrations();
    plan.forward(ins, outs);
    return table.registrations() - before;
  };
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(run(), 0);
  in.reset();
  in = std::make_unique<Pages>(page_bytes, at);
  ASSERT_EQ(in->data(), at);
  EXPECT_EQ(run(), 1) << "the old pages are still pinned, the new ones are not";
  EXPECT_EQ(run(), 0);
}

}  // namespace
}  // namespace shardfft::test
