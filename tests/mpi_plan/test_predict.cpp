// Predictions against real plans: memory, messages and steps, for plans that are drawn; and times by figures alone.
#include <cmath>

#include "api/predict.hpp"
#include "choose/cost_model.hpp"
#include "mpi/imagined.hpp"
#include "shardfft/predict.hpp"
#include "support/random_plans.hpp"

namespace shardfft::test {
namespace {

void any_options(Random& random, Options& o) {
  const auto or_auto = [&random](const std::vector<std::string>& names) {
    return random.integer(0, 2) == 0 ? "auto" : one_of(random, names);
  };
  o.algorithm = or_auto(algorithm_names());
  o.exchange = or_auto(exchange_names());
  o.local_fft = or_auto(local_fft_names());
  o.effort = Effort::estimate;
  if (random.integer(0, 5) != 0) return;
  o.workspace = Workspace::least;
  o.exchange = one_of(random, {"auto", "p2p", "pairwise_xor"});
  o.chunks = std::min(o.chunks, 1);
  if (o.algorithm.starts_with("cannon")) o.algorithm = "auto";
}

Prediction predicted(const RandomPlan& drawn, const std::string& way = "") {
  Options options = drawn.c.options;
  if (!way.empty()) {
    const Options defaults;
    options.algorithm = options.exchange = options.local_fft = defaults.algorithm;
    options.chunks = defaults.chunks;
    options.grid = defaults.grid;
    options.way = way;
  }
  const Transform transform{drawn.c.kind, drawn.c.precision};
  if (drawn.c.kind == Kind::c2r) options.real_extent = drawn.c.shape[to_size(serial_of(drawn.c).halved())];
  const Placement placement{world().size()};
  if (drawn.output) return predict(transform, drawn.input, *drawn.output, options, placement);
  return predict(transform, drawn.input, drawn.c.output == "left" ? default_output : natural_output, options,
                 placement);
}

void compare_steps(const PlanReport::Program& told, const PlanReport::Program& real) {
  ASSERT_EQ(told.steps.size(), real.steps.size());
  for (std::size_t i = 0; i < told.steps.size(); ++i) {
    if (world().rank() == 0) {  // whose words these are
      EXPECT_EQ(told.steps[i].text, real.steps[i].text);
      EXPECT_EQ(told.steps[i].role, real.steps[i].role);
    }
    EXPECT_EQ(told.steps[i].bytes_sent, real.steps[i].bytes_sent);
    EXPECT_EQ(told.steps[i].messages_sent, real.steps[i].messages_sent);
  }
}

void compare(const PlanReport& told, const PlanReport& real) {
  EXPECT_EQ(told.way, real.way);
  EXPECT_EQ(told.algorithm, real.algorithm);
  EXPECT_EQ(told.input, real.input);
  EXPECT_EQ(told.output, real.output);
  EXPECT_EQ(told.workspace_bytes, real.workspace_bytes);
  EXPECT_EQ(told.window_bytes, real.window_bytes);
  EXPECT_EQ(told.table_bytes, real.table_bytes);
  compare_steps(told.forward, real.forward);
  compare_steps(told.backward, real.backward);
}

TEST(Predict, SaysWhatFortyDrawnPlansHave) {
  int made = 0, sent = 0;
  for (std::uint64_t number = 0; made < 40; ++number) {
    const RandomPlan drawn = draw_plan(number + 4000, world().size(), any_options);
    SCOPED_TRACE(drawn.text());
    std::optional<Plan> plan;
    Status refused = Status::ok;
    try {
      plan = drawn.make();
    } catch (const Error& e) {
      refused = e.code();
    }
    try {
      const Prediction told = predicted(drawn);
      ASSERT_EQ(refused, Status::ok);
      const PlanReport real = plan->report();
      compare(told.report, real);
      EXPECT_TRUE(std::isfinite(told.seconds) && told.seconds > 0);
      for (const PlanReport::Step& step : real.forward.steps) sent += step.messages_sent > 0 ? 1 : 0;
      ++made;
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), refused) << e.what();
    }
  }
  EXPECT_EQ(sent > 0, world().size() > 1);
}

