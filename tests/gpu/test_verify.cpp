// The option verify on the GPUs of one process: bits that flip between the steps and in them, and no false alarms.
#include <algorithm>

#include "device/plane_pass.hpp"
#include "gpu/group_kit.hpp"
#include "support/case_sweeps.hpp"
#include "support/device_flips.hpp"
#include "support/operator_check.hpp"
#include "support/smaller_gpus.hpp"

namespace shardfft::test {
namespace {

TEST(GroupVerify, FindsFlips) {
  for (const TransformCase& c : cases_to_verify())
    for (const int ranks : {1, 2, 3}) {
      SCOPED_TRACE(std::to_string(ranks) + " GPUs: " + c.name());
      Plan plan = make_plan_over(devices_for(ranks), c);
      VerifiedCall run(plan, c);
      EXPECT_GE(run.check_flips(static_cast<std::size_t>(ranks - 1)), 10);
      const PlanReport report = plan.report();
      EXPECT_GT(report.forward.checks, 0);
      EXPECT_GT(report.forward.largest_residual, 1) << report;
      EXPECT_EQ(report.backward.checks, 0);
    }
}

/// Lines longer than what one block of threads sums up, alone and side by side.
TEST(GroupVerify, FindsFlipsInLongLines) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Shape& shape : {Shape{40000}, Shape{3, 1200, 30}}) {
      TransformCase c = verified({shape, "slab", "left", kind, Precision::f64, on_gpu()});
      if (shape.size() == 3) c.options.axes = {1};
      SCOPED_TRACE(c.name());
      Plan plan = make_plan_over(devices_for(1), c);
      VerifiedCall run(plan, c);
      EXPECT_GE(run.check_flips(0), 5);
    }
}

/// Line passes add up their lines themselves where there is a compiler of kernels; beside them are calls of cuFFT.
TEST(GroupVerify, FindsFlipsInLinePasses) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const int ranks : {1, 2}) {
        const TransformCase c = verified({{128, 4, 32}, "slab", "left", kind, precision, on_gpu("slab")});
        SCOPED_TRACE(std::to_string(ranks) + " GPUs: " + c.name());
        Plan plan = make_plan_over(devices_for(ranks), c);
        VerifiedCall run(plan, c);
        EXPECT_GE(run.check_flips(static_cast<std::size_t>(ranks - 1)), 10);
        bool passes = false;
        for (const PlanReport::Step& step : plan.report().forward.steps)
          passes = passes || step.text.find("line pass") != std::string::npos;
        if (kind == Kind::c2c && ranks > 1) {
          EXPECT_EQ(passes, device::lines::supported(128));
        }
      }
}

bool runs_in_chunks(const PlanReport& report) {
  const auto& steps = report.forward.steps;
  return std::any_of(steps.begin(), steps.end(),
                     [](const PlanReport::Step& step) { return step.text.find("pipeline of") != std::string::npos; });
}

/// Two GPUs and three by turns, so that each case has both in one of the precisions.
TEST(GroupVerify, FindsFlipsInChunks) {
  int plans = 0, chunked = 0;
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    int ranks = precision == Precision::f64 ? 2 : 3;
    for (const TransformCase& c : chunks_to_verify(precision)) {
      SCOPED_TRACE(std::to_string(ranks) + " GPUs: " + c.name());
      Plan plan = make_plan_over(devices_for(ranks), c);
      VerifiedCall run(plan, c);
      EXPECT_GE(run.check_flips(static_cast<std::size_t>(ranks - 1)), 10);
      const PlanReport report = plan.report();
      EXPECT_GT(report.forward.checks, 0);
      chunked += runs_in_chunks(report) ? 1 : 0;
      ++plans;
      ranks = 5 - ranks;
    }
  }
  EXPECT_GE(chunked, plans / 2);
}

/// In both directions, out of place and in place, where no pass can have what does not travel at the other end.
TEST(GroupVerify, ChunksAreRight) {
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const TransformCase& c : chunks_to_verify(precision))
      for (const int ranks : {2, 3}) check_case_on(ranks, c);
}

/// Planes stay together beside a reshape where their passes check themselves.
TEST(GroupVerify, FindsFlipsInPlanesInChunks) {
  const SmallerGpus smaller;
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    TransformCase c =
        verified({fitting({64, 256, 512}, {32, 128, 128}), "slab", "left", kind, Precision::f64, on_gpu()});
    c.options.exchange = "cuda_peer_copy";
    c.options.chunks = 2;
    SCOPED_TRACE(c.name());
    Plan plan = make_plan_over(devices_for(2), c);
    const PlanReport report = plan.report();
    if (device::lines::planes_checkable(128, 128)) {
      ASSERT_EQ(report.forward.steps.size(), 1U) << report;
      EXPECT_NE(report.forward.steps.front().text.find("plane pass"), std::string::npos) << report;
      EXPECT_EQ(report.backward.steps.size(), 1U) << report;
    }
    if (kind == Kind::c2c) continue;  // as real ones
    VerifiedCall run(plan, c);
    for (const Moment moment : {Moment::in_middle, Moment::between})
      run.check_flip(DeviceFlip::Where{0, moment, 1, 0.4, sizeof(double), 62}, moment);
  }
}

