// Operators of plans whose ranks are GPUs of this process.
#include <gtest/gtest.h>

#include <stdexcept>

#include "gpu/applied_kit.hpp"
#include "support/enqueued_operator.hpp"
#include "support/smaller_gpus.hpp"

namespace shardfft::test {
namespace {

void check_applied(int ranks, const TransformCase& c) {
  SCOPED_TRACE(c.name() + ", " + std::to_string(ranks) + " GPUs");
  const std::vector<int> devices = devices_for(ranks);
  Plan plan = make_plan_over(devices, c);
  const Operator op = some_operator(c);
  for (const bool in_place : {false, true}) {
    AppliedArrays arrays(plan, c, "device", in_place);
    for (std::uint64_t run = 0; run < 4; ++run) arrays.check(op, some_factor(c), run);  // the last ones as a graph
    arrays.check(
        Operator::gaussian(0), [](const Index&) { return 1; }, 9);
    arrays.check(op, some_factor(c), 10);
  }
  check_device_plan(members_of(plan), c);
}

TEST(GroupOperators, KindsPrecisionsAndRanks) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const int ranks : {1, 2, 3}) check_applied(ranks, {{12, 9, 8}, "slab", "left", kind, precision, on_gpu()});
}

TEST(GroupOperators, AlgorithmsInputsAndBatches) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    check_applied(4, {{8, 6, 9}, "pencil", "left", kind, Precision::f64, on_gpu("pencil")});
    check_applied(4, {{8, 6, 9}, "brick", "natural", kind, Precision::f64, on_gpu("brick")});
    check_applied(3, {{36}, "slab", "natural", kind, Precision::f64, on_gpu()});
    TransformCase batch{{8, 6, 9}, "slab", "left", kind, Precision::f64, on_gpu()};
    batch.options.batch = 3;
    batch.options.norm = Norm::ortho;
    check_applied(2, batch);
  }
}

TEST(GroupOperators, CosineAndSineAxes) {
  using enum AxisTransform;
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const std::vector<AxisTransform>& types :
         {std::vector{dct1, dct2, dct3}, std::vector{dct4, dst1, dst2}, std::vector{fft, dst3, dst4}}) {
      Options options = on_gpu();
      options.transforms = types;
      options.batch = precision == Precision::f32 ? 2 : 1;
      const Kind other = types.front() == fft ? Kind::r2c : Kind::r2r;
      for (const Kind kind : {other, Kind::c2c})
        check_applied(2, {{8, 6, 9}, "slab", "left", kind, precision, options});
    }
}

TEST(GroupOperators, StandBetweenTheStepsOfBothDirections) {
  const std::vector<int> devices = devices_for(2);
  const TransformCase c{{16, 12, 8}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  Plan plan = make_plan_over(devices, c);
  AppliedArrays(plan, c, "device", false)
      .check(
          Operator::laplacian(),
          [&](const Index& i) {
            double sum = 0;
            for (int a = 0; a < 3; ++a) sum -= std::pow(mode_number(c, a, i[to_size(a)]), 2);
            return sum;
          },
          1);
  const PlanReport report = plan.report();
  ASSERT_TRUE(report.apply.has_value());
  ASSERT_EQ(report.apply->steps.size(), report.forward.steps.size() + 1 + report.backward.steps.size()) << report;
  EXPECT_EQ(report.apply->steps[report.forward.steps.size()].text, "operator") << report;
}

/// Factors of names and numbers are computed from numbers along the axes; those of functions, and expressions of very
/// many terms, are an array on each GPU.
TEST(GroupOperators, NamedOperatorsKeepNoArray) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::r2r})
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      TransformCase c{{16, 12, 8}, "slab", "left", kind, precision, on_gpu()};
      c.options.batch = 2;
      if (kind == Kind::r2r) c.options.transforms.assign(3, AxisTransform::dct2);
      SCOPED_TRACE(c.name());
      Plan plan = make_plan_over(devices_for(2), c);
      AppliedArrays arrays(plan, c, "device", false);
      const auto square = [&](const Index& i) {
        double sum = 0;
        for (int a = 0; a < 3; ++a) sum += std::pow(mode_number(c, a, i[to_size(a)]), 2);
        return sum;
      };
      const auto kept = [&] {
        const std::size_t before = plan.report().table_bytes;
        return [&, before] { return plan.report().table_bytes - before; };
      };
      arrays.check(
          Operator::constant(2), [](const Index&) { return 2; }, 1);
      const auto named = kept();
      arrays.check((Operator::gaussian(0.1) - Operator::laplacian() * 0.25) /
                       (Operator::constant(2) - Operator::derivative(1, 2)),
                   [&](const Index& i) {
                     const double k = square(i), m = mode_number(c, 1, i[1]);
                     return (std::exp(-0.005 * k) + 0.25 * k) / (2 + m * m);
                   },
                   2);
      arrays.check(
          Operator::inverse_laplacian(), [&](const Index& i) { return square(i) == 0 ? 0 : -1 / square(i); }, 3);
      EXPECT_LT(named(), plan.output(0).bytes() / 2);
      const auto asked = kept();
      const Operator function =
          Operator::of_indices([](std::span<const std::int64_t> i) { return 1.0 + static_cast<double>(i[1]); });
      arrays.check(
          function, [](const Index& i) { return 1.0 + static_cast<double>(i[1]); }, 4);
      std::vector<std::vector<double>> twos;
      for (int m = 0; m < plan.members(); ++m) twos.emplace_back(to_size(plan.output(m).count()), 2.0);
      arrays.check(
          Operator::array(twos), [](const Index&) { return 2; }, 6);
      Operator sum = Operator::constant(0);
      for (int i = 0; i < 20; ++i) sum = sum + Operator::gaussian(0);
      arrays.check(
          sum, [](const Index&) { return 20; }, 5);
      // Two arrays, each for all fields, in the place of the numbers of operators that have ended.
      EXPECT_GE(asked(), plan.output(0).bytes() / 2);
    }
}

