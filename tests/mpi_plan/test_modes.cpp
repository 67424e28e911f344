// Spectra with fewer modes than points: against the whole transform, cut afterwards; bytes; products without aliases.
#include <gtest/gtest.h>

#include "support/case_sweeps.hpp"
#include "support/refused_plan.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

Options quick_modes(const Shape& modes, LoneMode lone = LoneMode::split, const std::string& algorithm = "auto") {
  Options options = quick(algorithm);
  options.modes = modes;
  options.lone_mode = lone;
  return options;
}

constexpr LoneMode rules[] = {LoneMode::split, LoneMode::keep, LoneMode::zero};

TEST(Modes, OneAxisOfEvenAndOddNumbers) {
  for (const LoneMode rule : rules)
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
      for (const std::int64_t n : {8, 9})
        for (const std::int64_t m : {1, 2, 5, 6, 7, 8})
          check_case(
              {{4, n}, "slab", kind == Kind::c2r ? "slab" : "left", kind, Precision::f64, quick_modes({0, m}, rule)});
}

TEST(Modes, AllAxes) {
  sweep_modes(quick_modes, "brick", [](std::size_t /*turn*/, const TransformCase& c) { check_case(c); });
}

TEST(Modes, AllInputs) {
  std::size_t turn = 0;
  for (const NamedLayout& input : zoo({4, 4, 4}, world().size())) {
    const Kind kind = turn % 2 == 0 ? Kind::c2c : Kind::r2c;
    check_case({{8, 6, 9}, input.name, turn % 3 == 0 ? "brick" : "left", kind, Precision::f64, quick_modes({4, 5, 6})});
    ++turn;
  }
}

TEST(Modes, WithCosineAxesSomeAxesThreadsAndExchanges) {
  Options options = quick_modes({4, 4, 5});
  options.transforms = {AxisTransform::fft, AxisTransform::fft, AxisTransform::dct1};
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    check_case({{6, 7, 8}, "slab", "pencil", kind, Precision::f64, options});
  options.transforms = {AxisTransform::dct2, AxisTransform::dst2, AxisTransform::dct4};
  check_case({{6, 7, 8}, "slab", "left", Kind::r2r, Precision::f32, options});
  options = quick_modes({5, 4});
  options.axes = {2, 0};
  options.threads = 2;
  check_case({{6, 5, 8}, "slab", "natural", Kind::r2c, Precision::f64, options});
  for (const std::string exchange : {"shared_window", "p2p", "alltoallw"}) {
    options = quick_modes({6, 7, 8}, LoneMode::split, "slab");
    options.exchange = exchange;
    options.chunks = 2;
    check_case({{12, 10, 12}, "slab", "natural", Kind::c2c, Precision::f64, options});
  }
}

TEST(Modes, LargerArrays) {
  check_case({{60, 54, 48}, "slab", "left", Kind::c2c, Precision::f64, quick_modes({40, 36, 32})});
  check_case({{60, 54, 48}, "slab", "slab", Kind::c2r, Precision::f32, quick_modes({41, 36, 33})});
}

/// Two thirds kept along each of the axes that are local before the exchange: 4/9 of the bytes.
TEST(Modes, OnlyKeptModesAreSent) {
  const auto sent = [](const Shape& modes) {
    Options options = quick_modes(modes, LoneMode::split, "slab");
    options.exchange = "alltoallv";
    const Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({24, 24, 24}, world().size()), default_output, options);
    const PlanReport report = plan.report();
    std::array<std::int64_t, 2> bytes{};
    for (const auto& step : report.forward.steps) bytes[0] += step.bytes_sent;
    for (const auto& step : report.backward.steps) bytes[1] += step.bytes_sent;
    return bytes;
  };
  const auto all = sent({}), kept = sent({16, 16, 16});
  if (world().size() > 1) {
    EXPECT_GT(all[0], 0);
  }
  if (24 % world().size() != 0 || 16 % world().size() != 0) return;  // else the largest shares differ otherwise
  EXPECT_EQ(9 * kept[0], 4 * all[0]);
  EXPECT_EQ(9 * kept[1], 4 * all[1]);
}