/// In both directions: of the first chunk of the second GPU and of the last one that any GPU has, lowest bits too.
void expect_flips_found_in_slab(const char* input, const char* output, Kind kind, Precision precision, int gpus,
                                const Shape& shape, int chunks = 0) {
  TransformCase c = verified({shape, input, output, kind, precision, on_gpu()});
  c.options.chunks = chunks;
  SCOPED_TRACE(std::to_string(gpus) + " GPUs: " + c.name());
  check_case_on(gpus, c);
  Plan plan = make_plan_over(devices_for(gpus), c);
  const std::size_t bytes = precision == Precision::f64 ? sizeof(double) : sizeof(float);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    SCOPED_TRACE(direction == Direction::forward ? "forward" : "backward");
    VerifiedCall run(plan, c, alone, direction);
    const std::size_t step = joined_step(plan.report(), direction), last = to_size(gpus * std::max(1, chunks)) - 1;
    for (const auto& [turn, bit] : {std::pair(std::size_t{1}, 0), std::pair(last, 30)})
      EXPECT_TRUE(run.check_flip(DeviceFlip::Where{step, Moment::between, turn, 0.4, bytes, bit}, Moment::between));
  }
}

/// Passes next to a reshape check themselves: in equal shares and others, of real slabs in single precision too, in
/// front of another reshape, of planes of the first axis and the last one, and in chunks.
TEST(GroupVerify, FindsFlipsInSlabs) {
  if (!device::lines::planes_checkable(128, 128)) GTEST_SKIP() << "no compiler of kernels here";
  const SmallerGpus smaller;
  const Shape cube = fitting({128, 128, 128}, {128, 128, 16}), longer = fitting({256, 128, 128}, {128, 64, 32});
  expect_flips_found_in_slab("slab", "left", Kind::c2c, Precision::f64, 3, cube);
  expect_flips_found_in_slab("slab", "left", Kind::r2c, Precision::f32, 2, longer);
  expect_flips_found_in_slab("slab", "left", Kind::c2r, Precision::f32, 2, longer);
  expect_flips_found_in_slab("slab", "left", Kind::r2c, Precision::f64, 2, cube, 2);
  expect_flips_found_in_slab("slab", "left", Kind::r2c, Precision::f32, 2, {longer[0], longer[1] + 2, longer[2]}, 2);
  expect_flips_found_in_slab("slab", "natural", Kind::r2c, Precision::f64, 2, cube);
  expect_flips_found_in_slab("slab along 1", "left", Kind::c2c, Precision::f64, 2, cube);
}

/// Of arrays with numbers of very different sizes.
void expect_no_alarms(const TransformCase& c, int gpus, const std::vector<double>& sizes = {1e-30, 1.0, 1e20}) {
  SCOPED_TRACE(c.name());
  Plan plan = make_plan_over(devices_for(gpus), c);
  VerifiedCall run(plan, c);
  for (const double size : sizes)
    for (std::uint64_t salt = 0; salt < 3; ++salt) {
      run.fill(size, c.precision == Precision::f64 ? 12 : 6, salt);
      EXPECT_FALSE(run.told()) << size;
    }
}

TEST(GroupVerify, NoFalseAlarmsInLinePasses) {
  for (const Precision precision : {Precision::f64, Precision::f32})
    expect_no_alarms(verified({{256, 5, 64}, "slab", "left", Kind::c2c, precision, on_gpu()}), 1);
}

/// From the third one on as graphs.
void expect_every_run_checked(const TransformCase& c, int gpus) {
  SCOPED_TRACE(c.name());
  Plan plan = make_plan_over(devices_for(gpus), c);
  VerifiedCall run(plan, c);
  std::int64_t before = plan.report().forward.checks;  // of one run
  const std::int64_t each = before;
  EXPECT_GT(each, 0);
  for (int i = 0; i < 6; ++i) {
    run.fill();
    EXPECT_FALSE(run.told());
    const std::int64_t checks = plan.report().forward.checks;
    EXPECT_EQ(checks - before, each);
    before = checks;
  }
  EXPECT_GT(plan.report().forward.graph_runs, 0);
}

