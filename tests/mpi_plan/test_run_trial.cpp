// Which way plans take where they may choose: trials whose time is told by a clock of the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hooks.hpp"
#include "choose/way_choice.hpp"
#include "support/fake_time.hpp"
#include "support/no_memory.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"
#include "tune/own_cache.hpp"

namespace shardfft::test {
namespace {

std::string name_of(const Way& way) { return way.algorithm + " " + way.exchange + " " + std::to_string(way.chunks); }

/// Programs that take as long as they are told to in each way.
struct FakePlan {
  std::vector<std::pair<Way, double>> seconds;  ///< what cannot be made takes no time
  double plan_seconds = 0;
  std::map<std::string, int> runs = {};
  std::set<std::string> made = {};
  FakeTime time = {};

  double of(const Way& way) const {
    return std::find_if(seconds.begin(), seconds.end(), [&](const auto& one) { return one.first == way; })->second;
  }

  WayChoice choose() {
    const Installed<Clock> clock(time);
    std::vector<Way> ways;
    for (const auto& one : seconds) ways.push_back(one.first);
    made.insert(name_of(ways.front()));
    return choose_way({world(), ways,
                       [this](const Way& way, double deadline) {
                         EXPECT_GE(deadline, time.now);
                         time.now += plan_seconds;
                         if (of(way) == 0) return false;
                         made.insert(name_of(way));
                         return true;
                       },
                       [this](const Way& way) {
                         EXPECT_TRUE(made.contains(name_of(way))) << name_of(way);
                         ++runs[name_of(way)];
                         time.now += of(way);
                         return world().max(of(way));
                       }});
  }
};

/// Ways that differ in their chunks only.
FakePlan chunked(const std::vector<std::pair<int, double>>& times, double plan_seconds = 0) {
  FakePlan plan{{}, plan_seconds};
  for (const auto& [chunks, seconds] : times) plan.seconds.push_back({{"slab", "p2p", chunks}, seconds});
  return plan;
}

TEST(RunTrial, TheFastestNumberOfChunksIsTaken) {
  FakePlan plan = chunked({{1, 0.02}, {32, 0.017}, {8, 0.016}, {4, 0.018}});
  const WayChoice choice = plan.choose();
  EXPECT_EQ(choice.way.chunks, 8);
  EXPECT_EQ(choice.why_chunks(), "measured: 1 20 ms, 32 17 ms, 8 16 ms, 4 18 ms");
  EXPECT_GE(plan.runs["slab p2p 8"], 2);
}

TEST(RunTrial, ASmallDifferenceKeepsWhatIsExpected) {
  FakePlan plan = chunked({{1, 0.100}, {32, 0.2}, {8, 0.0975}, {4, 0.098}});
  EXPECT_EQ(plan.choose().way.chunks, 1);
  FakePlan equal{{{{"slab", "shared_window"}, 0.1}, {{"pencil", "shared_window"}, 0.1}, {{"slab", "alltoallv"}, 0.1}}};
  EXPECT_EQ(equal.choose().way, (Way{"slab", "shared_window"}));
}

/// Every rank would choose otherwise; the slowest one counts.
TEST(RunTrial, RanksAgreeThoughTheirTimesDiffer) {
  const bool odd = world().rank() % 2 == 1;
  FakePlan plan = chunked({{1, 0.10}, {8, odd ? 0.08 : 0.03}, {4, odd ? 0.02 : 0.09}});
  const WayChoice choice = plan.choose();
  EXPECT_EQ(choice.way.chunks, 8);
  ASSERT_EQ(choice.times.size(), 3u);
  EXPECT_NEAR(choice.times[1].seconds, world().size() == 1 ? 0.03 : 0.08, 1e-12);
}

TEST(RunTrial, WhatCannotBeMadeIsNotTried) {
  FakePlan plan = chunked({{1, 0.02}, {32, 0}, {4, 0.01}});
  const WayChoice choice = plan.choose();
  EXPECT_EQ(choice.way.chunks, 4);
  EXPECT_EQ(choice.why_chunks(), "measured: 1 20 ms, 4 10 ms");
}

TEST(RunTrial, TakesNoLongerThanTenSecondsOrThirtyRuns) {
  FakePlan slow = chunked({{1, 3.0}, {32, 2.8}, {8, 2.0}, {4, 2.0}});
  EXPECT_EQ(slow.choose().way.chunks, 32);
  EXPECT_LE(slow.time.now, 10.0);
  FakePlan quick = chunked({{1, 0.01}, {32, 0.01}, {8, 0.01}, {4, 0.01}});
  quick.choose();
  EXPECT_LE(quick.time.now, 0.15 + 1e-9);
  FakePlan planned_slowly = chunked({{1, 0.01}, {32, 0.001}}, 0.2);
  EXPECT_EQ(planned_slowly.choose().way.chunks, 1);
  EXPECT_EQ(planned_slowly.runs["slab p2p 32"], 0);
  FakePlan endless = chunked({{1, 20}, {32, 1}});
  const WayChoice choice = endless.choose();
  EXPECT_EQ(choice.way.chunks, 1);
  EXPECT_EQ(choice.why_chunks(), "others take too long to measure or need more memory");
  EXPECT_EQ(endless.runs["slab p2p 1"], 1);
}

/// Other ways of an algorithm are tried only where it is the fastest so far.
TEST(RunTrial, TheFastestAlgorithmIsTriedInOtherWays) {
  const Way slab{"slab", "alltoallv"}, pencil{"pencil", "shared_window"}, brick{"brick", "shared_window"};
  const Way slab_chunks{"slab", "alltoallv", 32}, pencil_sends{"pencil", "alltoallv"},
      pencil_chunks{"pencil", "alltoallv", 32};
  FakePlan plan{
      {{slab, 0.05}, {pencil, 0.04}, {brick, 0.045}, {slab_chunks, 0.01}, {pencil_sends, 0.06}, {pencil_chunks, 0.03}}};
  const WayChoice choice = plan.choose();
  EXPECT_EQ(choice.way, pencil_chunks);
  EXPECT_EQ(plan.runs[name_of(slab_chunks)], 0);
  EXPECT_EQ(choice.why_algorithm(), "measured: slab 50 ms, pencil 30 ms, brick 45 ms");
  EXPECT_EQ(choice.why_exchange(), "measured: shared_window 40 ms, alltoallv 60 ms, alltoallv in 32 chunks 30 ms");
  EXPECT_EQ(choice.why_chunks(), "measured: 1 60 ms, 32 30 ms");
  // What is far behind is not run again.
  EXPECT_EQ(plan.runs[name_of(pencil_sends)], 1);
  EXPECT_GE(plan.runs[name_of(pencil_chunks)], 2);
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

/// What a call of MPI takes, on a clock of the test.
struct FakeCalls {
  FakeTime* time = nullptr;
  double collective = 0, message = 0;
  void pass(double seconds) const {
    if (time != nullptr) time->now += seconds;
  }
};
FakeCalls& fake_calls() {
  static FakeCalls calls;
  return calls;
}

TransformCase across_hosts(const std::string& algorithm = "slab", const std::string& exchange = "p2p") {
  TransformCase c{{36, 40, 24}, algorithm, "left", Kind::c2c, Precision::f64, quick(algorithm)};
  c.options.exchange = exchange;
  c.options.local_fft = "fftw";
  c.options.effort = Effort::measure;
  c.options.fake_ranks_per_host = 1;
  return c;
}

/// The report's word on an option; empty where nothing was chosen. Collective.
Choice choice_of(const Plan& plan, const std::string& what = "chunks") {
  for (const Choice& choice : plan.report().choices)
    if (choice.what == what) return choice;
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

TEST(RunTrial, PlansAcrossHostsTakeTheFastestNumberOfChunks) {
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
TEST(RunTrial, PlansBeginAnew) {
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

/// With two ranks a host and a layout that changes inside hosts once and across them once.
TransformCase pairs_of_ranks(const std::string& algorithm = "pencil") {
  TransformCase c = across_hosts(algorithm, "auto");
  c.options.local_fft = "lanes";  // planned at once, whatever the clock says
  c.input = "pencil";
  c.options.fake_ranks_per_host = 2;
  return c;
}

/// A plan made while nothing but these calls takes time.
Plan made_with_calls(const TransformCase& c, double collective, double message) {
  FakeTime time;
  fake_calls() = {&time, collective, message};
  const Installed<Clock> clock(time);
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  fake_calls() = {};
  return plan;
}

TEST(RunTrial, PlansAcrossHostsTakeTheFastestExchange) {
  if (world().size() != 4) GTEST_SKIP() << "two hosts of two ranks";
  for (const bool in_place : {false, true})
    for (const bool verify : {false, true})
      for (const int threads : {1, in_place ? 2 : 1})
        for (const double tolerance : {0.0, 1e-6}) {
          TransformCase c = pairs_of_ranks();
          c.options.in_place = in_place;
          c.options.verify = verify;
          c.options.threads = threads;
          c.options.tolerance = verify ? 0 : tolerance;
          SCOPED_TRACE(c.name());
          Plan reads = made_with_calls(c, 2e-2, 1e-3), sends = made_with_calls(c, 1e-3, 2e-2);
          EXPECT_EQ(reads.report().exchange, "shared_window") << reads.report();
          EXPECT_EQ(sends.report().exchange, "alltoallv") << sends.report();
          for (Plan* plan : {&reads, &sends}) {
            const Choice choice = choice_of(*plan, "exchange");
            EXPECT_EQ(choice.why.find("measured: shared_window "), 0u) << choice.why;
            EXPECT_NE(choice.why.find(", alltoallv "), std::string::npos) << choice.why;
            EXPECT_EQ(plan->report().forward.runs, 0);
            EXPECT_EQ(plan->report().forward.checks, 0);
            EXPECT_EQ(choice_of(*plan, "tolerance").what.empty(), c.options.tolerance == 0);
            if (c.options.tolerance == 0) check_plan(*plan, c);
          }
        }
}

TEST(RunTrial, AnEstimateReadsWhatStaysInsideHosts) {
  if (world().size() != 4) GTEST_SKIP() << "two hosts of two ranks";
  TransformCase c = pairs_of_ranks();
  c.options.effort = Effort::estimate;
  Plan pencils = make_plan(MPI_COMM_WORLD, c);
  EXPECT_EQ(pencils.report().exchange, "shared_window");
  check_plan(pencils, c);
  c = pairs_of_ranks("slab");
  c.input = "slab";
  c.options.effort = Effort::estimate;
  Plan slabs = make_plan(MPI_COMM_WORLD, c);
  EXPECT_EQ(slabs.report().exchange, "alltoallv");
  EXPECT_EQ(choice_of(slabs, "exchange").why, "no change of layout stays inside hosts");
  check_plan(slabs, c);
}

/// Where the output layout is fixed nobody sees the algorithm in it.
TEST(RunTrial, TheAlgorithmIsMeasuredWhereTheOutputIsFixed) {
  if (world().size() == 1) GTEST_SKIP() << "one rank needs no exchange";
  for (const int ranks_per_host : {0, 2})
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
      for (const bool small_is_cheap : {true, false}) {
        TransformCase c = across_hosts("auto", "auto");
        c.options.local_fft = "lanes";
        c.input = "brick";
        c.output = "natural";
        c.kind = kind;
        c.options.fake_ranks_per_host = ranks_per_host;
        SCOPED_TRACE(c.name());
        Plan plan = made_with(c, small_is_cheap);
        const PlanReport report = plan.report();
        const Choice choice = choice_of(plan, "algorithm");
        EXPECT_EQ(choice.chosen, Way::parse(report.way).algorithm_name());
        EXPECT_EQ(choice.why.find("measured: "), 0u) << choice.why;
        EXPECT_NE(choice.why.find(choice.chosen + " "), std::string::npos) << choice.why;
        check_plan(plan, c);
      }
}

TEST(RunTrial, TheAlgorithmIsARuleWhereTheOutputFollowsFromIt) {
  TransformCase c = across_hosts("auto", "auto");
  c.input = "brick";
  EXPECT_EQ(choice_of(made_with(c, true), "algorithm").why.find("measured"), std::string::npos);
  c.output = "natural";
  c.options.effort = Effort::estimate;
  EXPECT_EQ(choice_of(made_with(c, true), "algorithm").why.find("measured"), std::string::npos);
  c.options.effort = Effort::measure;
  c.options.grid = {1, world().size()};
  EXPECT_EQ(choice_of(made_with(c, true), "algorithm").why, "a process grid is given");
}

TEST(RunTrial, OperatorsAreCutAlike) {
  if (world().size() == 1) GTEST_SKIP() << "one rank sends nothing";
  Plan plan = made_with(across_hosts(), true);
  std::vector<std::complex<double>> x(static_cast<std::size_t>(plan.input().count()));
  plan.apply(Operator::laplacian(), x.data(), x.data());
  const PlanReport report = plan.report();
  ASSERT_TRUE(report.apply.has_value());
  EXPECT_NE(report.apply->steps.front().text.find("pipeline of "), std::string::npos);
}

TEST(RunTrial, NothingIsTriedWhereNothingCanBeGained) {
  const auto expect_nothing = [](const char* what, const std::function<void(TransformCase&)>& change) {
    SCOPED_TRACE(what);
    TransformCase c = across_hosts();
    change(c);
    Plan plan = made_with(c, true);
    EXPECT_EQ(choice_of(plan).what, "");
    EXPECT_FALSE(says(plan, "chose chunks") || says(plan, "pipeline of")) << plan.report();
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

TEST(RunTrial, StoresPastTheCacheAreTriedInWholeRuns) {
  const std::int64_t own = world().max(own_cache_bytes()), row = 16 * 32 * 32;
  if (own >= static_cast<std::int64_t>(host_defaults().bytes_to_write_past_cache) / 2) GTEST_SKIP() << "a large cache";
  for (const bool large : {true, false})
    for (const Effort effort : {Effort::measure, Effort::estimate}) {
      TransformCase c{{(large ? own / row + 1 : 1) * world().size(), 32, 32}};
      c.options.effort = effort;
      const auto report = make_plan(MPI_COMM_WORLD, c).report();
      if (report.to_text().find("take too long") != std::string::npos) GTEST_SKIP() << "a loaded machine";
      std::set<bool> stores;
      for (const auto& one : report.tried)
        stores.insert(one.way.find("past_cache=" + std::to_string(own) + ";") == std::string::npos);
      const bool tries = large && effort == Effort::measure;
      EXPECT_EQ(stores.size() == 2, tries) << report;
      const bool told = report.to_text().find("measured: past the cache from 24 MiB ") != std::string::npos;
      EXPECT_EQ(told, tries) << report;
    }
}

/// A trial that its memory is missing for.
TEST(RunTrial, WithoutMemoryNothingIsCut) {
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

extern "C" {
int MPI_Isend(const void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  shardfft::test::fake_calls().pass(shardfft::test::fake_calls().message);
  return PMPI_Isend(data, n, type, peer, tag, comm, request);
}
int MPI_Ialltoallv(const void* out, const int n[], const int at[], MPI_Datatype type, void* in, const int m[],
                   const int to_at[], MPI_Datatype to, MPI_Comm comm, MPI_Request* request) {
  shardfft::test::fake_calls().pass(shardfft::test::fake_calls().collective);
  return PMPI_Ialltoallv(out, n, at, type, in, m, to_at, to, comm, request);
}
}
