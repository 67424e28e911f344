// What report() must tell.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "local/local_fft.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

using Json = nlohmann::json;

void expect_words(const std::string& report, const std::vector<std::string>& words) {
  for (const std::string& w : words) EXPECT_NE(report.find(w), std::string::npos) << "no '" << w << "' in\n" << report;
}

TransformCase case_of(const std::string& exchange, const std::string& algorithm, Kind kind = Kind::c2c) {
  TransformCase c{{16, 16, 16}, "slab", "left", kind, Precision::f64, quick(algorithm)};
  c.options.exchange = exchange;
  return c;
}

Plan plan_with(const std::string& exchange, const std::string& algorithm, Kind kind = Kind::c2c) {
  return make_plan(MPI_COMM_WORLD, case_of(exchange, algorithm, kind));
}

/// `forward` runs forward, one run backward.
void run(Plan& plan, int forward) {
  LocalArray in(plan.input());
  LocalArray out(plan.output());
  std::memset(in.data(), 0, plan.input().bytes());
  std::memset(out.data(), 0, plan.output().bytes());
  for (int i = 0; i < forward; ++i) plan.forward(in.data(), out.data());
  plan.backward(out.data(), in.data());
}

TEST(Report, TellsWhatWasPlanned) {
  const PlanReport report = plan_with("alltoallv", "slab").report();
  EXPECT_EQ(report.transform, c2c<double>);
  EXPECT_EQ(report.ranks, world().size());
  EXPECT_EQ(report.threads, 1);
  EXPECT_EQ(report.batch, 1);
  EXPECT_EQ(report.algorithm, "slab");
  EXPECT_EQ(report.exchange, "alltoallv");
  EXPECT_EQ(report.local_fft, local_fft_version("auto"));
  EXPECT_TRUE(report.machine.empty()) << report.machine;
  ASSERT_EQ(report.choices.size(), 1u) << report;
  EXPECT_EQ(report.choices[0].what, "local_fft");
  for (const PlanReport::Program& program : {report.forward, report.backward}) {
    EXPECT_EQ(program.runs, 0);
    EXPECT_FALSE(program.ratio);
    EXPECT_GE(program.steps.size(), world().size() > 1 ? 3u : 1u);
    int number = 0;
    for (const PlanReport::Step& step : program.steps) {
      EXPECT_EQ(step.number, ++number);
      EXPECT_TRUE(step.times.empty()) << "times before the first run";
      EXPECT_EQ(step.role, step.text.find("fft c2c") == 0 ? "computes" : "moves");
    }
  }
  Plan single(MPI_COMM_WORLD, r2c<float>, Layout::slab({8, 6}, world().size()), default_output, quick());
  expect_words(single.report().to_text(), {"r2c single", "8x6", "8x4", "fft r2c"});
}

/// What "auto" became, and why.
TEST(Report, TellsChoicesWithReasons) {
  const TransformCase c = case_of("auto", "auto");
  const PlanReport report = make_plan(MPI_COMM_WORLD, c).report();
  ASSERT_EQ(report.choices.size(), 3u);
  EXPECT_EQ(report.choices[0].what, "algorithm");
  EXPECT_EQ(report.choices[0].chosen, report.algorithm);
  EXPECT_EQ(report.choices[1].what, "exchange");
  EXPECT_EQ(report.choices[1].chosen, report.exchange);
  EXPECT_EQ(report.choices[2].what, "local_fft");
  EXPECT_EQ(local_fft_version(report.choices[2].chosen), report.local_fft);
  for (const Choice& choice : report.choices) {
    EXPECT_FALSE(choice.why.empty());
    expect_words(report.to_text(), {"chose " + choice.what + " " + choice.chosen + ": " + choice.why});
  }
}

TEST(Report, CountsBytes) {
  const int ranks = world().size();
  const Shape shape{13, 11, 10};
  TransformCase c{shape, "slab", "left", Kind::c2c, Precision::f64, quick("slab")};
  c.options.exchange = "alltoallv";
  const PlanReport report = make_plan(MPI_COMM_WORLD, c).report();
  // Planes along axis 0 become planes along axis 1; what a rank owns of both it keeps.
  std::int64_t there = 0;
  std::int64_t back = 0;
  for (int r = 0; r < ranks; ++r) {
    const std::int64_t first = block_part(13, ranks, r).count;
    const std::int64_t second = block_part(11, ranks, r).count;
    there = std::max(there, first * (11 - second) * 10 * 16);
    back = std::max(back, second * (13 - first) * 10 * 16);
  }
  const auto expect_sent = [ranks](const PlanReport::Program& program, std::int64_t bytes) {
    std::int64_t sent = 0;
    int exchanges = 0;
    for (const PlanReport::Step& step : program.steps) {
      sent += step.bytes_sent;
      exchanges += step.bytes_sent > 0 ? 1 : 0;
      EXPECT_TRUE(step.bytes_sent == 0 || step.role == "moves") << step.text;
    }
    EXPECT_EQ(exchanges, ranks > 1 ? 1 : 0);
    EXPECT_EQ(sent, bytes);
  };
  expect_sent(report.forward, there);
  expect_sent(report.backward, back);
}

