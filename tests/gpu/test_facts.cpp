// Facts about devices as data: passes are chosen by what plans are told, whatever is there.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "device/chips.hpp"
#include "device/facts.hpp"
#include "device/plane_pass.hpp"
#include "device/runtime.hpp"

namespace shardfft::device {
namespace {

namespace fs = std::filesystem;

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

/// A bus with devices: the numbers of their vendor, kind and class.
class Bus {
 public:
  Bus() {
    std::string name = (fs::temp_directory_path() / "shardfft-bus-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Bus() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Bus& add(const char* vendor, const char* device, const char* what) {
    const fs::path place = folder_ / std::to_string(count_++);
    fs::create_directory(place);
    std::ofstream(place / "vendor") << vendor << '\n';
    std::ofstream(place / "device") << device << '\n';
    std::ofstream(place / "class") << what << '\n';
    return *this;
  }
  /// "2 of 90"
  std::string chips() const {
    const auto found = chips_on_bus(folder_.string());
    return found ? std::to_string(found->count) + " of " + std::to_string(found->architecture) : "unknown";
  }

 private:
  fs::path folder_;
  int count_ = 0;
};

TEST(Facts, OfChipsOnABus) {
  const char *const nvidia = "0x10de", *const compute = "0x030200", *const screen = "0x030000";
  EXPECT_EQ(Bus().chips(), "unknown");
  EXPECT_FALSE(chips_on_bus("/nothing/is/here"));
  EXPECT_EQ(Bus().add(nvidia, "0x2335", compute).add(nvidia, "0x2330", compute).chips(), "2 of 90");    // H200, H100
  EXPECT_EQ(Bus().add(nvidia, "0x20b2", compute).add("0x8086", "0x2330", screen).chips(), "1 of 80");   // A100
  EXPECT_EQ(Bus().add(nvidia, "0x2204", screen).chips(), "1 of 86");                                    // RTX 3090
  EXPECT_EQ(Bus().add(nvidia, "0x2684", screen).add(nvidia, "0x22ba", "0x040300").chips(), "1 of 89");  // RTX 4090
  EXPECT_EQ(Bus().add(nvidia, "0x2901", compute).add(nvidia, "0x2941", compute).chips(), "2 of 100");   // B200, GB200
  EXPECT_EQ(Bus().add(nvidia, "0x2b85", screen).add(nvidia, "0x2c02", screen).chips(), "2 of 120");  // RTX 5090, 5080
  EXPECT_EQ(Bus().add(nvidia, "0x2335", compute).add(nvidia, "0x20b2", compute).chips(), "unknown");
  EXPECT_EQ(Bus().add(nvidia, "0x2335", compute).add(nvidia, "0x1eb8", screen).chips(), "unknown");
}

}  // namespace
}  // namespace shardfft::device
