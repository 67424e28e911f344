// The option verify: bits that flip in messages, in what transforms read and write and in arrays between the steps end
// in one error on all ranks; nothing else does.
#include <gtest/gtest.h>

#include <cmath>

#include "base/check_hooks.hpp"
#include "mpi_faults/faults.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TransformCase verified(const std::string& exchange, Kind kind, Precision precision, const std::string& algorithm,
                       Shape shape = {9, 10, 8}) {
  TransformCase c{std::move(shape), "slab", "natural", kind, precision, quick(algorithm)};
  c.options.exchange = exchange;
  c.options.local_fft = "fftw";
  c.options.verify = true;
  c.options.fake_ranks_per_host = 2;
  return c;
}

/// Flips a bit of an array of the caller's when the plan computes for the `after`th time.
class FlippingHook : public ComputeHook {
 public:
  FlippingHook(std::byte* number, int after, int bit) : number_(number), after_(after), bit_(bit) {}
  void compute(const Work&, const std::function<void()>& action) override {
    if (number_ != nullptr && after_-- == 0) flip_bit(number_, bit_);
    action();
  }

 private:
  std::byte* number_;
  int after_, bit_;
};

/// Flips a bit of the array that a step is about to read, somewhere in it.
class BetweenSteps : public HostStepHook {
 public:
  BetweenSteps(bool mine, std::size_t step, double part, int bit) : mine_(mine), step_(step), part_(part), bit_(bit) {}
  void reached(std::size_t step, std::byte* array, std::size_t bytes) override {
    if (!mine_ || step != step_ || bytes == 0) return;
    const auto words = static_cast<double>(bytes / sizeof(std::uint32_t));
    flip_bit(array + static_cast<std::size_t>(part_ * words) * sizeof(std::uint32_t), bit_);
    happened_ = true;
  }
  bool happened() const { return happened_; }

 private:
  bool mine_;
  std::size_t step_;
  double part_;
  int bit_;
  bool happened_ = false;
};

/// A plan, an input of noise, and the right result.
struct Trial {
  TransformCase c;
  Plan plan;
  LocalArray in, right, out;
  double scale = 0;  ///< the root mean square of the result on all ranks

  explicit Trial(const TransformCase& wanted)
      : c(wanted), plan(make_plan(MPI_COMM_WORLD, c)), in(plan.input()), right(plan.output()), out(plan.output()) {
    fill();
    plan.forward(in.data(), right.data());
    std::int64_t count = plan.output().count();
    double squares = 0;
    for (std::int64_t i = 0; i < count; ++i) squares += std::norm(right.get(i));
    MPI_Allreduce(MPI_IN_PLACE, &squares, 1, MPI_DOUBLE, MPI_SUM, world().get());
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, world().get());
    scale = std::sqrt(squares / static_cast<double>(count));
  }
  void fill() {
    for (std::int64_t i = 0, count = plan.input().count(); i < count; ++i) {
      const auto salt = static_cast<std::uint64_t>(world().rank());
      in.set(i, {1.5 + 0.5 * noise(salt, to_size(i), 0), plan.input().element.is_complex ? 1.0 : 0.0});
    }
  }
  /// Whether all ranks were told of a wrong result; no other error.
  bool told() {
    const Failure said = failure_of([this] { plan.forward(in.data(), out.data()); });
    EXPECT_TRUE(!said.failed() || said.code == Status::corrupted) << said.text;
    if (said.failed()) {
      EXPECT_NE(said.text.find("verify found a wrong result in step "), std::string::npos) << said.text;
      EXPECT_NE(said.text.find("[rank "), std::string::npos) << said.text;
    }
    EXPECT_EQ(any_rank(said.failed()), said.failed()) << "not on all ranks";
    return said.failed();
  }
  bool wrong() {
    double worst = 0;
    for (std::int64_t i = 0, count = plan.output().count(); i < count; ++i) {
      const double difference = std::abs(out.get(i) - right.get(i));
      worst = std::isfinite(difference) ? std::max(worst, difference) : 1e300;
    }
    return any_rank(worst > (c.precision == Precision::f64 ? 1e-8 : 3e-3) * scale);
  }
};

/// Sign, exponent and high bits of the mantissa.
std::vector<int> bits_of(Precision precision) {
  if (precision == Precision::f64) return {63, 62, 58, 52, 51, 44, 36};
  return {31, 30, 25, 23, 22, 19};
}

/// All flips of the last rank in one place; returns how many were told.
int check_flips(Trial& run, Flip::Place place, int most) {
  int told = 0;
  for (int after = 0; after < most; ++after)
    for (const int bit : bits_of(run.c.precision)) {
      SCOPED_TRACE("place " + std::to_string(static_cast<int>(place)) + ", number " + std::to_string(after) + ", bit " +
                   std::to_string(bit));
      run.fill();
      if (last_rank()) flip() = {place, after, bit, MPI_REQUEST_NULL, nullptr};
      const bool found = run.told();
      flip() = {};
      EXPECT_TRUE(found || !run.wrong()) << "a wrong result was not found";
      told += found ? 1 : 0;
    }
  return told;
}

