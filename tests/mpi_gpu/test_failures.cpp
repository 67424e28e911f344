// A rank that fails in the middle of a call of a GPU plan, in messages of MPI or NCCL, or is too slow: every rank gets
// its error, nobody waits for ever, and the plans of that communicator refuse afterwards. On real GPUs too.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "mpi_faults/faults.hpp"
#include "support/device_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

int my_device() { return world().rank() % device::device_count(); }
bool last_rank() { return world().rank() + 1 == world().size(); }

/// Those that send messages; how peers fail, whose devices write into each other, is test_standin_failures' business.
std::vector<std::string> message_exchanges() {
  std::vector<std::string> names = device_exchange_names();
  std::erase_if(names, [](const std::string& name) { return name.starts_with("cuda_peer"); });
  return names;
}

/// A plan on a communicator of its own, and its arrays.
struct Calls {
  OwnComm own;
  Plan plan;
  PlacedArray in, out;

  Calls(const std::string& exchange, double timeout)
      : plan(make(own.comm, exchange, timeout)),
        in("device", my_device(), plan.input().bytes()),
        out("device", my_device(), plan.output().bytes()) {}
  static Plan make(MPI_Comm comm, const std::string& exchange, double timeout) {
    Options options = on_gpu("pencil");
    options.exchange = exchange;
    options.call_timeout = timeout;
    const Layout layout = Layout::pencil({8, 12, 10}, process_grid(world().size(), 2));
    return {comm, c2c<double>, layout, default_output, options};
  }
  Failure forward() {
    return failure_of([this] { plan.forward(in.data(), out.data()); });
  }
};

/// Whether this build and these GPUs have the exchange at all.
bool can_run(const std::string& exchange) {
  const Failure why = failure_of([&] { Calls(exchange, 0).forward(); });
  if (why.failed()) {
    EXPECT_EQ(why.code, Status::unsupported) << why.text;
  }
  return !why.failed();
}

/// Returns whether the last rank failed.
bool check_failure(const std::string& exchange, const Fault& wanted) {
  SCOPED_TRACE(exchange + ", " + name_of(wanted.spot) + " " + std::to_string(wanted.after));
  alarm(120);
  Calls calls(exchange, 0);
  EXPECT_EQ(calls.forward().text, "");
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
    for (const Spot spot : all_spots)
      for (int number = 0; number < 4 && !any_rank(HasFailure()) && check_failure(exchange, {spot, number}); ++number)
        ++failures;
    EXPECT_GE(failures, 1) << exchange;
  }
  alarm(0);
}

TEST(DeviceFailures, TooSlowInTheMiddle) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const std::string& exchange : message_exchanges()) {
    if (!can_run(exchange)) continue;
    SCOPED_TRACE(exchange);
    alarm(120);
    Calls calls(exchange, 1);
    EXPECT_EQ(calls.forward().text, "");
    if (last_rank()) arm({exchange == "nccl" ? Spot::nccl : Spot::send, 0, 3});
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
