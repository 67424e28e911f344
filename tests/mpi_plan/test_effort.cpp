// What plans measure with each effort, and that they keep their budget; time is told by a clock of the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/hooks.hpp"
#include "choose/trial.hpp"
#include "choose/way_choice.hpp"
#include "support/fake_time.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// Each computation takes so long, and nothing else does.
struct SlowWork : ComputeHook {
  FakeTime& time;
  double seconds;
  SlowWork(FakeTime& t, double s) : time(t), seconds(s) {}
  void compute(const Work& /*work*/, const std::function<void()>& action) override {
    action();
    time.now += seconds;
  }
};

struct Made {
  FakeTime time{};
  SlowWork work;
  TrialCount trials{};
  Installed<TrialCount> counted{trials};
  Installed<Clock> clock{time};
  Installed<ComputeHook> worked{work};
  Plan plan;
  explicit Made(const TransformCase& c, double seconds = 1e-3)
      : work(time, seconds), plan(make_plan(MPI_COMM_WORLD, c)) {}
};

TransformCase with_effort(Effort effort, const std::string& algorithm = "auto", int ranks_per_host = 0) {
  TransformCase c{{12, 16, 8}, "brick", "natural", Kind::c2c, Precision::f64, {}};
  c.options.algorithm = algorithm;
  c.options.effort = effort;
  c.options.fake_ranks_per_host = ranks_per_host;
  return c;
}

std::set<std::string> tried(const Plan& plan, std::string Way::*what) {
  std::set<std::string> all;
  for (const auto& one : plan.report().tried) all.insert(Way::parse(one.way).*what);
  return all;
}

std::set<Shape> tried_grids(const Plan& plan) {
  std::set<Shape> all;
  for (const auto& one : plan.report().tried) all.insert(Way::parse(one.way).grid);
  return all;
}

TEST(Effort, AnEstimateMeasuresNothing) {
  const Made made(with_effort(Effort::estimate));
  EXPECT_EQ(made.trials.begun, 0);
  EXPECT_TRUE(made.plan.report().tried.empty());
}

/// Each way of a patient plan can be given to another one, and the fastest is taken.
TEST(Effort, PatienceTriesAllGridsAndExchanges) {
  if (world().size() != 4) GTEST_SKIP() << "the grids of four ranks";
  Made made(with_effort(Effort::patient));
  const PlanReport report = made.plan.report();
  EXPECT_EQ(tried_grids(made.plan), (std::set<Shape>{{}, {1, 4}, {4, 1}}))
      << "2x2 is what pencils take of themselves, and 1x4 or 4x1 may be slabs'";
  const std::set<std::string> exchanges = tried(made.plan, &Way::exchange);
  for (const char* name : {"shared_window", "alltoallv", "p2p", "hierarchical"})
    EXPECT_TRUE(exchanges.contains(name)) << name;
  const auto rests = [](const auto& one) { return Way::parse(one.way).active == 1; };
  EXPECT_TRUE(std::any_of(report.tried.begin(), report.tried.end(), rests));
  std::set<std::string> ways;
  for (const auto& one : report.tried) EXPECT_TRUE(ways.insert(one.way).second) << one.way;
  EXPECT_TRUE(ways.contains(report.way)) << report.way;
  TransformCase c = with_effort(Effort::measure);
  c.options.wisdom = "none";
  for (std::size_t i = 0; i < report.tried.size(); i += 5) {
    c.options.way = report.tried[i].way;
    SCOPED_TRACE(c.options.way);
    Plan again = make_plan(MPI_COMM_WORLD, c);
    EXPECT_EQ(again.report().way, c.options.way);
    check_plan(again, c);
  }
}

TEST(Effort, PatienceLeavesWhatWasAskedFor) {
  if (world().size() != 4) GTEST_SKIP() << "the grids of four ranks";
  TransformCase c = with_effort(Effort::patient, "pencil");
  c.options.exchange = "p2p";
  const Made pencils(c);
  EXPECT_EQ(tried(pencils.plan, &Way::algorithm), (std::set<std::string>{"pencil"}));
  EXPECT_EQ(tried(pencils.plan, &Way::exchange), (std::set<std::string>{"p2p"}));
  EXPECT_EQ(tried_grids(pencils.plan), (std::set<Shape>{{}, {1, 4}, {4, 1}}));
  c.options.grid = {4, 1};
  const Made one(c);
  EXPECT_LE(one.plan.report().tried.size(), 1u);
  EXPECT_EQ(Way::parse(one.plan.way()).grid, (Shape{4, 1}));
}

