// Outputs that others write into: users' own arrays, arrays of the plan, both at once, the input itself.
#include <gtest/gtest.h>

#include "mpi_host/host_kit.hpp"

namespace shardfft::test {
namespace {

/// The way back to where the input lies is the last change of layout, right behind the last transform.
HostCase there_and_back(const Layout& layout, std::vector<int> axes = {}) {
  HostCase c{layout.shape(), layout, layout, quick("slab"), Kind::c2c};
  c.options.exchange = "shared_window";
  c.options.axes = std::move(axes);
  return c;
}

/// Planes and then lines; bricks; one axis, whose step reads the input and writes the output.
std::vector<HostCase> cases() {
  const Shape shape{12, 7, 10};
  const int ranks = world().size();
  return {there_and_back(Layout::slab(shape, ranks, 0)), there_and_back(Layout::brick(shape, ranks)),
          there_and_back(Layout::slab(shape, ranks, 0), {0})};
}

bool scatters(const Plan& plan) {
  return plan.report().to_text().find("scatter to shared memory") != std::string::npos;
}

Numbers copied(const Buffer& buffer, std::int64_t count) {
  const auto* first = buffer.as<std::complex<double>>();
  return {first, first + count};
}

void fill(const Buffer& buffer, const Numbers& numbers) {
  std::copy(numbers.begin(), numbers.end(), buffer.as<std::complex<double>>());
}

TEST(HostOutputs, AreWrittenByTheLastTransform) {
  for (const HostCase& c : cases()) EXPECT_EQ(scatters(c.plan()), world().size() > 1);
  HostCase messages = cases().front();
  messages.options.exchange = "alltoallv";
  EXPECT_FALSE(scatters(messages.plan()));
}

/// Even ranks take the plan's array where `mixed`, odd ones their own.
TEST(HostOutputs, ArraysOfAllKinds) {
  for (HostCase c : cases())
    for (const bool verify : {false, true}) {
      c.options.verify = verify;
      Plan plan = c.plan();
      const Buffer shared = plan.allocate_output();
      Numbers own(static_cast<std::size_t>(plan.output().count()));
      for (const bool mixed : {false, true})
        for (int run = 0; run < 3; ++run) {
          const Numbers in = random_input(plan.input().count(), run);
          const bool mine = mixed && world().rank() % 2 == 1;
          plan.forward(in.data(), mine ? own.data() : shared.data());
          EXPECT_LT(distance(mine ? own : copied(shared, plan.output().count()), by_messages(c, in)), 1e-12);
        }
      const Numbers in = random_input(plan.input().count(), 7);
      plan.forward(in.data(), own.data());
      EXPECT_LT(distance(own, by_messages(c, in)), 1e-12);
    }
}

TEST(HostOutputs, TheInputItself) {
  for (const HostCase& c : cases()) {
    Plan plan = c.plan();
    const Buffer shared = plan.allocate_input();
    for (int run = 0; run < 3; ++run) {
      const Numbers in = random_input(plan.input().count(), run);
      const Numbers expected = by_messages(c, in);
      fill(shared, in);
      plan.forward(shared.data(), shared.data());
      EXPECT_LT(distance(copied(shared, plan.output().count()), expected), 1e-12);
      Numbers own = in;
      plan.forward(own.data(), own.data());
      EXPECT_LT(distance(own, expected), 1e-12);
    }
  }
}

/// What comes back to its rank lands where all ranks read it: one array of shared memory is enough. Even ranks take the
/// plan's array, odd ones their own.
TEST(HostOutputs, LandOnWhatWasRead) {
  if (world().size() == 1) return;
  const HostCase c = there_and_back(slabs({8, 6, 2048}, 0));
  Plan plan = c.plan();
  const double array =
      16.0 * static_cast<double>(std::max(slabs(c.shape, 0).max_count(), slabs(c.shape, 1).max_count()));
  EXPECT_LE(static_cast<double>(plan.report().window_bytes), array + 8192);
  const Buffer shared = plan.allocate_output();
  Numbers own(static_cast<std::size_t>(plan.output().count()));
  for (int run = 0; run < 3; ++run) {
    const Numbers in = random_input(plan.input().count(), run);
    const bool mine = world().rank() % 2 == 1;
    plan.forward(in.data(), mine ? own.data() : shared.data());
    const Numbers out = mine ? own : copied(shared, plan.output().count());
    EXPECT_LT(distance(out, by_messages(c, in)), 1e-12);
    Numbers back(in.size());
    plan.backward(out.data(), back.data());
    EXPECT_LT(distance(back, in), 1e-12);
  }
}

/// The results are there when the call returns, and stay: nobody writes into them any more.
TEST(HostOutputs, AreCompleteAfterTheCall) {
  for (HostCase c : cases()) {
    c.options.check_calls = false;
    Plan plan = c.plan();
    const Buffer field = plan.allocate_input(), spectrum = plan.allocate_output();
    const Numbers in = random_input(plan.input().count(), 3);
    const Numbers expected = by_messages(c, in);
    fill(field, in);
    double worst = 0;  // of this rank: to agree on it would keep the ranks together
    for (int run = 0; run < 60; ++run) {
      plan.forward(field.data(), spectrum.data());
      for (std::size_t i = 0; i < expected.size(); ++i)
        worst = std::max(worst, std::abs(spectrum.as<std::complex<double>>()[i] - expected[i]));
      std::fill_n(field.as<std::complex<double>>(), in.size(), std::complex<double>(1e30, -1e30));
      plan.backward(spectrum.data(), field.data());
      for (std::size_t i = 0; i < in.size(); ++i) {
        auto& value = field.as<std::complex<double>>()[i];
        worst = std::max(worst, std::abs(value - in[i]));
        value = in[i];
      }
    }
    EXPECT_LT(world().max(worst), 1e-11);
  }
}

/// Real numbers come back in double precision as they do by messages.
TEST(HostOutputs, RealBricks) {
  const Shape shape{12, 7, 10};
  for (const bool verify : {false, true}) {
    Options options = quick("slab");
    options.exchange = "shared_window";
    options.verify = verify;
    Plan plan(MPI_COMM_WORLD, Transform{Kind::r2c, Precision::f64}, Layout::brick(shape, world().size()),
              default_output, options);
    const Buffer field = plan.allocate_input(), spectrum = plan.allocate_output();
    std::vector<double> in(static_cast<std::size_t>(plan.input().count()));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = noise(static_cast<std::uint64_t>(world().rank()), i, 2);
    std::copy(in.begin(), in.end(), field.as<double>());
    plan.forward(field.data(), spectrum.data());
    std::fill_n(field.as<double>(), in.size(), 1e30);
    plan.backward(spectrum.data(), field.data());
    double worst = 0;
    for (std::size_t i = 0; i < in.size(); ++i) worst = std::max(worst, std::abs(field.as<double>()[i] - in[i]));
    EXPECT_LT(world().max(worst), 1e-12);
  }
}

}  // namespace
}  // namespace shardfft::test