/// What trials chose is told by the line of the way.
TEST(Predict, SaysWhatMeasuredPlansHaveByTheirWay) {
  int made = 0;
  for (std::uint64_t number = 0; made < 4; ++number) {
    RandomPlan drawn = draw_plan(number + 5000, world().size(), any_options);
    drawn.c.options.effort = Effort::measure;
    SCOPED_TRACE(drawn.text());
    try {
      const PlanReport real = drawn.make().report();
      compare(predicted(drawn, real.way).report, real);
      ++made;
    } catch (const Error& e) {
      ASSERT_TRUE(e.code() == Status::unsupported || e.code() == Status::invalid_argument) << e.what();
    }
  }
}

ProblemSpec spec_of(const Shape& shape, int ranks) {
  ProblemSpec spec{};
  spec.input = Layout::pencil(shape, ranks);
  spec.output_kind = OutputLayout::natural;
  spec.ranks = ranks;
  spec.place = Place::cpu;
  return spec;
}

/// Of many ranks some are made, and what they have is no longer exact.
TEST(Predict, SomeRanksTellAboutAsMuchAsAll) {
  if (world().size() > 1) return;
  for (const char* exchange : {"alltoallv", "p2p", "alltoall"}) {
    ProblemSpec spec = spec_of({30, 23, 17}, 100);
    spec.options.exchange = exchange;
    const Prediction some = predict(spec, Way{}, {100}, {}, 4), all = predict(spec, Way{}, {100}, {}, 100);
    EXPECT_TRUE(all.exact && !some.exact);
    EXPECT_LE(some.report.workspace_bytes, all.report.workspace_bytes) << exchange;
    EXPECT_GE(some.report.workspace_bytes, all.report.workspace_bytes / 2) << exchange;
    EXPECT_NEAR(some.seconds, all.seconds, 0.5 * all.seconds) << exchange;
  }
}

TEST(Predict, TakesAWayThatATunerWouldTry) {
  if (world().size() > 1) return;
  Way way;
  way.algorithm = "slab";
  way.exchange = "p2p";
  way.active = 3;
  const Prediction told = predict(spec_of({30, 23, 17}, 8), way, {8}, {}, 1);
  EXPECT_EQ(Way::parse(told.report.way).active, 3);
  EXPECT_EQ(Way::parse(told.report.way).algorithm, "slab");
}

/// Each figure has its share of the time, and hosts share their memory and links.
TEST(Predict, TakesTheWayOfAPlanOnGpus) {
  const Layout slabs = Layout::slab({16, 12, 10}, 4);
  Placement placement{4};
  placement.gpus = true;
  Options options{.algorithm = "pencil", .chunks = 2};
  const Prediction named = predict(c2c<double>, slabs, natural_output, options, placement);
  Way way;
  way.algorithm = "pencil", way.exchange = "cuda_peer", way.chunks = 2;
  options = {};
  options.way = way.text();
  const Prediction told = predict(c2c<double>, slabs, natural_output, options, placement);
  EXPECT_EQ(told.report.algorithm, "pencil");
  EXPECT_EQ(told.seconds, named.seconds);
}

/// The work of a plan of one GPU in such passes.
StepCost work_in(const Shape& shape, const std::string& transform, const std::string& passes,
                 Transform kind = c2c<double>) {
  Placement placement{1};
  placement.gpus = true;
  Way way;
  way.algorithm = "slab", way.exchange = "cuda_peer";
  if (!passes.empty()) way.passes[transform] = passes;
  const Options options{.way = way.text()};
  const Prediction told = predict(kind, Layout::slab(shape, 1), natural_output, options, placement);
  EXPECT_EQ(told.forward.size(), 1u) << "no axis is a step of its own";
  return told.forward.front();
}

