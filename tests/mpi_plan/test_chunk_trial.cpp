// How many chunks plans take where they may choose: trials whose time is told by a clock of the test.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/hooks.hpp"
#include "exec/chunk_trial.hpp"
#include "support/fake_time.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// Programs that take as long as they are told to, by the number of chunks.
struct FakePlan {
  std::map<int, double> seconds;
  double plan_seconds = 0;
  std::map<int, int> runs = {};
  std::set<int> made = {1};
  FakeTime time = {};

  ChunkChoice choose() {
    const Installed<Clock> clock(time);
    return choose_chunks({world(),
                          [this](int chunks, double deadline) {
                            EXPECT_GE(deadline, time.now);
                            time.now += plan_seconds;
                            if (!seconds.contains(chunks)) return false;
                            made.insert(chunks);
                            return true;
                          },
                          [this](int chunks) {
                            EXPECT_TRUE(made.contains(chunks)) << chunks;
                            ++runs[chunks];
                            time.now += seconds.at(chunks);
                            return world().max(seconds.at(chunks));
                          }});
  }
};

TEST(ChunkTrial, TheFastestNumberIsTaken) {
  FakePlan plan{{{1, 0.02}, {4, 0.018}, {8, 0.016}, {32, 0.017}}};
  const ChunkChoice choice = plan.choose();
  EXPECT_EQ(choice.chunks, 8);
  EXPECT_EQ(choice.why(), "measured: 1 20 ms, 32 17 ms, 8 16 ms, 4 18 ms");
  EXPECT_GE(plan.runs[8], 2);
}

TEST(ChunkTrial, ASmallDifferenceCutsNothing) {
  FakePlan plan{{{1, 0.100}, {4, 0.098}, {8, 0.0975}, {32, 0.2}}};
  EXPECT_EQ(plan.choose().chunks, 1);
}

/// Every rank would choose otherwise; the slowest one counts.
TEST(ChunkTrial, RanksAgreeThoughTheirTimesDiffer) {
  const bool odd = world().rank() % 2 == 1;
  FakePlan plan{{{1, 0.10}, {4, odd ? 0.02 : 0.09}, {8, odd ? 0.08 : 0.03}}};
  const ChunkChoice choice = plan.choose();
  EXPECT_EQ(choice.chunks, 8);
  ASSERT_EQ(choice.times.size(), 3u);
  EXPECT_NEAR(choice.times[1].seconds, world().size() == 1 ? 0.03 : 0.08, 1e-12);
}

TEST(ChunkTrial, WhatCannotBeMadeIsNotTried) {
  FakePlan plan{{{1, 0.02}, {4, 0.01}}};
  const ChunkChoice choice = plan.choose();
  EXPECT_EQ(choice.chunks, 4);
  EXPECT_EQ(choice.why(), "measured: 1 20 ms, 4 10 ms");
}

TEST(ChunkTrial, TakesNoLongerThanTenSecondsOrThirtyRuns) {
  FakePlan slow{{{1, 3.0}, {4, 2.0}, {8, 2.0}, {32, 2.8}}};
  EXPECT_EQ(slow.choose().chunks, 32);
  EXPECT_LE(slow.time.now, 10.0);
  FakePlan quick{{{1, 0.01}, {4, 0.01}, {8, 0.01}, {32, 0.01}}};
  quick.choose();
  EXPECT_LE(quick.time.now, 0.15 + 1e-9);
  FakePlan planned_slowly{{{1, 0.01}, {32, 0.001}}, 0.2};
  EXPECT_EQ(planned_slowly.choose().chunks, 1);
  EXPECT_EQ(planned_slowly.runs[32], 0);
  FakePlan endless{{{1, 20}, {32, 1}}};
  const ChunkChoice choice = endless.choose();
  EXPECT_EQ(choice.chunks, 1);
  EXPECT_EQ(choice.why(), "others take too long to measure, or more memory");
  EXPECT_EQ(endless.runs[1], 1);
}

/// Computations take time by a rule of the test, and nothing else does.
struct FakeWork : ComputeHook {
  FakeTime& time;
  bool small_is_cheap;
  FakeWork(FakeTime& t, bool cheap) : time(t), small_is_cheap(cheap) {}
  void compute(const Work& work, const std::function<void()>& action) override {
    action();
    time.now += small_is_cheap ? 1e-12 * work.bytes * work.bytes : 1e-3;
  }
};

TransformCase across_hosts(const std::string& algorithm = "slab", const std::string& exchange = "p2p") {
  TransformCase c{{36, 40, 24}, algorithm, "left", Kind::c2c, Precision::f64, quick(algorithm)};
  c.options.exchange = exchange;
  c.options.local_fft = "fftw";
  c.options.effort = Effort::measure;
  c.options.fake_ranks_per_host = 1;
  return c;
}

/// The report's word on it; empty where nothing was tried. Collective.
Choice choice_of(const Plan& plan) {
  for (const Choice& choice : plan.report().choices)
    if (choice.what == "chunks") return choice;
  return {};
}

/// A plan, made while computations take their time by that rule.
Plan made_with(const TransformCase& c, bool small_is_cheap) {
  FakeTime time;
  FakeWork work(time, small_is_cheap);
  const Installed<Clock> clock(time);
  const Installed<ComputeHook> hook(work);
  return make_plan(MPI_COMM_WORLD, c);
}

bool says(const Plan& plan, const std::string& words) {
  return plan.report().to_text().find(words) != std::string::npos;
}