TEST(Verify, FindsFlipsInMessagesAndTransforms) {
  const bool alone = world().size() == 1;
  for (const std::string& exchange : exchange_names())
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const Precision precision : {Precision::f64, Precision::f32}) {
        Trial run(verified(exchange, kind, precision, "slab"));
        SCOPED_TRACE(run.c.name());
        const int bits = static_cast<int>(bits_of(precision).size());
        if (!alone && exchange != "shared_window") {
          EXPECT_GE(check_flips(run, Flip::Place::message, 2), bits);
        }
        EXPECT_GE(check_flips(run, Flip::Place::transform_in, 2), bits);
        EXPECT_GE(check_flips(run, Flip::Place::transform_out, 2), bits);
        EXPECT_FALSE(run.told());
        EXPECT_FALSE(run.wrong());
        const PlanReport report = run.plan.report();
        EXPECT_GT(report.forward.checks, 0);
        EXPECT_GT(report.forward.largest_residual, 1) << report;
        EXPECT_EQ(report.backward.checks, 0);
      }
}

/// Other kinds of steps: twiddles, real parts, c2r, planes of three axes in one step; lines of odd lengths, longer than
/// what is summed up at once.
TEST(Verify, FindsFlipsInOtherSteps) {
  for (const auto& [algorithm, shape, kind] : {std::tuple{"six_step", Shape{240}, Kind::c2c},
                                               {"six_step", Shape{240}, Kind::r2c},
                                               {"cyclic", Shape{240}, Kind::c2c},
                                               {"slab", Shape{9, 8, 131}, Kind::c2c},
                                               {"slab", Shape{9, 8, 131}, Kind::r2c},
                                               {"slab", Shape{131, 3, 70}, Kind::c2r},
                                               {"pencil", Shape{9, 10, 8}, Kind::c2r},
                                               {"auto", Shape{12, 10}, Kind::c2r}}) {
    Trial run(verified("alltoallv", kind, Precision::f64, algorithm, shape));
    SCOPED_TRACE(run.c.name());
    EXPECT_GE(check_flips(run, Flip::Place::transform_in, 2), 1);
    EXPECT_GE(check_flips(run, Flip::Place::transform_out, 2), 1);
    EXPECT_FALSE(run.told());
  }
}

/// A bit of the input flips once the plan has begun: before a transform or before others read it in shared memory.
TEST(Verify, FindsFlipsOfArraysInUse) {
  int told = 0;
  for (const std::string& exchange : {std::string("shared_window"), std::string("p2p")})
    for (const bool moves_first : {false, true}) {
      TransformCase c = verified(exchange, Kind::c2c, Precision::f64, "slab");
      if (moves_first) c.options.axes = {0};
      Trial run(c);
      SCOPED_TRACE(c.name() + (moves_first ? ", moves first" : ""));
      for (int after = 0; after < 3; ++after)
        for (const int bit : bits_of(c.precision)) {
          run.fill();
          const bool mine = last_rank() && run.plan.input().count() > 0;
          FlippingHook hook(mine ? static_cast<std::byte*>(run.in.data()) : nullptr, after, bit);
          const Installed<ComputeHook> installed(hook);
          const bool found = run.told();
          EXPECT_TRUE(found || !run.wrong()) << "a wrong result was not found";
          told += found ? 1 : 0;
        }
    }
  EXPECT_GE(told, 1);
}

/// Shapes whose planes and lines run in bundles, on few ranks both and on others at least what is gathered.
std::vector<TransformCase> bundled_cases() {
  std::vector<TransformCase> cases;
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const auto& [algorithm, shape] : {std::pair{"slab", Shape{61, 70, 96}}, {"pencil", Shape{33, 34, 160}}})
        cases.push_back(verified("shared_window", kind, precision, algorithm, shape));
  cases.push_back(verified("shared_window", Kind::c2c, Precision::f64, "slab", {12, 1000}));
  for (TransformCase& c : cases) c.options.fake_ranks_per_host = 0;
  cases.push_back(cases.front());
  cases.back().options.threads = 3;
  return cases;
}

/// Where runs in memory are long, the sums that the tests below look at are taken while lines are copied.
TEST(Verify, AddsUpWhatItCopies) {
  const PlanReport report = make_plan(MPI_COMM_WORLD, bundled_cases().front()).report();
  bool fetches = false, stores = false;
  for (const auto& step : report.forward.steps) {
    const std::size_t checked = step.text.find(", checked while ");
    if (checked == std::string::npos) continue;
    fetches = fetches || step.text.find("fetched", checked) != std::string::npos;
    stores = stores || step.text.find("stored", checked) != std::string::npos;
  }
  EXPECT_TRUE(fetches) << report;
  EXPECT_TRUE(stores) << report;
}

