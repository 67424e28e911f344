// A rank that fails in the middle of a call on CPUs: every rank gets its error, nobody waits for ever, and the plans of
// that communicator refuse afterwards.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

#include "base/page_size.hpp"
#include "mpi_faults/faults.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

struct FaultCase {
  std::string exchange;
  std::string algorithm = "pencil";
  int chunks = 1;
  bool check_calls = true;
  double timeout = 0;
  Shape shape{8, 9, 10};
  std::string output = "left";
  int ranks_per_host = 2;
};

TransformCase transform(const FaultCase& f) {
  TransformCase c{f.shape, "slab", f.output, Kind::c2c, Precision::f64, quick(f.algorithm)};
  c.options.exchange = f.exchange;
  c.options.local_fft = "fftw";
  c.options.chunks = f.chunks;
  c.options.fake_ranks_per_host = f.ranks_per_host;
  c.options.check_calls = f.check_calls;
  c.options.call_timeout = f.timeout;
  return c;
}

/// Arrays of calls that fail. Collective calls of MPI cannot be taken back, and may write into them as long as MPI is
/// there (docs/reliability.md).
LocalArray& kept_array(const Side& side) {
  static auto& all = *new std::vector<std::unique_ptr<LocalArray>>;
  return *all.emplace_back(std::make_unique<LocalArray>(side));
}

/// What a forward call said, and how.
Failure said_by(Plan& plan, LocalArray& in, LocalArray& out) {
  return failure_of([&] { plan.forward(in.data(), out.data()); });
}

/// One call in which the last rank fails. Returns whether it did.
bool check_fault(const FaultCase& f, const Fault& wanted) {
  SCOPED_TRACE(f.exchange + ", " + f.algorithm + ", chunks " + std::to_string(f.chunks) + ", " + name_of(wanted.site) +
               " " + std::to_string(wanted.after) + (f.check_calls ? "" : ", calls not checked"));
  alarm(60);
  const OwnComm own;
  Plan plan = make_plan(own.comm, transform(f));
  LocalArray& in = kept_array(plan.input());
  LocalArray& out = kept_array(plan.output());
  EXPECT_EQ(said_by(plan, in, out).text, "");
  world().barrier();  // a call that is not checked may still be under way on others, who would hear of the fault in it
  if (last_rank()) arm(wanted);
  const Failure first = said_by(plan, in, out);
  const bool happened = any_rank(last_rank() && disarm());
  if (last_rank()) {
    EXPECT_EQ(first.failed(), happened) << first.text;
  }
  // Who comes late hears of it before anything begins.
  EXPECT_TRUE(first.failed() || !plan.failed_half_way());
  if (last_rank() && f.check_calls) {
    EXPECT_EQ(plan.failed_half_way(), first.failed());
  }
  // Who needed nothing more of the rank that failed hears of it in the next call.
  const Failure second = said_by(plan, in, out);
  EXPECT_EQ(second.failed(), happened) << second.text;
  if (happened) {
    const std::string& words = first.failed() ? first.text : second.text;
    EXPECT_NE(words.find("[rank " + std::to_string(world().size() - 1) + "]"), std::string::npos) << words;
    EXPECT_TRUE(words.find("on fire") != std::string::npos || words.find("failed: ") != std::string::npos) << words;
    expect_error(second.code, "an earlier call was given up", [&] { plan.forward(in.data(), out.data()); });
    expect_error(second.code, "an earlier call was given up", [&] { make_plan(own.comm, transform(f)); });
  }
  world().barrier();
  return happened;
}

/// All faults of a kind that one call can have, or the first so many.
int check_faults(const FaultCase& f, FaultSite site, int most = 5) {
  int number = 0;
  while (number < most && check_fault(f, {site, number}) && !any_rank(testing::Test::HasFailure())) ++number;
  return number;
}

TEST(HostFaults, EveryExchange) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const std::string& exchange : exchange_names()) {
    int faults = 0;
    for (const FaultSite site : all_sites)
      for (const int chunks : {1, 3}) faults += check_faults({exchange, "pencil", chunks}, site, chunks == 1 ? 5 : 2);
    EXPECT_GE(faults, 3) << exchange;
  }
}

TEST(HostFaults, OtherAlgorithmsAndUncheckedCalls) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  EXPECT_GE(check_faults({"alltoallv", "cannon"}, FaultSite::send), 1);
  EXPECT_GE(check_faults({"alltoallv", "cannon"}, FaultSite::wait, 3), 1);
  EXPECT_GE(check_faults({"shared_window", "six_step", 1, true, 0, {256}}, FaultSite::transform, 3), 1);
  for (const std::string exchange : {"shared_window", "p2p", "alltoallv"})
    EXPECT_GE(check_faults({exchange, "slab", 1, false}, FaultSite::transform, 3), 1);
}

