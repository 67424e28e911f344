// The Chrome trace of a plan, read back; and the ratio that reports give.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "api/report.hpp"
#include "shardfft/plan.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

using Json = nlohmann::json;

/// A file for all ranks, named by rank 0's process.
std::string shared_path(const std::string& name) {
  std::int64_t process = getpid();
  MPI_Bcast(&process, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return (std::filesystem::temp_directory_path() / ("shardfft_" + std::to_string(process) + name)).string();
}

/// The trace of two forward runs and one backward run; read on all ranks after the plan is gone.
Json traced(const std::string& exchange, Kind kind, const std::string& path) {
  Options options = quick("slab");
  options.exchange = exchange;
  options.trace = path;
  {
    Plan plan(MPI_COMM_WORLD, Transform{kind, Precision::f64}, Layout::slab({16, 12, 20}, world().size()),
              default_output, options);
    std::vector<std::byte> in(plan.input().bytes());
    std::vector<std::byte> out(plan.output().bytes());
    plan.forward(in.data(), out.data());
    plan.forward(in.data(), out.data());
    plan.backward(out.data(), in.data());
  }
  world().barrier();
  std::ifstream file(path);
  return Json::parse(file, nullptr, false);
}

/// Slices of one process must nest: viewers draw nonsense otherwise.
void expect_nested(const std::vector<std::pair<double, double>>& slices) {
  std::vector<std::pair<double, double>> sorted = slices;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
  constexpr double rounding = 1e-3;  // microseconds
  std::vector<double> open;
  for (const auto& [begin, end] : sorted) {
    while (!open.empty() && open.back() <= begin + rounding) open.pop_back();
    if (!open.empty()) {
      EXPECT_LE(end, open.back() + rounding) << "a slice from " << begin << " outlasts what it began in";
    }
    open.push_back(end);
  }
}

void expect_good_trace(const Json& trace, int runs = 3) {
  ASSERT_TRUE(trace.is_object());
  std::map<int, std::map<std::string, int>> categories;
  std::map<int, std::vector<std::pair<double, double>>> slices;
  std::set<int> named;
  std::set<std::string> names;
  for (const Json& event : trace.at("traceEvents")) {
    const int pid = event.at("pid").get<int>();
    if (event.at("ph") == "M") {
      if (event.at("name") == "process_name") named.insert(pid);
      continue;
    }
    ASSERT_EQ(event.at("ph"), "X");
    const double begin = event.at("ts").get<double>();
    const double length = event.at("dur").get<double>();
    EXPECT_GE(begin, 0);
    EXPECT_GE(length, 0);
    EXPECT_LT(begin, 600e6) << "microseconds since planning";
    ++categories[pid][event.at("cat").get<std::string>()];
    slices[pid].push_back({begin, begin + length});
    names.insert(event.at("name").get<std::string>());
  }
  EXPECT_EQ(static_cast<int>(named.size()), world().size());
  EXPECT_EQ(static_cast<int>(categories.size()), world().size());
  for (auto& [pid, count] : categories) {
    EXPECT_EQ(count["run"], runs) << "rank " << pid;
    EXPECT_GE(count["step"], 3);
    EXPECT_GE(count["computation"], 3);
    if (world().size() > 1) {
      EXPECT_GE(count["communication"], 1);
    }
  }
  for (const auto& [pid, ranges] : slices) expect_nested(ranges);
  for (const auto& [name, count] : {std::pair{"forward", runs - 1}, {"backward", 1}}) {
    const auto is_run = [&name = name](const Json& event) { return event.at("ph") == "X" && event.at("name") == name; };
    EXPECT_EQ(std::count_if(trace["traceEvents"].begin(), trace["traceEvents"].end(), is_run), count * world().size());
  }
  EXPECT_TRUE(names.contains("step 1 fft"));
  EXPECT_EQ(trace.at("otherData").at("dropped_spans"), 0);
}

TEST(TraceFile, HoldsAllRanksStepsAndActivities) {
  const std::string path = shared_path("_trace.json");
  for (const std::string exchange : {"shared_window", "alltoallv", "p2p_pipelined"})
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
      SCOPED_TRACE(exchange);
      expect_good_trace(traced(exchange, kind, path));
      world().barrier();
    }
  if (world().rank() == 0) std::remove(path.c_str());
}