TEST(Predict, CountsThePassesOfGpus) {
  if (world().size() > 1) return;
  const double both = 2.0 * 24 * 20 * 16 * 16;  // bytes that one pass over complex numbers reads and writes
  const struct {
    const char* passes;
    double crossings, kernels;
  } cases[]{{"cufft 24 20 16", 3, 3},
            {"scaled cufft 24 20 16", 3, 3},
            {"cufft 20 16 + line pass 24", 3, 3},
            {"plane pass 20 16 + line pass 24, padded between", 3, 3},
            {"line pass 24 | cufft 24 20 16", 1, 1},
            {"copy + cufft 24 20 16", 4, 4},
            {"cufft 24 20 16 + scale 24 20 16", 4, 4},
            {"transposed cufft 24 + cufft 20 16", 5, 5},
            {"cufft 20", 1, 16},  // in the middle: one call a point of the shorter side
            {"", 3, 3}};
  for (const auto& [passes, crossings, kernels] : cases) {
    const StepCost cost = work_in({24, 20, 16}, "c2c 24 20 16 forward", passes);
    EXPECT_EQ(cost.moved_bytes, crossings * both) << passes;
    EXPECT_EQ(cost.starts, kernels) << passes;
    EXPECT_GT(cost.operations, 0) << passes;
  }
  // Strided lines beyond the vendor's limit are transposed, but not those of a power of two. Very long lines take two
  // kernels.
  const auto crossings = [](const Shape& shape) {
    return work_in(shape, "c2c", "").moved_bytes / (2.0 * shape[0] * shape[1] * 16);
  };
  EXPECT_EQ(crossings({512, 16}), 2);
  EXPECT_EQ(crossings({1024, 16}), 2);
  EXPECT_EQ(crossings({1000, 16}), 5);
  EXPECT_EQ(crossings({16, 8192}), 3);
  // Real lines of odd length become complex ones.
  EXPECT_EQ(work_in({4, 9}, "r2c 4 9", "cufft 9", r2c<double>).moved_bytes, 10 * 4 * 9 * 8);
  EXPECT_EQ(work_in({4, 8}, "r2c 4 8", "cufft 8", r2c<double>).moved_bytes, 4 * (8 * 8 + 5 * 16));
}

/// A search takes the program alone: about the time of the plan, and more if most ranks rest.
TEST(Predict, IsNearlyToldByTheProgram) {
  const Options options{.algorithm = "pencil", .exchange = "p2p"};
  const Layout bricks = Layout::brick({64, 60, 48}, 8);
  ProblemSpec spec{c2c<double>, bricks, bricks, OutputLayout::as_left, options, 8, Place::cpu};
  const double whole = predict(spec.transform, bricks, bricks, options, Placement{4}).seconds;
  Problem problem = make_problem(spec);
  const auto expected = [&] {
    return expected_seconds(make_program("pencil", problem), {}, 0, Precision::f64, 4, MachineFigures());
  };
  const double all = expected();
  EXPECT_LT(0.5 * whole, all);
  EXPECT_LT(all, 2 * whole);
  problem.active = 1;
  EXPECT_LT(1.5 * all, expected());
}

TEST(Predict, AddsUpWhatFiguresSay) {
  MachineFigures machine;
  machine.set("memory", 1e9);
  machine.set("host_memory", 2e9);
  machine.set("cache_bytes", 1);
  machine.set("flops", 1e9);
  machine.set("near_bandwidth", 1e9);
  machine.set("near_latency", 0.5);
  machine.set("far_bandwidth", 1e9);
  machine.set("far_latency", 0.25);
  machine.set("start", 0.125);
  StepCost cost;
  cost.moved_bytes = cost.working_bytes = 1e9;
  cost.starts = 1;
  EXPECT_NEAR(seconds_of(cost, machine, 1), 1.125, 1e-6);
  EXPECT_NEAR(seconds_of(cost, machine, 4), 2.125, 1e-6);
  cost.operations = 2e9;
  EXPECT_NEAR(seconds_of(cost, machine, 1), 3.125, 1e-6);
  cost.near_bytes = 1e9;
  cost.near_messages = 2;
  EXPECT_NEAR(seconds_of(cost, machine, 1), 5.125, 1e-6);
  cost.far_bytes = 1e9;
  cost.far_messages = 4;
  EXPECT_NEAR(seconds_of(cost, machine, 1), 7.125, 1e-6);
  cost.pieces = 4;  // three quarters of the shorter one are hidden
  EXPECT_NEAR(seconds_of(cost, machine, 1), 7.125 - 0.75 * 3, 1e-6);
  EXPECT_NEAR(seconds_of(cost, machine, 2), 8.125 - 0.75 * 3, 1e-6);
}