/// The last transform, in which ranks write into each other's output, is one of these.
TEST(HostFaults, ResultsOfOthers) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const bool check_calls : {true, false}) {
    const FaultCase f{"shared_window", "slab", 1, check_calls, 0, {8, 9, 10}, "natural", 0};
    EXPECT_GE(check_faults(f, FaultSite::transform), 2);
    const PlanReport report = make_plan(MPI_COMM_WORLD, transform(f)).report();
    EXPECT_TRUE(report.forward.steps.back().text.ends_with("scatter to shared memory")) << report;
  }
}

/// A plan whose trial of whole runs fails on the last rank, as calls do. `after`: 0 is in the first run.
void check_trial(const TransformCase& c, FaultSite site, int after) {
  SCOPED_TRACE(c.name() + ", " + name_of(site) + " " + std::to_string(after));
  alarm(60);
  const OwnComm own;
  if (last_rank()) arm({site, after});
  const Failure said = failure_of([&] { make_plan(own.comm, c); });
  // How many runs there is time for is the trial's choice; one there always is.
  const bool reached = any_rank(last_rank() && disarm());
  EXPECT_TRUE(reached || after > 0);
  EXPECT_EQ(reached, said.failed()) << said.text;
  if (reached) {
    EXPECT_NE(said.text.find("[rank " + std::to_string(world().size() - 1) + "]"), std::string::npos) << said.text;
    expect_error(said.code, "an earlier call was given up", [&] { make_plan(own.comm, c); });
  }
  world().barrier();
  alarm(0);
}

TEST(HostFaults, WhilePlansTryChunks) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const std::string exchange : {"p2p", "alltoallv"})
    for (const FaultSite site : {FaultSite::transform, exchange == "p2p" ? FaultSite::send : FaultSite::collective})
      for (const int after : {0, 3, 8}) {
        TransformCase c = transform({exchange, "slab", 0});
        c.options.effort = Effort::measure;
        c.options.fake_ranks_per_host = 1;
        check_trial(c, site, after);
      }
}

TEST(HostFaults, WhilePlansTryExchangesAndAlgorithms) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const int ranks_per_host : {0, 2})
    for (const int after : {0, 3, 8, 15, 40}) {
      TransformCase c = transform({"auto", "auto", 0});
      c.input = "brick";
      c.output = "natural";
      c.options.effort = Effort::measure;
      c.options.fake_ranks_per_host = ranks_per_host;
      check_trial(c, FaultSite::transform, after);
    }
}

/// The one that is late is told when it waits for others, or in its next call.
TEST(HostFaults, TooSlowInTheMiddle) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const std::string exchange : {"shared_window", "p2p", "pairwise_xor", "alltoallw", "hierarchical"}) {
    SCOPED_TRACE(exchange);
    alarm(60);
    const OwnComm own;
    const FaultCase f{exchange, "slab", 1, true, 0.5};
    Plan plan = make_plan(own.comm, transform(f));
    LocalArray& in = kept_array(plan.input());
    LocalArray& out = kept_array(plan.output());
    if (last_rank()) arm({FaultSite::transform, 0, 1.5});
    const Failure said = said_by(plan, in, out);
    EXPECT_TRUE(said.code == Status::timed_out || (last_rank() && !said.failed())) << said.text;
    EXPECT_TRUE(!said.failed() || said.text.find("waited 0.5 s in the middle of forward") != std::string::npos)
        << said.text;
    if (last_rank()) disarm();
    said_by(plan, in, out);
    expect_error(Status::timed_out, "an earlier call was given up", [&] { plan.forward(in.data(), out.data()); });
  }
  alarm(0);
}

/// A call without checks that the last rank does not make, though others wait for it.
void check_missing_rank(const std::string& exchange, const char* call,
                        const std::function<void(Plan&, LocalArray& in, LocalArray& out)>& make_call, int runs) {
  SCOPED_TRACE(exchange + ", " + call + " after " + std::to_string(runs) + " runs");
  alarm(60);
  const OwnComm own;
  Plan plan = make_plan(own.comm, transform({exchange, "slab", 1, false, 0.5}));
  LocalArray& in = kept_array(plan.input());
  LocalArray& out = kept_array(plan.output());
  for (int run = 0; run < runs; ++run) EXPECT_EQ(said_by(plan, in, out).text, "");
  const auto expect_timeout = [&] {
    const Failure said = failure_of([&] { make_call(plan, in, out); });
    EXPECT_EQ(said.code, Status::timed_out) << said.text;
    EXPECT_NE(said.text.find(call), std::string::npos) << said.text;
  };
  if (!last_rank()) expect_timeout();
  world().barrier();
  if (last_rank()) expect_timeout();
  expect_error(Status::timed_out, "an earlier call was given up", [&] { plan.forward(in.data(), out.data()); });
  alarm(0);
}

