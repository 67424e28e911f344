// Which way GPU plans take where they may choose: trials whose time is told by a clock of the test.
#include <gtest/gtest.h>

#include "base/hooks.hpp"
#include "gpu/group_kit.hpp"
#include "support/fake_time.hpp"

namespace shardfft::test {
namespace {

/// A run takes some time, and a little more or less for each moment at which a hook sees its steps.
struct StepCosts : DeviceStepHook {
  FakeTime& time;
  double each;
  StepCosts(FakeTime& t, double e) : time(t), each(e) {}
  void reached(std::size_t step, Moment moment, std::byte* /*array*/, std::size_t /*bytes*/,
               void* /*stream*/) override {
    time.now += step == 0 && moment == Moment::before ? 0.01 : each;
  }
};

TransformCase tried(const std::string& input, const std::string& output, const std::string& algorithm = "auto") {
  Options options = on_gpu(algorithm);
  options.effort = Effort::measure;
  return {{32, 24, 16}, input, output, Kind::c2c, Precision::f64, options};
}

Plan made_with(const TransformCase& c, int ranks, double each) {
  FakeTime time;
  StepCosts costs(time, each);
  const Installed<Clock> clock(time);
  const Installed<DeviceStepHook> hook(costs);
  return make_plan_over(devices_for(ranks), c);
}

/// The report's word on an option; empty where nothing was chosen.
Choice choice_of(const Plan& plan, const std::string& what) {
  for (const Choice& choice : plan.report().choices)
    if (choice.what == what) return choice;
  return {};
}

TEST(DeviceTrial, TheFastestNumberOfChunksIsTaken) {
  for (const double each : {1e-4, -1e-4}) {
    TransformCase c = tried("last-slab", "left");
    c.options.verify = true;  // then each chunk is seen
    Plan plan = made_with(c, 2, each);
    const Choice choice = choice_of(plan, "chunks");
    EXPECT_EQ(choice.why.find("measured: by size "), 0u) << choice.why;
    EXPECT_NE(choice.why.find(", 8 "), std::string::npos) << choice.why;
    EXPECT_EQ(choice.chosen, each > 0 ? "by size" : "8") << choice.why;
    const std::string text = plan.report().to_text();
    EXPECT_EQ(text.find("pipeline of ") != std::string::npos, each < 0) << text;
    check_device_plan(members_of(plan), c);
  }
}

TEST(DeviceTrial, TheAlgorithmIsMeasuredWhereTheOutputIsFixed) {
  std::vector<std::string> chosen;
  for (const double each : {1e-3, -1e-3}) {
    const TransformCase c = tried("last-slab", "natural");  // pencils have more steps
    Plan plan = made_with(c, 4, each);
    const Choice choice = choice_of(plan, "algorithm");
    EXPECT_EQ(choice.chosen, plan.report().algorithm);
    EXPECT_EQ(choice.why.find("measured: "), 0u) << choice.why;
    for (const char* tried : {"slab ", "pencil "}) EXPECT_NE(choice.why.find(tried), std::string::npos) << choice.why;
    chosen.push_back(choice.chosen);
    check_device_plan(members_of(plan), c);
  }
  EXPECT_NE(chosen.front(), chosen.back());
}

/// Nothing is left of the trial: runs, times, graphs, memory.
TEST(DeviceTrial, PlansBeginAnew) {
  for (const double each : {1e-4, -1e-4}) {
    TransformCase c = tried("last-slab", "left");
    c.options.verify = true;
    Plan plan = made_with(c, 2, each);
    const PlanReport report = plan.report();
    EXPECT_EQ(report.forward.runs + report.backward.runs, 0);
    EXPECT_EQ(report.forward.graph_runs, 0);
    EXPECT_EQ(report.forward.seconds, 0);
    EXPECT_EQ(report.forward.checks, 0);
    TransformCase told = c;
    told.options.chunks = each > 0 ? 0 : 8;
    told.options.effort = Effort::estimate;
    EXPECT_EQ(plan.workspace_bytes(), make_plan_over(devices_for(2), told).workspace_bytes());
  }
}

TEST(DeviceTrial, NothingIsTriedWhereNothingCanBeGained) {
  const auto expect_nothing = [](const char* what, int ranks, const std::function<void(TransformCase&)>& change) {
    SCOPED_TRACE(what);
    TransformCase c = tried("last-slab", "left", "pencil");
    c.options.norm = Norm::none;  // transforms with a scale try cuFFT that scales
    change(c);
    const std::string text = made_with(c, ranks, -1e-4).report().to_text();
    EXPECT_EQ(text.find("measured"), std::string::npos) << text;
  };
  expect_nothing("one GPU", 1, [](TransformCase&) {});
  expect_nothing("an estimate", 2, [](TransformCase& c) { c.options.effort = Effort::estimate; });
  expect_nothing("least workspace", 2, [](TransformCase& c) {
    c.input = "slab";
    c.options.algorithm = "slab";
    c.options.workspace = Workspace::least;
  });
  expect_nothing("all is told", 2, [](TransformCase& c) {
    c.options.chunks = 1;
    c.options.exchange = "cuda_peer";
  });
  expect_nothing("what is told cannot be cut", 2, [](TransformCase& c) { c.options.exchange = "host_staged"; });
}

}  // namespace
}  // namespace shardfft::test
