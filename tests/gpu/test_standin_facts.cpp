// Plans for given facts about devices: passes are chosen by what planning is told, and nothing runs.
#include <gtest/gtest.h>

#include "device/facts.hpp"
#include "device/plane_pass.hpp"
#include "device/standin/settings.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::test {
namespace {

namespace lines = device::lines;

/// Other facts for as long as it lives.
class Given {
 public:
  template <class Change>
  explicit Given(Change change) {
    device::DeviceFacts facts = before_;
    change(facts);
    device::standin::give_facts(facts);
  }
  ~Given() { device::standin::give_facts(before_); }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

 private:
  device::DeviceFacts before_ = device::facts(0);
};

const auto as_it_is = [](device::DeviceFacts&) {};
const auto without_bulk_copies = [](device::DeviceFacts& facts) { facts.bulk_copies = false; };
const auto with_small_cache = [](device::DeviceFacts& facts) { facts.l2_bytes = std::size_t{6} << 20; };

/// Of a transform that is large enough for passes of our own. Nothing is tried: the stand-in's times mean nothing.
std::string report_of_a_plan() {
  const std::vector<int> devices{0};
  Options options;
  options.effort = Effort::estimate;
  const Layout whole = Layout::slab({128, 128, 128}, 1);
  return Plan(Devices(devices), c2c<double>, whole, default_output, options).report().to_text();
}
bool says(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

TEST(GivenFacts, OfAnH200) {
  const Given given(as_it_is);
  EXPECT_TRUE(lines::supported(1024));
  EXPECT_TRUE(lines::planes_supported(1024, Precision::f64, false));
  EXPECT_TRUE(lines::planes_supported(1536, Precision::f32, false));
  EXPECT_TRUE(lines::planes_supported(1536, Precision::f64, true));
  EXPECT_FALSE(lines::planes_supported(1536, Precision::f64, false));
  const std::string report = report_of_a_plan();
  EXPECT_TRUE(says(report, "plane pass")) << report;
}

TEST(GivenFacts, WithoutBulkCopiesThereAreNoPassesOfOurOwn) {
  const Given given(without_bulk_copies);
  EXPECT_FALSE(lines::supported(1024));
  EXPECT_FALSE(lines::takes_odd_rows(1024));
  EXPECT_FALSE(lines::planes_supported(128, Precision::f64, false));
  const std::string report = report_of_a_plan();
  EXPECT_FALSE(says(report, "plane pass") || says(report, "line pass")) << report;
  EXPECT_TRUE(says(report, "cufft")) << report;
}

TEST(GivenFacts, ASmallCacheHoldsSmallPlanesOnly) {
  const Given given(with_small_cache);
  EXPECT_TRUE(lines::supported(1024));
  EXPECT_TRUE(lines::planes_supported(256, Precision::f64, false));
  EXPECT_FALSE(lines::planes_supported(384, Precision::f64, false));
  EXPECT_TRUE(says(report_of_a_plan(), "plane pass"));
}

}  // namespace
}  // namespace shardfft::test