TEST(Predict, PiecesMayLieInCaches) {
  MachineFigures machine;
  for (const auto& [name, value] : {std::pair("memory", 1e9), {"cache", 4e9}, {"cache_bytes", 0.25e9}, {"start", 1e-9}})
    machine.set(name, value);
  StepCost cost;
  cost.moved_bytes = cost.working_bytes = 1e9;
  EXPECT_NEAR(seconds_of(cost, machine, 1), 0.75 + 0.25 / 4, 1e-6);
  cost.pieces = 4;
  EXPECT_NEAR(seconds_of(cost, machine, 1), 0.25, 1e-6);
}

/// A rank that reads from all others finds their arrays in their caches.
TEST(Predict, ArraysOfOthersAreNotInTheOwnCache) {
  if (world().size() > 1) return;
  const auto most = [](const std::string& exchange) {
    const Options options{.algorithm = "slab", .exchange = exchange};
    double bytes = 0;
    for (const StepCost& step :
         predict(c2c<double>, Layout::slab({16, 16}, 4), natural_output, options, Placement{4}).forward)
      bytes = std::max(bytes, step.working_bytes);
    return bytes;
  };
  EXPECT_EQ(most("shared_window"), 4 * most("p2p"));
}

/// The half that is sent is packed and unpacked: written and read twice.
TEST(Predict, DataThatStaysIsCopiedOnce) {
  const Options options{.algorithm = "slab", .exchange = "p2p"};
  const Prediction told = predict(c2c<double>, Layout::slab({16, 16}, 2), natural_output, options, Placement{2});
  const auto moves =
      std::find_if(told.forward.begin(), told.forward.end(), [](auto& s) { return s.near_messages > 0; });
  ASSERT_NE(moves, told.forward.end());
  EXPECT_EQ(moves->operations, 0);
  EXPECT_EQ(moves->moved_bytes, 3 * 16 * 16 / 2 * 16);
}

/// One that fails alone, and others that meet without it: all end.
TEST(Predict, ImaginedRanksDoNotWaitForever) {
  for (const int absent : {0, 1, 2}) {
    ImaginedRanks ranks(3, 3, {0, 1, 2});
    const auto meet = [&](const Communicator& comm) {
      if (comm.rank() == absent) fail(Status::unsupported, "this rank alone");
      comm.max(std::int64_t{comm.rank()});
    };
    EXPECT_THROW(ranks.run(meet), Error);
  }
}

TEST(Predict, RefusesWhatCannotBe) {
  const Layout layout = Layout::slab({8, 8}, 2);
  const auto asked = [&](const std::string& algorithm, int ranks_per_host) {
    Options options;
    options.algorithm = algorithm;
    return predict({Kind::c2c, Precision::f64}, layout, default_output, options, {ranks_per_host});
  };
  EXPECT_GT(asked("slab", 1).seconds, 0);
  expect_error(Status::invalid_argument, "a host has 0 ranks", [&] { asked("slab", 0); });
  expect_error(Status::invalid_argument, "magic", [&] { asked("magic", 1); });
  MachineFigures machine;
  expect_error(Status::invalid_argument, "no figure \"speed\"; known: memory", [&] { machine.set("speed", 1); });
  expect_error(Status::invalid_argument, "flops is 0; it must be above 0", [&] { machine.set("flops", 0); });
  for (const double wrong : {std::nan(""), HUGE_VAL, -1.0, 0.0}) {
    machine.far_latency = wrong;
    expect_error(Status::invalid_argument, "the machine's figure far_latency is ", [&] {
      predict({Kind::c2c, Precision::f64}, layout, default_output, {}, {1}, machine);
    });
    expect_error(Status::invalid_argument, "far_latency is ", [&] { asked("slab", 1).seconds_on(machine, 1); });
  }
}

}  // namespace
}  // namespace shardfft::test