/// Before any step reads them, and before others do in shared memory: every bit counts, also the lowest.
TEST(Verify, FindsEveryFlipBetweenSteps) {
  for (const TransformCase& c : bundled_cases()) {
    Trial run(c);
    SCOPED_TRACE(c.name());
    const std::size_t steps = run.plan.report().forward.steps.size();
    for (std::size_t step = 1; step < steps; ++step)
      for (const auto& [part, bit] : {std::pair{0.0, 0}, {0.37, 31}, {0.63, 7}, {0.999999, 22}}) {
        BetweenSteps hook(last_rank(), step, part, bit);
        const Installed<HostStepHook> installed(hook);
        const bool found = run.told();
        EXPECT_EQ(found, any_rank(hook.happened())) << "step " << step << ", part " << part << ", bit " << bit;
      }
    EXPECT_FALSE(run.told());
    EXPECT_FALSE(run.wrong());
  }
}

/// In the memory of a bundle, at any moment: before it is read, transformed or stored. Not beside other threads: one of
/// them may flip what another has just read of the input and not summed yet, which nobody can tell from other input.
TEST(Verify, FindsFlipsInBundles) {
  int told = 0;
  for (const TransformCase& c : bundled_cases()) {
    if (c.options.threads > 1) continue;
    Trial run(c);
    SCOPED_TRACE(c.name());
    std::vector<std::byte> memory(run.plan.workspace_bytes() + 64);
    std::byte* const workspace = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
    run.plan.set_workspace(workspace, run.plan.workspace_bytes());
    // What the last step stores nobody reads.
    const std::string last = run.plan.report().forward.steps.back().text;
    const bool all_is_read = last.starts_with("reshape") || last.ends_with("scatter to shared memory");
    for (int after = 0; after < 8; ++after)
      for (const int bit : bits_of(c.precision)) {
        FlippingHook hook(last_rank() && run.plan.workspace_bytes() > 0 ? workspace : nullptr, after, bit);
        const Installed<ComputeHook> installed(hook);
        const bool found = run.told();
        EXPECT_TRUE(found || !all_is_read || !run.wrong())
            << "a wrong result was not found: computation " << after << ", bit " << bit;
        told += found ? 1 : 0;
      }
  }
  EXPECT_GE(told, 20);
}

/// Numbers of 24 orders of magnitude, and of any size as a whole.
TEST(Verify, NoFalseAlarms) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const double size : {1e-30, 1.0, 1e20}) {
        Trial run(verified("auto", kind, precision, "auto", {20, 18, 14}));
        SCOPED_TRACE(run.c.name());
        const double orders = precision == Precision::f64 ? 12 : 6;
        for (int salt = 0; salt < 5; ++salt) {
          for (std::int64_t i = 0; i < run.plan.input().count(); ++i) {
            const auto n = to_size(i);
            const auto s = static_cast<std::uint64_t>(100 * salt + world().rank());
            const double magnitude = size * std::pow(10.0, orders * noise(s, n, 2));
            run.in.set(
                i, {magnitude * noise(s, n, 0), run.plan.input().element.is_complex ? magnitude * noise(s, n, 1) : 0});
          }
          EXPECT_FALSE(run.told());
        }
      }
}

/// One line of large numbers among small ones: libraries transform real lines in pairs, and the small one has the
/// rounding of both, or is no number either.
TEST(Verify, NoFalseAlarmsBesideLargeNumbers) {
  for (const std::string& library : local_fft_names())
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const auto& [shape, axes] : {std::pair{Shape{24, 20, 18}, std::vector<int>{}},
                                        {Shape{4, 20, 18}, {1}},
                                        {Shape{2, 8, 18}, {2}},
                                        {Shape{30, 40, 50}, {}}}) {
        if (library == "reference" && product(shape) > 10000) continue;  // O(n^2), one line at a time
        for (const double large : {1e4, 1e8, 1e12, HUGE_VAL}) {
          TransformCase c = verified("auto", Kind::r2c, precision, "auto", shape);
          c.options.local_fft = library;
          c.options.axes = axes;
          c.options.fake_ranks_per_host = 0;
          Plan plan = make_plan(MPI_COMM_WORLD, c);
          LocalArray in(plan.input()), out(plan.output());
          for (std::int64_t i = 0; i < plan.input().count(); ++i) in.set(i, {noise(7, to_size(i), 0), 0});
          if (last_rank() && plan.input().count() > 5) in.set(5, {large, 0});
          SCOPED_TRACE(c.name() + " by " + library + ", " + std::to_string(large));
          EXPECT_NO_THROW(plan.forward(in.data(), out.data()));
          EXPECT_NO_THROW(plan.backward(out.data(), in.data()));
        }
      }
}

TEST(Verify, WhatCannotBeChecked) {
  TransformCase c = verified("auto", Kind::c2c, Precision::f64, "cannon");
  expect_error(Status::unsupported, "cannot check matrix products", [&] { make_plan(MPI_COMM_WORLD, c); });
}

}  // namespace
}  // namespace shardfft::test