/// One rank that has patience alone does not make the others wait.
TEST(Effort, PatienceIsOfAllRanks) {
  if (world().size() != 4) GTEST_SKIP() << "the grids of four ranks";
  TransformCase c = with_effort(world().rank() == 0 ? Effort::patient : Effort::measure);
  Made made(c);
  EXPECT_EQ(tried_grids(made.plan), (std::set<Shape>{{}}));
  check_plan(made.plan, c);
}

/// Over a network fewer hosts may be faster; whoever works for others may take as much longer.
TEST(Effort, RanksMayRestOverNetworks) {
  if (world().size() != 4) GTEST_SKIP() << "two hosts of two ranks";
  const Made made(with_effort(Effort::measure, "auto", 2));
  std::set<int> active;
  for (const auto& one : made.plan.report().tried) active.insert(Way::parse(one.way).active);
  EXPECT_EQ(active, (std::set<int>{0, 1, 2}));
}

TEST(Effort, ABudgetIsKept) {
  for (const Effort effort : {Effort::measure, Effort::patient})
    for (const double budget : {0.04, 0.4})
      for (const int ranks_per_host : {0, 1}) {
        TransformCase c = with_effort(effort, "auto", ranks_per_host);
        c.options.budget = budget;
        SCOPED_TRACE(to_text(effort) + " " + std::to_string(budget));
        Made made(c, 1e-4);
        EXPECT_LE(world().max(made.time.now), budget);
        check_plan(made.plan, c);
      }
  TransformCase none = with_effort(Effort::patient);
  none.options.budget = 1e-6;
  Made hurried(none);
  EXPECT_TRUE(hurried.plan.report().tried.empty());
  check_plan(hurried.plan, none);
}

TEST(Effort, ABudgetIsTheSameOnAllRanks) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  TransformCase c = with_effort(Effort::measure);
  c.options.budget = 1 + world().rank();
  expect_error(Status::mismatch, "different values of option budget", [&] { make_plan(MPI_COMM_WORLD, c); });
  c.options.budget = -1;
  expect_error(Status::invalid_argument, "option budget is -1", [&] { make_plan(MPI_COMM_WORLD, c); });
}

/// Ways of algorithms that are not the fastest come last, while there is time.
TEST(Effort, PatienceComesBackToWhatWasLeft) {
  FakeTime time;
  const Installed<Clock> clock(time);
  const std::vector<Way> ways{{"slab", "alltoallv"}, {"pencil", "alltoallv"}, {"slab", "p2p"}, {"slab", "ring"}};
  const std::vector<double> seconds{0.05, 0.04, 0.01, 0.02};
  for (const bool patient : {false, true}) {
    WayTrial trial{world(), ways, [](const Way&, double) { return true; },
                   [&](const Way& way) {
                     const double took =
                         seconds[static_cast<std::size_t>(std::find(ways.begin(), ways.end(), way) - ways.begin())];
                     time.now += took;
                     return world().max(took);
                   }};
    trial.patient = patient;
    const WayChoice choice = choose_way(trial);
    EXPECT_EQ(choice.times.size(), patient ? 4u : 2u);
    EXPECT_EQ(choice.way, ways[patient ? 2 : 1]);
  }
}

/// Ways by which the cost model expects far more time than the fastest one took are not run; but a model that does not
/// know how slow the links are, or how fast the machine, leaves none out.
TEST(Effort, TheCostModelLeavesOutWhatIsHopeless) {
  const std::vector<Way> ways{{"slab", "alltoallv"}, {"pencil", "alltoallv"}, {"brick", "alltoallv"}};
  const std::vector<double> expected{0.01, 0.02, 0.09};
  const auto at = [&](const Way& way) {
    return static_cast<std::size_t>(std::find(ways.begin(), ways.end(), way) - ways.begin());
  };
  const auto tried = [&](const std::vector<double>& seconds, double factor) {
    FakeTime time;
    const Installed<Clock> clock(time);
    WayTrial trial{world(), ways, [](const Way&, double) { return true; },
                   [&](const Way& way) {
                     time.now += seconds[at(way)];
                     return world().max(seconds[at(way)]);
                   }};
    trial.expects = [&](const Way& way) { return factor * expected[at(way)]; };
    return choose_way(trial).times.size();
  };
  EXPECT_EQ(tried({0.012, 0.03, 0.08}, 1), 2u);
  EXPECT_EQ(tried({0.3, 0.3, 0.08}, 1), 3u) << "links are slower than the figures";
  EXPECT_EQ(tried({0.012, 0.012, 0.012}, 0.2), 3u) << "a way of the figures' range";
}

}  // namespace
}  // namespace shardfft::test
