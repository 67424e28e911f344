// GPU plans made from the way of another plan.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/hooks.hpp"
#include "choose/trial.hpp"
#include "gpu/group_kit.hpp"
#include "support/smaller_gpus.hpp"

namespace shardfft::test {
namespace {

struct Made {
  TrialCount trials{};
  Installed<TrialCount> installed{trials};
  Plan plan;
  Made(int ranks, const TransformCase& c) : plan(make_plan_over(devices_for(ranks), c)) {}
};

void check_way(int ranks, Kind kind, bool verify) {
  Options options = on_gpu("auto");
  options.effort = Effort::measure;
  options.verify = verify;
  TransformCase c{{64, 64, 64}, "last-slab", "natural", kind, Precision::f64, options};
  SCOPED_TRACE(std::to_string(ranks) + " ranks, " + c.name());
  Made first(ranks, c);
  EXPECT_GT(first.trials.begun, 0) << "the test is to see that there are trials";
  c.options.way = first.plan.report().way;
  EXPECT_TRUE(ranks > 1 || c.options.way.find("passes ") != std::string::npos) << c.options.way;
  Made again(ranks, c);
  EXPECT_EQ(again.trials.begun, 0);
  const PlanReport report = again.plan.report();
  EXPECT_EQ(report.way, c.options.way);
  for (std::size_t i = 0; i < report.forward.steps.size(); ++i)
    EXPECT_EQ(report.forward.steps[i].text, first.plan.report().forward.steps[i].text);
  check_device_plan(members_of(again.plan), c);
}

TEST(DeviceWay, APlanMadeFromItMeasuresNothing) {
  const SmallerGpus smaller;
  check_way(1, Kind::c2c, false);
  check_way(1, Kind::r2c, true);
  check_way(2, Kind::c2r, false);
  check_way(4, Kind::c2c, false);
}

/// A plan whose problem stands in a file of wisdom, on the same GPUs.
TEST(DeviceWay, IsRemembered) {
  const SmallerGpus smaller;
  const std::filesystem::path file = std::filesystem::temp_directory_path() / ("wisdom-" + std::to_string(getpid()));
  Options options = on_gpu("auto");
  options.effort = Effort::measure;
  options.wisdom = file.string();
  TransformCase c{{64, 64, 64}, "last-slab", "natural", Kind::c2c, Precision::f64, options};
  Made first(2, c);
  EXPECT_GT(first.trials.begun, 0);
  Made again(2, c);
  EXPECT_EQ(again.trials.begun, 0);
  EXPECT_EQ(again.plan.way(), first.plan.way());
  check_device_plan(members_of(again.plan), c);
  c.options.wisdom = "none";
  EXPECT_GT(Made(2, c).trials.begun, 0);
  std::filesystem::remove(file);
}

TEST(DeviceWay, IsRefusedWhereItDoesNotFit) {
  const SmallerGpus smaller;
  Options options = on_gpu("slab");
  options.effort = Effort::measure;
  TransformCase c{{64, 64, 32}, "slab", "natural", Kind::c2c, Precision::f64, options};
  const PlanReport report = make_plan_over(devices_for(1), c).report();
  c.options.way = report.way;
  EXPECT_NE(c.options.way.find("passes c2c 64 64 32 forward="), std::string::npos) << c.options.way;
  const auto told = std::find_if(report.choices.begin(), report.choices.end(),
                                 [](const Choice& choice) { return choice.what == "passes of c2c 64 64 32 forward"; });
  ASSERT_NE(told, report.choices.end());
  EXPECT_NE((report.way + ";").find("passes c2c 64 64 32 forward=" + told->chosen + ";"), std::string::npos);
  EXPECT_TRUE(told->why.starts_with("measured: ")) << told->why;
  EXPECT_NE(told->why.find(told->chosen + " "), std::string::npos) << told->why;
  const auto refused = [&](const std::string& words) {
    expect_refusal(Status::invalid_argument, words, [&] { make_plan_over(devices_for(1), c); });
  };
  c.kind = Kind::r2c;
  refused("passes c2c 64 64 32 forward is absent");
  c.kind = Kind::c2c;
  c.options.way = c.options.way + "; library c2c=fftw";
  refused("library c2c is absent, not 'fftw'");
}

}  // namespace
}  // namespace shardfft::test
