// Facts about devices as data: passes are chosen by what plans are told, whatever is there.
#include <gtest/gtest.h>

#include "device/facts.hpp"
#include "device/plane_pass.hpp"
#include "device/runtime.hpp"

namespace shardfft::device {
namespace {

TEST(Facts, OfEveryDevice) {
  for (int device = 0; device < device_count(); ++device) {
    const DeviceFacts& one = facts(device);
    EXPECT_FALSE(one.name.empty());
    EXPECT_GT(one.multiprocessors, 0);
    EXPECT_GE(one.shared_bytes_a_block, std::size_t{32} << 10);
    EXPECT_GE(one.shared_bytes, one.shared_bytes_a_block);
    EXPECT_GT(one.l2_bytes, 0u);
    set_device(device);
    EXPECT_LE(memory_info().free, one.memory_bytes);
    EXPECT_EQ(&current_facts(), &one);
  }
}

}  // namespace
}  // namespace shardfft::device