TEST(HostFaults, UncheckedCallsThatSomeRanksDoNotMake) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  const auto forward = [](Plan& plan, LocalArray& in, LocalArray& out) { plan.forward(in.data(), out.data()); };
  const auto apply = [](Plan& plan, LocalArray& in, LocalArray&) {
    plan.apply(Operator::laplacian(), in.data(), in.data());
  };
  for (const std::string exchange : {"shared_window", "p2p", "alltoallv", "hierarchical"})
    for (const int runs : {0, 1, 2}) check_missing_rank(exchange, "forward", forward, runs);
  check_missing_rank("p2p", "apply", apply, 1);
  check_missing_rank(
      "p2p", "report", [](Plan& plan, LocalArray&, LocalArray&) { plan.report(); }, 1);
}

/// The heap, which counts the messages whose memory goes back.
class WatchedMemory : public MemorySource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override { return std::aligned_alloc(alignment, bytes); }
  void release(void* memory, std::size_t bytes) noexcept override {
    const auto* const begin = static_cast<const std::byte*>(memory);
    for (const void* place : message_places().all)
      if (!std::less<>()(place, begin) && std::less<>()(place, begin + bytes)) ++released;
    std::free(memory);
  }

  int released = 0;
};

/// Whether there still is memory, of whatever use.
bool mapped(const void* place) {
  const std::uintptr_t page = page_size();
  return msync(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(place) / page * page), page, MS_ASYNC) == 0;
}

/// The messages of a rank's call whose memory is gone when its plan has ended: after a call in which the last rank
/// fails while messages are under way, or after a good one. Ranks whose messages had all come need no memory any more.
int messages_without_memory(const FaultCase& f, bool in_place, bool fails) {
  static auto& memory = *new WatchedMemory;
  memory.released = 0;
  const OwnComm own;
  TransformCase c = transform(f);
  if (in_place) c.output = "natural";
  const Installed<MemorySource> installed(memory);
  std::optional<Plan> plan = make_plan(own.comm, c);
  LocalArray& in = kept_array(plan->input());
  LocalArray& out = in_place ? in : kept_array(plan->output());
  message_places() = {true, {}};
  if (last_rank() && fails) arm({FaultSite::wait, 0});
  said_by(*plan, in, out);
  message_places().wanted = false;
  EXPECT_EQ(any_rank(plan->failed_half_way()), fails);
  const bool needs_none = fails && !plan->failed_half_way();
  if (last_rank()) disarm();
  plan.reset();
  const auto& all = message_places().all;
  const auto gone = std::count_if(all.begin(), all.end(), [](const void* place) { return !mapped(place); });
  message_places() = {};
  return needs_none ? 0 : memory.released + static_cast<int>(gone);
}

TEST(HostFaults, MemoryOfMessagesOutlivesThePlan) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  std::vector<std::pair<FaultCase, bool>> cases{{{"shared_window", "cannon_transposed"}, false},
                                                {{"p2p", "pencil"}, true}};
  if (world().size() > 2) cases.push_back({{"shared_window", "pencil"}, false});
  for (const auto& [f, in_place] : cases) {
    SCOPED_TRACE(f.exchange + ", " + f.algorithm);
    alarm(60);
    EXPECT_TRUE(any_rank(messages_without_memory(f, in_place, false) > 0));
    EXPECT_EQ(messages_without_memory(f, in_place, true), 0);
    alarm(0);
  }
}

/// What a rank refuses alone is no call: those that follow are counted alike.
TEST(HostFaults, UncheckedCallsThatOneRankRefuses) {
  Plan plan = make_plan(MPI_COMM_WORLD, transform({"p2p", "slab", 1, false}));
  LocalArray in(plan.input()), out(plan.output());
  EXPECT_EQ(said_by(plan, in, out).text, "");
  if (last_rank()) {
    EXPECT_EQ(failure_of([&] { plan.forward(nullptr, out.data()); }).code, Status::invalid_argument);
  }
  EXPECT_EQ(said_by(plan, in, out).text, "");
  EXPECT_EQ(failure_of([&] { plan.report(); }).text, "");
}

}  // namespace
}  // namespace shardfft::test