TEST(Report, TimesEveryStepAfterRuns) {
  for (const std::string& exchange : exchange_names()) {
    SCOPED_TRACE(exchange);
    Plan plan = plan_with(exchange, "pencil");
    run(plan, 3);
    const PlanReport report = plan.report();
    EXPECT_EQ(report.forward.runs, 3);
    EXPECT_EQ(report.backward.runs, 1);
    for (const PlanReport::Program& program : {report.forward, report.backward}) {
      EXPECT_EQ(program.timed_runs, program.runs);
      EXPECT_GE(program.steps.size(), world().size() > 1 ? 2u : 1u);
      double sum = 0;
      double communication = 0;
      for (const PlanReport::Step& step : program.steps) {
        EXPECT_FALSE(step.times.empty()) << step.text;
        for (const PlanReport::Time& time : step.times) {
          EXPECT_GT(time.mean_seconds, 0);
          EXPECT_GE(time.seconds, time.mean_seconds * (1 - 1e-9));
          sum += time.mean_seconds;
          if (time.communication) communication += time.mean_seconds;
        }
      }
      // Steps lie inside the run; what is recorded twice would not.
      EXPECT_LE(sum, program.mean_seconds * (1 + 1e-9));
      EXPECT_GE(program.seconds, program.mean_seconds * (1 - 1e-9));
      EXPECT_NEAR(program.mean_communication_seconds, communication, 1e-9 * program.mean_seconds);
      ASSERT_TRUE(program.ratio);
      EXPECT_NEAR(*program.ratio, communication / program.mean_seconds, 1e-9);
    }
  }
}

/// The user's forward is what counts as forward, whatever program it runs.
TEST(Report, DirectionsAreTheUsers) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
    Plan plan = plan_with("alltoallv", "slab", kind);
    run(plan, 2);
    const PlanReport report = plan.report();
    EXPECT_EQ(report.forward.runs, 2) << report;
    EXPECT_EQ(report.backward.runs, 1) << report;
    if (kind == Kind::c2c) continue;
    const char* const there = kind == Kind::r2c ? "fft r2c" : "fft c2r";
    const char* const back = kind == Kind::r2c ? "fft c2r" : "fft r2c";
    const auto has = [](const PlanReport::Program& program, const std::string& words) {
      return std::any_of(program.steps.begin(), program.steps.end(),
                         [&](const auto& step) { return step.text.find(words) != std::string::npos; });
    };
    EXPECT_TRUE(has(report.forward, there) && !has(report.forward, back)) << report;
    EXPECT_TRUE(has(report.backward, back) && !has(report.backward, there)) << report;
  }
}

TEST(Report, NamesTheLocalFftAndTheExchange) {
  for (const std::string& exchange : exchange_names()) {
    const PlanReport report = plan_with(exchange, "slab").report();
    EXPECT_EQ(report.exchange, exchange);
    expect_words(report.to_text(), {"local FFT " + local_fft_version("auto"), "exchange " + exchange});
  }
}

/// All ranks have the same numbers; what a rank says of its own part may differ.
TEST(Report, RanksAgree) {
  Plan plan = plan_with("p2p", "slab");
  run(plan, 2);
  Json report = Json::parse(plan.report().to_json());
  for (const char* direction : {"forward", "backward"})
    for (Json& step : report[direction]["steps"]) step.erase("text");
  const auto mine = static_cast<std::int64_t>(std::hash<std::string>()(report.dump()) >> 1);
  EXPECT_EQ(world().max(mine), world().min(mine)) << report;
}

TEST(Report, TextHasTheData) {
  Plan plan = plan_with("alltoallv", "slab");
  EXPECT_EQ(plan.report().to_text().find(" ms"), std::string::npos) << "times before the first run";
  run(plan, 3);
  const PlanReport report = plan.report();
  std::ostringstream printed;
  printed << report;
  EXPECT_EQ(printed.str(), report.to_text());
  expect_words(printed.str(),
               {"c2c double", world().size() == 1 ? ", 1 rank, " : ", " + std::to_string(world().size()) + " ranks, ",
                "1 thread a rank, 1 field\n", "input ", "output ", "16x16x16", "algorithm slab, exchange alltoallv",
                "workspace", "forward (3 runs)", "backward (1 run)", " ms", "r = T_comm / T_total = "});
  for (const PlanReport::Step& step : report.forward.steps)
    expect_words(printed.str(), {"  " + std::to_string(step.number) + ". " + step.text});
  if (world().size() == 2) expect_words(printed.str(), {"reshape by alltoallv in a group of 2, sends 16 KiB a rank"});
}

