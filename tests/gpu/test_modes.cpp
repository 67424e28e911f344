// Spectra with fewer modes than points, of plans whose ranks are GPUs of this process.
#include <gtest/gtest.h>

#include "gpu/group_kit.hpp"
#include "support/case_sweeps.hpp"
#include "support/operator_check.hpp"

namespace shardfft::test {
namespace {

constexpr LoneMode rules[] = {LoneMode::split, LoneMode::keep, LoneMode::zero};

Options modes_on_gpu(const Shape& modes, LoneMode lone = LoneMode::split, const std::string& algorithm = "auto") {
  Options options = on_gpu(algorithm);
  options.modes = modes;
  options.lone_mode = lone;
  return options;
}

/// What c2r plans lead to must be told; others leave spectra as they like.
std::string output_of(Kind kind, const char* otherwise) { return kind == Kind::c2r ? "slab" : otherwise; }

TEST(GroupModes, OneAxisOfEvenAndOddNumbers) {
  for (const LoneMode rule : rules)
    for (const Kind kind : kinds)
      for (const std::int64_t n : {8, 9})
        for (const std::int64_t m : {1, 2, 5, 6, 7, 8})
          check_case_on(2, {{4, n}, "slab", output_of(kind, "left"), kind, Precision::f64, modes_on_gpu({0, m}, rule)});
}

TEST(GroupModes, AllAxesAndAlgorithms) {
  sweep_modes(modes_on_gpu, "slab",
              [](std::size_t turn, const TransformCase& c) { check_case_on(static_cast<int>(1 + turn % 4), c); });
}

TEST(GroupModes, InputsAndExchanges) {
  std::size_t turn = 0;
  for (const NamedLayout& input : zoo({4, 4, 4}, 3))
    for (const std::string exchange : {"cuda_peer", "cuda_peer_copy", "cuda_peer_store"}) {
      Options options = modes_on_gpu({4, 5, 6});
      options.exchange = exchange;
      options.chunks = static_cast<int>(turn % 3);
      check_case_on(3, {{8, 6, 9},
                        input.name,
                        turn % 2 == 0 ? "brick" : "left",
                        turn % 4 < 2 ? Kind::c2c : Kind::r2c,
                        Precision::f64,
                        options});
      ++turn;
    }
}

/// Where only the last axis to be transformed loses modes, that is the last step.
TEST(GroupModes, BesideSlabsAndPlanes) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    const TransformCase c{{16, 12, 10}, "slab", "left", kind, Precision::f64, modes_on_gpu({9, 0, 0})};
    check_case_on(2, c);
    const Plan plan = make_plan_over(devices_for(2), c);
    const PlanReport report = plan.report();
    EXPECT_EQ(report.forward.steps.back().text, "keep 9 of 16 modes along axis 0") << report;
  }
  check_case_on(2, {{60, 54, 48}, "slab", "left", Kind::r2c, Precision::f64, modes_on_gpu({40, 36, 32})});
  check_case_on(1, {{130, 2, 130}, "slab", "left", Kind::c2c, Precision::f32, modes_on_gpu({87, 0, 86})});
}

/// Two thirds kept along each of the axes that are local before the exchange: 4/9 of the bytes.
TEST(GroupModes, OnlyKeptModesAreSent) {
  const auto sent = [](const Shape& modes) {
    const std::vector<int> devices = devices_for(2);
    const Plan plan(Devices(devices), c2c<double>, Layout::slab({24, 24, 24}, 2), default_output, modes_on_gpu(modes));
    const PlanReport report = plan.report();
    std::array<std::int64_t, 2> bytes{};
    for (const auto& step : report.forward.steps) bytes[0] += step.bytes_sent;
    for (const auto& step : report.backward.steps) bytes[1] += step.bytes_sent;
    return bytes;
  };
  const auto all = sent({}), kept = sent({16, 16, 16});
  EXPECT_GT(all[0], 0);
  EXPECT_EQ(9 * kept[0], 4 * all[0]);
  EXPECT_EQ(9 * kept[1], 4 * all[1]);
}

/// What is applied to a spectrum of few modes comes back without the others.
TEST(GroupModes, Operators) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const std::string algorithm : {"slab", "pencil"}) {
      const TransformCase c{{12, 9, 8}, "slab",         "left",
                            kind,       Precision::f64, modes_on_gpu({7, 5, 5}, LoneMode::split, algorithm)};
      SCOPED_TRACE(c.name());
      Plan plan = make_plan_over(devices_for(1), c);
      for (int run = 0; run < 4; ++run) check_apply(plan, c, some_operator(c), some_factor(c), run % 2 == 1);
      check_device_plan(members_of(plan), c);
    }
}

}  // namespace
}  // namespace shardfft::test