struct NamedFactor {
  Operator op;
  FactorOf factor;
};

/// Operators that lines along axis 0 see in different ways: as numbers of the line, numbers along it, sums, quotients,
/// arrays; the last one as none of these.
std::vector<NamedFactor> factors_in_passes(const TransformCase& c) {
  const auto k = [c](int axis) {
    return [c, axis](const Index& i) { return Value(static_cast<double>(mode_number(c, axis, i[to_size(axis)]))); };
  };
  const auto lap = [k](const Index& i) {
    Value sum = 0;
    for (int a = 0; a < 3; ++a) sum -= k(a)(i) * k(a)(i);
    return sum;
  };
  const auto inverse = [lap](const Index& i) { return lap(i) == Value(0) ? 0 : 1.0 / lap(i); };
  const auto second = [k](const Index& i) { return -k(1)(i) * k(1)(i); };
  const Operator laplacian = Operator::laplacian(), along = Operator::derivative(0, 2);
  return {{Operator::constant(2), [](const Index&) { return 2; }},
          {Operator::derivative(1, 2), second},
          {along, [k](const Index& i) { return -k(0)(i) * k(0)(i); }},
          {laplacian, lap},
          {Operator::inverse_laplacian(), inverse},
          {Operator::constant(3) - laplacian * 0.5, [lap](const Index& i) { return 3.0 - 0.5 * lap(i); }},
          {Operator::gaussian(0.1), [lap](const Index& i) { return std::exp(0.005 * lap(i)); }},
          {Operator::derivative(1, 2) * along / (Operator::constant(2) - laplacian),
           [=](const Index& i) { return -second(i) * k(0)(i) * k(0)(i) / (2.0 - lap(i)); }},
          {some_operator(c), some_factor(c)},
          {Operator::of_indices([](std::span<const std::int64_t> i) { return 1.0 + static_cast<double>(i[1]); }),
           [](const Index& i) { return 1.0 + static_cast<double>(i[1]); }},
          {laplacian + Operator::inverse_laplacian(), [=](const Index& i) { return lap(i) + inverse(i); }}};
}

/// The last pass of the forward transform multiplies, if it is a line pass.
TEST(GroupOperators, PassesMultiply) {
  const SmallerGpus smaller;
  given_gpu_defaults.elements_worth_passes = 4096;
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      TransformCase c{{48, 16, 14}, "slab", "left", kind, precision, on_gpu()};
      c.options.effort = Effort::estimate;
      if ((kind == Kind::c2c) == (precision == Precision::f32)) {
        c.shape = {52, 16, 14};
        c.options.batch = 2;
      }
      SCOPED_TRACE(c.name());
      Plan plan = make_plan_over(devices_for(1), c);
      AppliedArrays arrays(plan, c, "device", c.options.batch > 1);
      std::uint64_t number = 0;
      for (const NamedFactor& one : factors_in_passes(c)) {
        SCOPED_TRACE(number);
        for (int run = 0; run < (number == 4 ? 4 : 1); ++run) arrays.check(one.op, one.factor, number);  // as a graph
        ++number;
      }
      const auto said = [&] { return plan.report().apply->steps[1].text; };
      EXPECT_EQ(said(), "operator") << "this one had factors of no such form";
      arrays.check(Operator::laplacian(), factors_in_passes(c)[3].factor, number);
      EXPECT_EQ(said(), "operator (by the pass before it)");
    }
}

void check_calls(int ranks, const TransformCase& c) {
  SCOPED_TRACE(c.name() + ", " + std::to_string(ranks) + " GPUs");
  Plan plan = make_plan_over(devices_for(ranks), c);
  EnqueuedOperator enqueued(c);
  const Operator op = enqueued.made();
  int runs = 0;
  for (const bool in_place : {false, true}) {
    AppliedArrays arrays(plan, c, "device", in_place);
    for (std::uint64_t run = 0; run < 4; ++run, ++runs) arrays.check(op, some_factor(c), run);
    EXPECT_EQ(plan.report().apply->graph_runs, 0);
  }
  EXPECT_EQ(enqueued.calls, runs * ranks * (c.options.verify ? 2 : 1));
  if (c.options.verify) return;
  AppliedArrays arrays(plan, c, "device", false);
  for (std::uint64_t run = 0; run < 4; ++run) arrays.check(some_operator(c), some_factor(c), run);
  for (int number = 1; number < 4; ++number) {  // perhaps at the address of the one before, whose graph is of no use
    const Operator named = Operator::constant(number);
    for (int times = 0; times < 3; ++times)
      arrays.check(
          named, [&](const Index&) { return number; }, 4);
    arrays.check(op, some_factor(c), 5);
  }
  EXPECT_GT(plan.report().apply->graph_runs, 0);
}

