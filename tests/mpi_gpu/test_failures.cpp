// A rank that fails in the middle of a call of a GPU plan, in messages of MPI or NCCL, or is too slow: every rank gets
// its error, nobody waits for ever, and the plans of that communicator refuse afterwards. On real GPUs too.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "mpi_faults/faults.hpp"
#include "mpi_gpu/my_device.hpp"
#include "support/device_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// Those that send messages; how peers fail, whose devices write into each other, is test_standin_failures' business.
std::vector<std::string> message_exchanges() {
  std::vector<std::string> names = device_exchange_names();
  std::erase_if(names, [](const std::string& name) { return name.starts_with("cuda_peer"); });
  return names;
}

/// A plan on a communicator of its own, and its arrays, which stay as long as MPI may use them.
struct Calls {
  OwnComm own;
  Plan plan;
  PlacedArray in, out;
  bool failed_half_way = false;

  explicit Calls(const std::string& exchange, double timeout = 0, device::StreamHandle stream = nullptr)
      : plan(make(own.comm, exchange, timeout, stream)),
        in("device", my_device(), plan.input().bytes()),
        out("device", my_device(), plan.output().bytes()) {}
  ~Calls() {
    static std::vector<PlacedArray> kept;
    if (failed_half_way) kept.insert(kept.end(), {in, out});
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  static Plan make(MPI_Comm comm, const std::string& exchange, double timeout, device::StreamHandle stream) {
    Options options = on_gpu("pencil");
    options.exchange = exchange;
    options.call_timeout = timeout;
    options.device = my_device();
    options.stream = stream;
    // Some are peers, or none.
    if (exchange == "mixed") options.fake_ranks_per_host = (world().size() + 1) / 2;
    const Layout layout = Layout::pencil({8, 12, 10}, process_grid(world().size(), 2));
    return {comm, c2c<double>, layout, default_output, options};
  }
  Failure forward() {
    Failure failure = failure_of([this] { plan.forward(in.data(), out.data()); });
    failed_half_way = failed_half_way || plan.failed_half_way();
    return failure;
  }
};

/// Whether this build and these GPUs have the exchange at all.
bool can_run(const std::string& exchange) {
  const Failure why = failure_of([&] { Calls(exchange).forward(); });
  if (why.failed()) {
    EXPECT_EQ(why.code, Status::unsupported) << why.text;
  }
  return !why.failed();
}

/// Where the exchange begins to send. Collective.
FaultSite message_site(const std::string& exchange) {
  const std::vector<std::string> names = device_exchange_names();
  const bool has_nccl = std::find(names.begin(), names.end(), "nccl") != names.end();
  if (exchange.starts_with("nccl") || (exchange == "mixed" && has_nccl && can_run("nccl"))) return FaultSite::nccl;
  return exchange.find("alltoall") != std::string::npos ? FaultSite::collective : FaultSite::send;
}

/// A call in which the last rank fails, after so many that went well. Returns whether it did.
bool check_failure(const std::string& exchange, const Fault& wanted, int runs_before = 1) {
  SCOPED_TRACE(exchange + ", " + name_of(wanted.site) + " " + std::to_string(wanted.after) + ", call " +
               std::to_string(runs_before + 1));
  alarm(120);
  Calls calls(exchange);
  for (int run = 0; run < runs_before; ++run) EXPECT_EQ(calls.forward().text, "");
  if (last_rank()) arm(wanted);
  const Failure first = calls.forward();
  const bool happened = any_rank(last_rank() && disarm());
  if (last_rank()) {
    EXPECT_EQ(first.failed(), happened) << first.text;
  }
  const Failure second = calls.forward();
  EXPECT_EQ(second.failed(), happened) << second.text;
  if (happened) {
    const std::string& words = first.failed() ? first.text : second.text;
    EXPECT_NE(words.find("[rank " + std::to_string(world().size() - 1) + "]"), std::string::npos) << words;
    expect_error(second.code, "an earlier call was given up", [&] { calls.plan.forward(calls.in.data(), nullptr); });
  }
  world().barrier();
  return happened;
}

TEST(DeviceFailures, Messages) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const std::string& exchange : message_exchanges()) {
    if (!can_run(exchange)) continue;
    int failures = 0;
    for (const FaultSite site : all_sites)
      for (int number = 0; number < 4 && !any_rank(HasFailure()) && check_failure(exchange, {site, number}); ++number)
        ++failures;
    EXPECT_GE(failures, 1) << exchange;
  }
  alarm(0);
}

/// Nothing that a library puts off until ranks first send each other something may wait for one that has failed.
TEST(DeviceFailures, FirstCall) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const std::string& exchange : message_exchanges()) {
    if (!can_run(exchange)) continue;
    EXPECT_TRUE(check_failure(exchange, {message_site(exchange), 0}, 0));
  }
  alarm(0);
}

/// Who learns of it late, because its call did not wait for the work: in the next call, or when the plan ends. Streams
/// do not wait for ever then.
TEST(DeviceFailures, CallersStreams) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const std::string& exchange : message_exchanges()) {
    if (!can_run(exchange)) continue;
    for (const bool calls_again : {true, false}) {
      SCOPED_TRACE(exchange + (calls_again ? ", called again" : ""));
      alarm(120);
      const device::DeviceScope scope(my_device());
      const device::Stream stream = device::make_stream();
      const FaultSite site = message_site(exchange);
      Calls calls(exchange, 0, stream.get());
      EXPECT_EQ(calls.forward().text, "");
      device::synchronize(stream.get());
      if (last_rank()) arm({site, 0});
      const Failure said = calls.forward();
      EXPECT_EQ(any_rank(said.failed()), true);
      if (last_rank()) disarm();
      if (calls_again) {
        EXPECT_TRUE(calls.forward().failed());
        device::synchronize(stream.get());
      }
      { const Plan ended = std::move(calls.plan); }  // before its arrays: to free them may wait for the device
      device::synchronize(stream.get());
      world().barrier();
    }
  }
  alarm(0);
}

TEST(DeviceFailures, TooSlowInTheMiddle) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const std::string& exchange : message_exchanges()) {
    // Those through the host are the same exchanges of CPUs again.
    if (exchange.starts_with("host_staged_") || !can_run(exchange)) continue;
    SCOPED_TRACE(exchange);
    alarm(120);
    const FaultSite site = message_site(exchange);
    Calls calls(exchange, 1);
    EXPECT_EQ(calls.forward().text, "");
    if (last_rank()) arm({site, 0, 2});
    const Failure said = calls.forward();
    EXPECT_TRUE(said.code == Status::timed_out || (last_rank() && !said.failed())) << said.text;
    if (last_rank()) disarm();
    calls.forward();
    expect_error(Status::timed_out, "an earlier call was given up",
                 [&] { calls.plan.forward(calls.in.data(), calls.out.data()); });
  }
  alarm(0);
}

}  // namespace
}  // namespace shardfft::test