TEST(GroupVerify, EveryRunIsChecked) {
  expect_every_run_checked(verified({{128, 4, 32}, "slab", "left", Kind::c2c, Precision::f64, on_gpu("slab")}), 1);
  for (const TransformCase& c : chunks_to_verify(Precision::f64)) expect_every_run_checked(c, 2);
  const SmallerGpus smaller;
  const Shape shape = fitting({128, 128, 128}, {128, 128, 16});
  expect_every_run_checked(verified({shape, "slab", "left", Kind::r2c, Precision::f32, on_gpu()}), 2);
}

TEST(GroupVerify, NoFalseAlarmsInChunks) {
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const TransformCase& c : chunks_to_verify(precision)) expect_no_alarms(c, 3);
}

TEST(GroupVerify, NoFalseAlarmsInSlabs) {
  const SmallerGpus smaller;
  const Shape shape = fitting({128, 128, 128}, {128, 128, 16});
  expect_no_alarms(verified({shape, "slab", "left", Kind::r2c, Precision::f32, on_gpu()}), 2, {1e-30, 1e20});
}

TEST(GroupVerify, NoFalseAlarms) {
  for (const Kind kind : kinds)
    for (const Precision precision : {Precision::f64, Precision::f32})
      expect_no_alarms(verified({{20, 18, 14}, "slab", "left", kind, precision, on_gpu()}), 2);
}

/// Lines of zeroes between others: a transform that takes several lines as one rounds them alike.
TEST(GroupVerify, LinesOfZeroes) {
  using enum AxisTransform;
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::r2r})
      for (const int axis : {0, 2}) {
        TransformCase c = verified({{9, 7, 15}, "slab", "natural", kind, precision, on_gpu()});
        c.options.axes = {axis};
        if (kind == Kind::r2r) c.options.transforms = {dct3};
        SCOPED_TRACE(c.name());
        Plan plan = make_plan_over(devices_for(1), c);
        VerifiedCall run(plan, c);
        for (const std::int64_t line : {0, 1}) {
          run.fill_where([&](std::int64_t i) { return (axis == 0 ? i : i / 15) % 2 == line; });
          EXPECT_FALSE(run.told());
        }
      }
}

/// Results of verified plans in both directions, in place and out of place, from arrays in any memory.
TEST(GroupVerify, ResultsAreRight) {
  for (const TransformCase& c : cases_to_verify())
    for (const std::string memory : {"device", "host", "managed", "pinned"}) check_case_on(2, c, memory);
  for (const std::string& exchange : device_exchange_names()) {
    if (!exchange.starts_with("cuda_peer")) continue;
    TransformCase c = verified({{9, 8, 6}, "brick", "natural", Kind::r2c, Precision::f64, on_gpu("pencil")});
    c.options.exchange = exchange;
    c.options.chunks = 3;
    check_case_on(3, c);
  }
}

TEST(GroupVerify, MixedTransformsAndModesAreRight) {
  const auto options_of = [](const std::string& algorithm) {
    Options o = on_gpu(algorithm);
    o.verify = true;
    return o;
  };
  sweep_mixed_cosines(
      [&](const std::vector<AxisTransform>& types, const std::string& algorithm) {
        Options o = options_of(algorithm);
        o.transforms = types;
        return o;
      },
      [](std::size_t turn, const TransformCase& c) {
        if (turn % 4 == 0) check_case_on(1 + static_cast<int>(turn / 4 % 3), c);
      });
  sweep_modes(
      [&](const Shape& modes, LoneMode rule, const std::string& algorithm) {
        Options o = options_of(algorithm);
        o.modes = modes;
        o.lone_mode = rule;
        return o;
      },
      "slab",
      [](std::size_t turn, const TransformCase& c) {
        if (turn % 7 < 4) check_case_on(1 + static_cast<int>(turn / 7 % 3), c);
      });
}

TEST(GroupVerify, Operators) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      const TransformCase c = verified({{12, 9, 8}, "slab", "left", kind, precision, on_gpu()});
      SCOPED_TRACE(c.name());
      Plan plan = make_plan_over(devices_for(1), c);
      for (int run = 0; run < 4; ++run) check_apply(plan, c, some_operator(c), some_factor(c), run % 2 == 1);
    }
}

/// The report tells what tables and sums take.
TEST(GroupVerify, MemoryIsTold) {
  TransformCase c{{16, 12, 10}, "slab", "left", Kind::c2c, Precision::f64, on_gpu("slab")};
  Plan plain = make_plan_over(devices_for(2), c);
  Plan checked = make_plan_over(devices_for(2), verified(c));
  check_device_plan(members_of(plain), c);
  check_device_plan(members_of(checked), c);
  EXPECT_GT(checked.report().table_bytes, plain.report().table_bytes);
  EXPECT_GT(checked.report().pinned_bytes, plain.report().pinned_bytes);
}

}  // namespace
}  // namespace shardfft::test