/// A grid of 3/2 of the modes: the product of two fields has no aliases in the modes that are kept.
TEST(Modes, ProductsWithoutAliases) {
  const std::int64_t n = 12, m = 8;
  Options options = quick_modes({m, m}, LoneMode::zero);
  options.norm = Norm::forward;
  Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab({n, n}, world().size()), natural_output, options);
  const auto spectrum_of = [&](std::int64_t kx, std::int64_t ky) {  // cos(kx x + ky y)
    LocalArray a(plan.output());
    for_own_elements(plan.output(), 0, [&](std::int64_t address, std::int64_t number) {
      const std::int64_t x = number / (m / 2 + 1), y = number % (m / 2 + 1);
      const bool here = x == index_of_mode(kx, m) && y == ky;
      const bool mirror = ky == 0 && y == 0 && x == index_of_mode(-kx, m);
      a.set(address, here || mirror ? 0.5 : 0);
    });
    return a;
  };
  LocalArray first = spectrum_of(3, 2), second = spectrum_of(2, 3), product(plan.input()), other(plan.input());
  plan.backward(first.data(), product.data());
  plan.backward(second.data(), other.data());
  for_own_elements(plan.input(), 0, [&](std::int64_t address, std::int64_t) {
    product.set(address, product.get(address) * other.get(address));
  });
  LocalArray result(plan.output());
  plan.forward(product.data(), result.data());
  // Half of cos(5x + 5y), which is no mode of 8 and on 8 points would be cos(-3x - 3y), and half of cos(x - y).
  for_own_elements(plan.output(), 0, [&](std::int64_t address, std::int64_t number) {
    const std::int64_t x = number / (m / 2 + 1), y = number % (m / 2 + 1);
    EXPECT_NEAR(std::abs(result.get(address) - (x == m - 1 && y == 1 ? 0.25 : 0.0)), 0, 1e-14) << x << " " << y;
  });
}

TEST(Modes, FrequenciesAndSides) {
  const Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab({9, 8}, world().size()), natural_output,
                  quick_modes({5, 6}));
  EXPECT_EQ(plan.output().layout.shape(), (Shape{5, 4}));
  EXPECT_EQ(plan.output().frequencies(0)[4], -1.0 / 9);
  EXPECT_EQ(plan.output().frequencies(0)[2], 2.0 / 9);
  EXPECT_EQ(plan.output().frequencies(1)[3], 3.0 / 8);
  EXPECT_NE(plan.report().to_text().find("keep 4 of 5 modes along axis 1"), std::string::npos) << plan.report();
}

TEST(Modes, RefusalsSayWhatIsExpected) {
  const Status invalid = Status::invalid_argument;
  expect_refused(invalid, "keeps 5 modes along axis 1, which has only 4 points", c2c<double>, {4, 4},
                 quick_modes({0, 5}));
  expect_refused(invalid, "one for each of the 2 axes", c2c<double>, {4, 4}, quick_modes({3}));
  expect_refused(invalid, "needs an output layout", shardfft::c2r<double>, {4, 4}, quick_modes({3, 0}));
  expect_refused(Status::unsupported, "fewer modes and padded axes are made by slab", c2c<double>, {4, 4},
                 quick_modes({3, 3}, LoneMode::split, "cannon"));
  expect_error(invalid, "describes 4x3 modes, but option modes and the output layout say 4x4", [] {
    Plan(MPI_COMM_WORLD, shardfft::c2r<double>, Layout::slab({4, 3}, world().size()),
         Layout::slab({6, 8}, world().size()), quick_modes({4, 6}));
  });
}

}  // namespace
}  // namespace shardfft::test
