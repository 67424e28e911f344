// What report() must tell.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "local/local_fft.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

void expect_words(const std::string& report, const std::vector<std::string>& words) {
  for (const std::string& w : words) EXPECT_NE(report.find(w), std::string::npos) << "no '" << w << "' in\n" << report;
}

Plan plan_with(const std::string& exchange, const std::string& algorithm, Kind kind = Kind::c2c) {
  TransformCase c{{16, 16, 16}, "slab", "left", kind, Precision::f64, quick(algorithm)};
  c.options.exchange = exchange;
  return make_plan(MPI_COMM_WORLD, c);
}

TEST(Report, NamesWhatWasPlanned) {
  Plan plan = plan_with("alltoallv", "slab");
  const std::string report = plan.report();
  expect_words(report,
               {"c2c double", std::to_string(world().size()) + " ranks", "1 threads", "input", "output", "16x16x16",
                "algorithm slab", "workspace", "forward program (0 runs)", "backward program (0 runs)", "fft c2c"});
  EXPECT_EQ(report.find(" ms"), std::string::npos) << "times before the first run";
  Plan single(MPI_COMM_WORLD, r2c<float>, Layout::slab({8, 6}, world().size()), default_output, quick());
  expect_words(single.report(), {"r2c single", "8x6", "8x4", "fft r2c"});
}

TEST(Report, CountsBytes) {
  const int ranks = world().size();
  if (16 % ranks != 0) GTEST_SKIP() << "uneven";
  Plan plan = plan_with("alltoallv", "slab");
  const std::string report = plan.report();
  if (ranks == 1) {
    EXPECT_EQ(report.find("sends"), std::string::npos) << report;
    return;
  }
  const int kib = 64 * (ranks - 1) / (ranks * ranks);
  expect_words(report, {"reshape by alltoallv in a group of " + std::to_string(ranks)});
  if (64 * (ranks - 1) % (ranks * ranks) == 0) expect_words(report, {"sends " + std::to_string(kib) + " KiB a rank"});
}

TEST(Report, TimesEveryStepAfterRuns) {
  for (const std::string& exchange : exchange_names()) {
    SCOPED_TRACE(exchange);
    Plan plan = plan_with(exchange, "pencil");
    LocalArray in(plan.input());
    LocalArray out(plan.output());
    std::memset(in.data(), 0, plan.input().bytes());
    for (int run = 0; run < 3; ++run) plan.forward(in.data(), out.data());
    plan.backward(out.data(), in.data());
    const std::string report = plan.report();
    expect_words(report, {"forward program (3 runs)", "backward program (1 runs)", " ms", "r = ", "communication"});
    // Every step of both programs has a time.
    std::size_t begin = report.find("forward program");
    std::size_t steps = 0;
    while ((begin = report.find("\n  ", begin)) != std::string::npos) {
      const std::string line = report.substr(begin + 1, report.find('\n', begin + 1) - begin - 1);
      EXPECT_NE(line.find(" ms"), std::string::npos) << line;
      ++steps;
      ++begin;
    }
    EXPECT_GE(steps, 4u);
  }
}

TEST(Report, NamesTheLocalFftAndTheExchange) {
  for (const std::string& exchange : exchange_names()) {
    Plan plan = plan_with(exchange, "slab");
    expect_words(plan.report(), {"local FFT " + local_fft_version("auto")});
    if (world().size() > 1 && exchange != "shared_window") expect_words(plan.report(), {exchange});
  }
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