TEST(ChunkTrial, PlansAcrossHostsTakeTheFastest) {
  if (world().size() == 1) GTEST_SKIP() << "one rank sends nothing";
  for (const std::string algorithm : {"slab", "pencil"})
    for (const std::string exchange : {"p2p", "alltoallv", "hierarchical"})
      for (const bool small_is_cheap : {true, false}) {
        const TransformCase c = across_hosts(algorithm, exchange);
        SCOPED_TRACE(c.name() + (small_is_cheap ? ", small chunks are cheap" : ", calls are dear"));
        Plan plan = made_with(c, small_is_cheap);
        const Choice choice = choice_of(plan);
        EXPECT_EQ(choice.why.find("measured: 1 "), 0u) << choice.why;
        EXPECT_NE(choice.why.find(", 32 "), std::string::npos) << choice.why;
        EXPECT_EQ(choice.chosen == "1", !small_is_cheap) << choice.chosen << ": " << choice.why;
        EXPECT_EQ(says(plan, "pipeline of "), small_is_cheap) << plan.report();
        EXPECT_TRUE(says(plan, "chose chunks " + choice.chosen + ": measured: 1 "));
        TransformCase whole = c;
        whole.options.chunks = 1;
        EXPECT_LE(plan.workspace_bytes(), make_plan(MPI_COMM_WORLD, whole).workspace_bytes());
        check_plan(plan, c);
      }
}

/// Nothing is left of the trial: runs, times, memory.
TEST(ChunkTrial, PlansBeginAnew) {
  if (world().size() == 1) GTEST_SKIP() << "one rank sends nothing";
  for (const bool in_place : {false, true}) {
    TransformCase c = across_hosts();
    c.options.in_place = in_place;
    Plan plan = made_with(c, true);
    const std::string chosen = choice_of(plan).chosen;
    EXPECT_NE(chosen, "1");
    const PlanReport report = plan.report();
    EXPECT_EQ(report.forward.runs + report.backward.runs, 0);
    EXPECT_EQ(report.forward.seconds, 0);
    for (const PlanReport::Step& step : report.forward.steps) EXPECT_TRUE(step.times.empty()) << step.text;
    TransformCase told = c;
    told.options.chunks = std::stoi(chosen);
    EXPECT_EQ(plan.workspace_bytes(), make_plan(MPI_COMM_WORLD, told).workspace_bytes());
    std::vector<std::byte> memory(plan.workspace_bytes() + 64);
    auto* begin = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64);
    plan.set_workspace(begin, plan.workspace_bytes());
    check_plan(plan, c);
  }
}

TEST(ChunkTrial, OperatorsAreCutAlike) {
  if (world().size() == 1) GTEST_SKIP() << "one rank sends nothing";
  Plan plan = made_with(across_hosts(), true);
  std::vector<std::complex<double>> x(static_cast<std::size_t>(plan.input().count()));
  plan.apply(Operator::laplacian(), x.data(), x.data());
  const PlanReport report = plan.report();
  ASSERT_TRUE(report.apply.has_value());
  EXPECT_NE(report.apply->steps.front().text.find("pipeline of "), std::string::npos);
}

TEST(ChunkTrial, NothingIsTriedWhereNothingCanBeGained) {
  const auto expect_nothing = [](const char* what, const std::function<void(TransformCase&)>& change) {
    SCOPED_TRACE(what);
    TransformCase c = across_hosts();
    change(c);
    Plan plan = made_with(c, true);
    EXPECT_EQ(choice_of(plan).what, "");
    EXPECT_FALSE(says(plan, "chunk")) << plan.report();
  };
  expect_nothing("one host", [](TransformCase& c) { c.options.fake_ranks_per_host = 0; });
  expect_nothing("an estimate", [](TransformCase& c) { c.options.effort = Effort::estimate; });
  expect_nothing("an estimate on one rank", [](TransformCase& c) {
    if (world().rank() == 0) c.options.effort = Effort::estimate;
  });
  expect_nothing("told not to cut", [](TransformCase& c) { c.options.chunks = 1; });
  expect_nothing("checked steps", [](TransformCase& c) { c.options.verify = true; });
  expect_nothing("least workspace", [](TransformCase& c) { c.options.workspace = Workspace::least; });
  expect_nothing("shared memory", [](TransformCase& c) { c.options.exchange = "shared_window"; });
  expect_nothing("nothing to send", [](TransformCase& c) { c.options.axes = {1, 2}; });
}

/// A trial that its memory is missing for.
struct NoMemory : MemorySource {
  std::size_t most;
  explicit NoMemory(std::size_t bytes) : most(bytes) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    return bytes > most ? nullptr : std::aligned_alloc(alignment, bytes);
  }
  void release(void* memory, std::size_t) noexcept override { std::free(memory); }
};

TEST(ChunkTrial, WithoutMemoryNothingIsCut) {
  if (world().size() == 1) GTEST_SKIP() << "one rank sends nothing";
  TransformCase c = across_hosts();
  c.options.effort = Effort::estimate;
  static NoMemory none(make_plan(MPI_COMM_WORLD, c).workspace_bytes() - 1);
  static NoMemory plenty(std::size_t{1} << 40);
  // One rank alone has too little.
  const Installed<MemorySource> memory(world().rank() == 0 ? none : plenty);
  Plan plan = make_plan(MPI_COMM_WORLD, across_hosts());
  EXPECT_EQ(choice_of(plan).chosen, "1");
  EXPECT_EQ(choice_of(plan).why, "there is no memory to measure others with");
}

}  // namespace
}  // namespace shardfft::test