/// Calls are enqueued each time; graphs of other operators are replayed between them.
TEST(GroupOperators, CallFunctionsThatEnqueue) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const int ranks : {1, 2}) {
      TransformCase c{{12, 9, 8}, "slab", "left", kind, kind == Kind::c2c ? Precision::f64 : Precision::f32, on_gpu()};
      c.options.batch = 2;
      check_calls(ranks, c);
      c.options.batch = 1;
      c.options.verify = true;
      check_calls(ranks, c);
    }
  check_calls(3, {{8, 6, 9}, "brick", "natural", Kind::r2c, Precision::f64, on_gpu("pencil")});
}

/// The mean mode of a field of ones is the number of points.
TEST(GroupOperators, CallsSeeSums) {
  for (const Shape& shape : {Shape{12, 9, 8}, Shape{8, 6, 11}})
    for (const int ranks : {1, 2}) {
      Plan plan = make_plan_over(devices_for(ranks), {shape, "slab", "left", Kind::c2c, Precision::f64, on_gpu()});
      std::vector<PlacedArray> fields;
      std::vector<void*> addresses;
      for (int m = 0; m < ranks; ++m) {
        const std::vector<Value> ones(plan.input(m).size(), 1);
        fields.emplace_back("device", plan.device(m), plan.input(m).bytes());
        fields.back().put(ones.data());
        addresses.push_back(fields.back().data());
      }
      Value mean = 0;
      const Operator op = Operator::calling([&](const SpectrumPart& part) {
        for_own_elements(part.side, 0, [&](std::int64_t at, std::int64_t i) {
          if (i != 0) return;
          device::copy_bytes(&mean, static_cast<const Value*>(part.data) + at, sizeof mean, part.stream);
          device::synchronize(part.stream);
        });
      });
      plan.apply(op, std::vector<const void*>(addresses.begin(), addresses.end()), addresses);
      EXPECT_EQ(mean, Value(static_cast<double>(shape[0] * shape[1] * shape[2])));
    }
}

TEST(GroupOperators, CallsThatThrow) {
  const TransformCase c{{8, 6, 9}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  Plan plan = make_plan_over(devices_for(2), c);
  AppliedArrays arrays(plan, c, "device", true);
  const Operator op = Operator::calling([](const SpectrumPart& part) {
    if (part.side.rank == 1) throw std::runtime_error("no spectrum today");
  });
  expect_refusal(Status::backend_failure, "the operator's function failed: no spectrum today",
                 [&] { arrays.check(op, some_factor(c), 1); });
}

/// A kernel in every kind of memory, whose spectrum is the operator's; `streams`: on streams of the caller's.
void check_convolution(const char* memory, bool streams) {
  SCOPED_TRACE(std::string(memory) + (streams ? ", on the caller's streams" : ""));
  TransformCase c{{6, 5, 8}, "slab", "left", Kind::r2c, Precision::f64, on_gpu()};
  set_option(c.options, "memory", memory);
  const std::vector<int> devices = devices_for(2);
  Plan plan = make_plan_over(devices, c);
  std::vector<device::Stream> own;
  std::vector<void*> handles;
  for (int m = 0; streams && m < 2; ++m) {
    const device::DeviceScope scope(plan.device(m));
    own.push_back(device::make_stream());
    handles.push_back(own.back().get());
  }
  plan.set_streams(handles);
  const std::vector<Value> whole = whole_field(c.shape, {Precision::f64, false}, 31, 0);
  std::vector<PlacedArray> kernels;
  std::vector<const void*> addresses;
  for (int m = 0; m < 2; ++m) {
    LocalArray local(plan.input(m));
    for_own_elements(plan.input(m), 0, [&](std::int64_t at, std::int64_t i) { local.set(at, whole[to_size(i)]); });
    kernels.emplace_back(memory, plan.device(m), plan.input(m).bytes());
    kernels.back().put(local.data());
    addresses.push_back(kernels.back().data());
  }
  const Operator convolution = plan.convolution(std::span<const void* const>(addresses));
  plan.set_streams({});
  const SerialTransform serial{c.kind, c.shape, axes_of(c)};
  const std::vector<Value> spectrum = serial.analyse(whole);
  AppliedArrays(plan, c, memory, true)
      .check(
          convolution, [&](const Index& i) { return spectrum[to_size(number_of(i, serial.spectrum_shape()))]; }, 2);
}

TEST(GroupOperators, Convolutions) {
  for (const char* memory : {"auto", "host", "registered", "managed", "device"})
    for (const bool streams : {false, true}) check_convolution(memory, streams);
}

}  // namespace
}  // namespace shardfft::test