TEST(Report, TellsTheMemoryOfTheMaking) {
  const auto told = [](Effort effort) {
    TransformCase c = case_of("auto", "slab", Kind::c2c);
    c.shape = {64, 48, 40};
    c.options.effort = effort;
    const PlanReport report = make_plan(MPI_COMM_WORLD, c).report();
    EXPECT_NE(report.to_text().find(" while it was made"), std::string::npos) << report;
    return static_cast<std::int64_t>(report.planning_bytes);
  };
  const std::int64_t array = std::int64_t{64} * 48 * 40 * 16 / world().size();
  EXPECT_LT(told(Effort::estimate), array / 2) << "tables alone";
  const std::int64_t measured = told(Effort::measure);
  EXPECT_GT(measured, array) << "local transforms are tried on arrays";
  EXPECT_LT(measured, 8 * array + (std::int64_t{64} << 20));
}

TEST(Report, JsonHasTheData) {
  Plan plan = make_plan(MPI_COMM_WORLD, case_of("auto", "slab", Kind::r2c));
  run(plan, 2);
  const PlanReport report = plan.report();
  const Json json = Json::parse(report.to_json());
  EXPECT_EQ(json.at("kind"), "r2c");
  EXPECT_EQ(json.at("precision"), "double");
  EXPECT_EQ(json.at("ranks"), world().size());
  EXPECT_EQ(json.at("input"), report.input);
  EXPECT_EQ(json.at("output"), report.output);
  EXPECT_EQ(json.at("algorithm"), "slab");
  EXPECT_EQ(json.at("exchange"), report.exchange);
  EXPECT_EQ(json.at("local_fft"), report.local_fft);
  EXPECT_EQ(json.at("workspace_bytes"), report.workspace_bytes);
  EXPECT_EQ(json.at("window_bytes"), report.window_bytes);
  EXPECT_EQ(json.at("table_bytes"), report.table_bytes);
  EXPECT_EQ(json.at("library_bytes"), report.library_bytes);
  EXPECT_EQ(json.at("pinned_bytes"), report.pinned_bytes);
  EXPECT_EQ(json.at("planning_bytes"), report.planning_bytes);
  ASSERT_EQ(json.at("choices").size(), report.choices.size());
  EXPECT_EQ(json.at("choices")[0].at("why"), report.choices[0].why);
  const Json& forward = json.at("forward");
  EXPECT_EQ(forward.at("runs"), 2);
  EXPECT_EQ(json.at("backward").at("runs"), 1);
  EXPECT_EQ(forward.at("ratio"), *report.forward.ratio);
  EXPECT_EQ(forward.at("mean_seconds"), report.forward.mean_seconds);
  ASSERT_EQ(forward.at("steps").size(), report.forward.steps.size());
  const Json& step = forward.at("steps")[0];
  EXPECT_EQ(step.at("text"), report.forward.steps[0].text);
  EXPECT_EQ(step.at("role"), report.forward.steps[0].role);
  EXPECT_EQ(step.at("times")[0].at("activity"), report.forward.steps[0].times[0].activity);
  EXPECT_EQ(step.at("times")[0].at("seconds"), report.forward.steps[0].times[0].seconds);
  EXPECT_TRUE(Json::parse(plan_with("p2p", "slab").report().to_json()).at("forward").at("ratio").is_null());
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The option `trace`: written when the plan goes, events of every rank, both directions.
TEST(Report, TraceFile) {
  const std::string path = testing::TempDir() + "shardfft_trace_" + std::to_string(world().size()) + ".json";
  if (world().rank() == 0) std::remove(path.c_str());
  TransformCase c{{8, 6, 10}, "slab", "natural", Kind::r2c, Precision::f64, quick()};
  c.options.trace = path;
  {
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    check_plan(plan, c);
  }
  world().barrier();
  if (world().rank() != 0) return;
  const std::string text = contents(path);
  expect_words(text, {"traceEvents", "forward", "backward", "fft", "rank " + std::to_string(world().size() - 1)});
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  std::remove(path.c_str());
}

TEST(Report, TraceFileThatCannotBeWritten) {
  TransformCase c{{8, 6, 10}, "slab", "left", Kind::c2c, Precision::f64, quick()};
  c.options.trace = "/no/such/folder/trace.json";
  expect_error(Status::invalid_argument, "trace file", [&] { make_plan(MPI_COMM_WORLD, c); });
}

}  // namespace
}  // namespace shardfft::test