TEST(TraceFile, AFullDiskIsTold) {
  if (world().rank() == 0) testing::internal::CaptureStderr();
  traced("p2p", Kind::c2c, "/dev/full");
  if (world().rank() == 0) {
    EXPECT_NE(testing::internal::GetCapturedStderr().find("the trace file '/dev/full' is not complete"),
              std::string::npos);
  }
}

/// Ranks may end their plans in any order, and no trace is so small that it need not be waited for.
TEST(TraceFile, PlansEndInAnyOrder) {
  constexpr int plans = 3;
  std::vector<std::string> paths;
  std::vector<std::optional<Plan>> made;
  for (int i = 0; i < plans; ++i) {
    paths.push_back(shared_path("_order_" + std::to_string(i) + ".json"));
    Options options = quick("slab");
    options.trace = paths.back();
    made.emplace_back(std::in_place, MPI_COMM_WORLD, c2c<double>, Layout::slab({16, 12, 20}, world().size()),
                      default_output, options);
    std::vector<std::byte> in(made.back()->input().bytes());
    std::vector<std::byte> out(made.back()->output().bytes());
    for (int run = 0; run < 400; ++run) made.back()->forward(in.data(), out.data());
    made.back()->backward(out.data(), in.data());
  }
  for (int i = 0; i < plans; ++i) made[to_size((i + world().rank()) % plans)].reset();
  world().barrier();
  for (const std::string& path : paths) {
    std::ifstream file(path);
    expect_good_trace(Json::parse(file, nullptr, false), 401);
  }
  world().barrier();
  for (const std::string& path : paths)
    if (world().rank() == 0) std::remove(path.c_str());
}

TEST(TraceFile, BadPathIsAnErrorOfPlanning) {
  for (const auto& [path, why] : {std::pair{std::string("/nonexistent folder/trace.json"), "cannot be written"},
                                  std::pair{shared_path("_one") + '\0' + "two", "has a character 0"}}) {
    Options options = quick();
    options.trace = path;
    expect_error(Status::invalid_argument, why, [&] {
      const Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({4, 4, 4}, world().size()), default_output, options);
    });
  }
}

TEST(TraceFile, AllRanksMustWantIt) {
  if (world().size() == 1) return;
  Options options = quick();
  if (world().rank() == 0) options.trace = shared_path("_lonely.json");
  expect_error(Status::mismatch, "different values of option trace", [&] {
    const Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({4, 4, 4}, world().size()), default_output, options);
  });
}

TEST(Trace, KeepsNoMoreThanItsLimit) {
  Trace trace(true);
  for (std::size_t i = 0; i < Trace::max_kept + 5; ++i) trace.add(Activity::fft, 0, 1);
  EXPECT_EQ(trace.spans().size(), Trace::max_kept);
  EXPECT_EQ(trace.dropped(), 5);
  EXPECT_EQ(trace.total(0, Activity::fft), static_cast<double>(Trace::max_kept + 5));
}

TEST(Report, CountsTheLocalTranspositionAsCommunication) {
  EXPECT_TRUE(is_communication(Role::moves, Activity::copy));
  EXPECT_TRUE(is_communication(Role::moves_and_computes, Activity::exchange));
  EXPECT_TRUE(is_communication(Role::computes, Activity::wait));
  EXPECT_FALSE(is_communication(Role::moves_and_computes, Activity::copy));
  EXPECT_FALSE(is_communication(Role::computes, Activity::exchange));
  EXPECT_FALSE(is_communication(Role::moves, Activity::fft));
}

TEST(Report, GivesTheRatio) {
  for (const std::string exchange : {"shared_window", "alltoallv"}) {
    Options options = quick("slab");
    options.exchange = exchange;
    Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({16, 12, 20}, world().size()), default_output, options);
    std::vector<std::byte> in(plan.input().bytes());
    std::vector<std::byte> out(plan.output().bytes());
    plan.forward(in.data(), out.data());
    ASSERT_TRUE(plan.report().forward.ratio);
    const double ratio = *plan.report().forward.ratio;
    EXPECT_GE(ratio, 0);
    EXPECT_LE(ratio, 1);
    if (world().size() > 1) {
      EXPECT_GT(ratio, 0);
    }
  }
}

}  // namespace
}  // namespace shardfft::test
