// Inputs that others read: users' own arrays, arrays of the plan, both at once, on one host and on several.
#include <gtest/gtest.h>

#include "mpi_host/host_kit.hpp"

namespace shardfft::test {
namespace {

/// How often each way was taken. One rank alone exchanges nothing.
void expect_ways(const Plan& plan, int in_window, int across, int staged) {
  const PlanReport::InputReads ways = ways_of(plan);
  if (world().size() == 1) return;
  EXPECT_EQ(ways.in_window, in_window);
  EXPECT_EQ(ways.across, across);
  EXPECT_EQ(ways.staged, staged);
}

void expect_forward(const HostCase& c, Plan& plan, int salt) {
  const Numbers in = random_input(plan.input().count(), salt);
  const Numbers before = in;
  Numbers out(static_cast<std::size_t>(plan.output().count()));
  plan.forward(in.data(), out.data());
  EXPECT_EQ(in, before);
  EXPECT_LT(distance(out, by_messages(c, in)), 1e-12);
}

TEST(HostInputs, LongRowsAreReadThroughTheKernel) {
  const HostCase c = long_rows();
  Plan plan = c.plan();
  for (int run = 0; run < 3; ++run) expect_forward(c, plan, run);
  if (cross_memory_allowed())
    expect_ways(plan, 0, 3, 0);
  else
    expect_ways(plan, 0, 0, 3);
}

TEST(HostInputs, ShortRowsAreStaged) {
  const HostCase c = short_rows();
  Plan plan = c.plan();
  for (int run = 0; run < 3; ++run) expect_forward(c, plan, run);
  expect_ways(plan, 0, 0, 3);
}

/// The numbers of a rank's own share, which is not staged, are not those of an earlier run either.
TEST(HostInputs, OwnSharesOfMiddleRowsAreReadFromTheInput) {
  for (const int ranks_per_host : {0, 2}) {
    HostCase c = middle_rows();
    c.options.fake_ranks_per_host = ranks_per_host;
    for (const bool verify : {false, true}) {
      c.options.verify = verify;
      Plan plan = c.plan();
      for (int run = 0; run < 3; ++run) expect_forward(c, plan, run);
      if (ranks_per_host == 0) expect_ways(plan, 0, 0, 3);
    }
  }
}

TEST(HostInputs, ArraysOfThePlanAreNotCopied) {
  for (const HostCase& c : {long_rows(), short_rows()}) {
    Plan plan = c.plan();
    const Buffer in = plan.allocate_input();
    const Buffer out = plan.allocate_output();
    for (int run = 0; run < 2; ++run) {
      const Numbers numbers = random_input(plan.input().count(), run);
      std::copy(numbers.begin(), numbers.end(), in.as<std::complex<double>>());
      plan.forward(in.data(), out.data());
      const auto* first = out.as<std::complex<double>>();
      EXPECT_LT(distance(Numbers(first, first + plan.output().count()), by_messages(c, numbers)), 1e-12);
    }
    expect_ways(plan, 2, 0, 0);
  }
}

/// Even ranks take the plan's array, odd ones their own.
TEST(HostInputs, BothKindsAtOnce) {
  const HostCase c = long_rows();
  Plan plan = c.plan();
  const Buffer shared = plan.allocate_input();
  Numbers own = random_input(plan.input().count(), 5);
  std::copy(own.begin(), own.end(), shared.as<std::complex<double>>());
  Numbers out(static_cast<std::size_t>(plan.output().count()));
  plan.forward(world().rank() % 2 == 0 ? shared.data() : own.data(), out.data());
  EXPECT_LT(distance(out, by_messages(c, own)), 1e-12);
}

/// The array may be changed as soon as the call returns: nobody reads it any more.
TEST(HostInputs, InputMayChangeAfterTheCall) {
  const HostCase c = long_rows();
  Plan plan = c.plan();
  Numbers in = random_input(plan.input().count(), 1);
  Numbers out(static_cast<std::size_t>(plan.output().count()));
  for (int run = 0; run < 20; ++run) {
    in = random_input(plan.input().count(), run);
    const Numbers kept = in;
    plan.forward(in.data(), out.data());
    std::fill(in.begin(), in.end(), std::complex<double>(1e30, -1e30));
    if (run % 5 == 0) {
      EXPECT_LT(distance(out, by_messages(c, kept)), 1e-12) << "run " << run;
    }
  }
}

TEST(HostInputs, SameArrayForInputAndOutput) {
  const HostCase c = long_rows();
  Plan plan = c.plan();
  const Numbers in = random_input(plan.input().count(), 9);
  Numbers both(static_cast<std::size_t>(std::max(plan.input().count(), plan.output().count())));
  std::copy(in.begin(), in.end(), both.begin());
  plan.forward(std::span(both), std::span(both));
  both.resize(static_cast<std::size_t>(plan.output().count()));
  EXPECT_LT(distance(both, by_messages(c, in)), 1e-12);
}

/// Some peers are on the host, others get messages.
TEST(HostInputs, MixedHosts) {
  for (const int ranks_per_host : {1, 2, 3})
    for (HostCase c : {long_rows(), short_rows()}) {
      c.options.fake_ranks_per_host = ranks_per_host;
      Plan plan = c.plan();
      for (int run = 0; run < 2; ++run) expect_forward(c, plan, run);
    }
}

/// Both directions stage their input in the same memory, and on the way to and from the slabs each rank meets other
/// ranks: one may come back while another still reads what it staged on the way there.
TEST(HostInputs, StagedOnBothWaysWithoutChecks) {
  if (world().size() != 4) GTEST_SKIP() << "made for 4 ranks";
  const std::int64_t n = 1 << 14;
  const AxisOrder short_runs{1, 0};
  const std::vector<std::vector<Progression>> dealt{{{0, 2, 2}, {1, 2, 2}}, {{0, n / 2, 1}, {n / 2, n / 2, 1}}};
  HostCase c{{4, n},
             Layout::brick({4, n}, {2, 2}, short_runs),
             Layout::grid({4, n}, dealt, 4, {1, 2}, short_runs),
             quick("slab")};
  c.options.exchange = "shared_window";
  c.options.axes = {1};
  c.options.check_calls = false;
  Plan plan = c.plan();
  const Numbers in = random_input(plan.input().count(), 4);
  const Numbers expected = by_messages(c, in);
  Numbers scaled(in.size()), out(in.size()), back(in.size());
  std::int64_t wrong = 0;  // counted here: agreeing on it after each run would keep the ranks together
  const auto count_wrong = [&wrong](std::complex<double> got, std::complex<double> wanted) {
    if (!(std::abs(got - wanted) < 1e-10)) ++wrong;
  };
  for (int run = 1; run <= 40; ++run) {
    std::transform(in.begin(), in.end(), scaled.begin(), [run](auto v) { return v * static_cast<double>(run); });
    plan.forward(scaled.data(), out.data());
    plan.backward(expected.data(), back.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
      count_wrong(out[i] / static_cast<double>(run), expected[i]);
      count_wrong(back[i], in[i]);
    }
  }
  EXPECT_EQ(wrong, 0);
  const PlanReport::InputReads ways = ways_of(plan);
  EXPECT_EQ(ways.staged, 40);
}

/// There and back from users' arrays, whole transforms, first step a reshape on both ways.
TEST(HostInputs, RoundTrip) {
  const Shape shape{12, 10, 256};
  HostCase c{shape, Layout::brick(shape, process_grid(world().size(), 3)), slabs(shape, 2), quick("pencil")};
  c.options.exchange = "shared_window";
  for (const int threads : {1, 2}) {
    c.options.threads = threads;
    Plan plan = c.plan();
    const Numbers in = random_input(plan.input().count(), threads);
    Numbers spectrum(static_cast<std::size_t>(plan.output().count()));
    Numbers back(in.size());
    plan.forward(in.data(), spectrum.data());
    EXPECT_LT(distance(spectrum, by_messages(c, in)), 1e-10);
    plan.backward(spectrum.data(), back.data());
    EXPECT_LT(distance(back, in), 1e-12);
  }
}

}  // namespace
}  // namespace shardfft::test
