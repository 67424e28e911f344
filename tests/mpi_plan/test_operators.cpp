// Operators between a forward and a backward transform, against the definition: plans of every kind, what they share,
// and what they refuse.
#include <gtest/gtest.h>

#include <cmath>

#include "support/operator_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TEST(Operators, AllKindsPrecisionsAndSizes) {
  for (const Shape& shape : {Shape{8, 6, 10}, Shape{7, 5, 9}, Shape{1, 2, 3}, Shape{12, 7}, Shape{16}, Shape{15}})
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const Precision precision : {Precision::f64, Precision::f32})
        check_case_applied({shape, "slab", "left", kind, precision, quick()});
}

TEST(Operators, AllAlgorithmsInputsAndOutputs) {
  std::size_t turn = 0;
  for (const std::string algorithm : {"slab", "pencil", "brick", "cyclic", "cannon"})
    for (const std::string input : {"slab", "brick", "cyclic", "uneven"})
      for (const std::string output : {"left", "natural"}) {
        if (algorithm == "cannon" &&
            process_grid(world().size(), 2).back() * process_grid(world().size(), 2).back() != world().size())
          continue;
        const Kind kind = turn++ % 2 == 0 ? Kind::c2c : Kind::r2c;
        check_case_applied({{8, 6, 9}, input, output, kind, Precision::f64, quick(algorithm)});
      }
}

TEST(Operators, BatchesAxesNormsAndExchanges) {
  for (const Norm norm : {Norm::backward, Norm::ortho, Norm::forward, Norm::none}) {
    TransformCase c{{6, 8, 5}, "slab", "left", Kind::r2c, Precision::f64, quick()};
    c.options.norm = norm;
    c.options.batch = 3;
    check_case_applied(c);
  }
  for (const std::vector<int>& axes : {std::vector<int>{1}, std::vector<int>{2, 0}, std::vector<int>{0, 2}}) {
    TransformCase c{{6, 8, 5}, "slab", "left", Kind::r2c, Precision::f64, quick()};
    c.options.axes = axes;
    check_case_applied(c);
  }
  for (const std::string& exchange : exchange_names()) {
    TransformCase c{{9, 8, 6}, "slab", "left", Kind::c2c, Precision::f64, quick()};
    c.options.exchange = exchange;
    c.options.chunks = 2;
    c.options.threads = 2;
    check_case_applied(c);
  }
}

/// The programs share buffers, which the first apply makes larger.
TEST(Operators, TakeTurnsWithTransforms) {
  const TransformCase c{{8, 6, 10}, "slab", "left", Kind::r2c, Precision::f64, quick()};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_plan(plan, c);
  for (int turn = 0; turn < 3; ++turn) {
    check_apply(plan, c, some_operator(c), some_factor(c), turn == 1);
    check_plan(plan, c);
    check_apply(plan, c, Operator::gaussian(0), [](const Index&) { return 1.0; });
  }
  const PlanReport report = plan.report();
  ASSERT_TRUE(report.apply.has_value());
  EXPECT_EQ(report.apply->runs, 6);
  EXPECT_NE(report.to_text().find("apply (6 runs)"), std::string::npos) << report;
}

TEST(Operators, NoExchangeBetweenTheTransforms) {
  Plan plan = make_plan(MPI_COMM_WORLD, {{8, 8, 8}, "slab", "left", Kind::c2c, Precision::f64, quick("slab")});
  LocalArray field(plan.input());
  plan.apply(Operator::laplacian(), field.data(), field.data());
  const PlanReport report = plan.report();
  const auto bytes = [](const PlanReport::Program& program) {
    std::int64_t sum = 0;
    for (const PlanReport::Step& step : program.steps) sum += step.bytes_sent;
    return sum;
  };
  EXPECT_EQ(bytes(*report.apply), bytes(report.forward) + bytes(report.backward));
}

/// Of 16 points and 10 modes: what is kept is multiplied, the rest is gone.
TEST(Operators, FewerModesThanPoints) {
  Options options = quick();
  options.modes = {10, 10};
  Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab({16, 16}, world().size()), default_output, options);
  const Side& side = plan.input();
  std::vector<double> field(side.size()), result(side.size()), expected(side.size());
  for_own_elements(side, 0, [&](std::int64_t at, std::int64_t i) {
    const double x = 2 * pi * static_cast<double>(i / 16) / 16, y = 2 * pi * static_cast<double>(i % 16) / 16;
    field[to_size(at)] = std::sin(4 * x) * std::cos(3 * y) + std::sin(7 * x) + std::cos(6 * y);
    expected[to_size(at)] = 4 * std::cos(4 * x) * std::cos(3 * y);
  });
  plan.apply(Operator::derivative(0), field, result);
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], expected[i], 1e-13);
}

/// With the least workspace the spectrum takes the array's own memory.
TEST(Operators, InPlaceWithLittleMemory) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::r2r}) {
    TransformCase c{{8, 6, 10}, "slab", "left", kind, Precision::f64, quick()};
    if (kind == Kind::r2r) c.options.transforms = {AxisTransform::dct1, AxisTransform::dst2, AxisTransform::dct4};
    c.options.exchange = "auto";
    c.options.workspace = Workspace::least;
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    const Side& side = plan.input();
    LocalArray array(side, plan.in_place_bytes());
    const AppliedFields fields = applied_fields(c, side.element, some_factor(c), 1);
    for_own_elements(side, 0, [&](std::int64_t at, std::int64_t i) { array.set(at, fields.input[0][to_size(i)]); });
    plan.apply(some_operator(c), array.data(), array.data());
    compare_field(array, side, 0, fields.output[0], fields.points);
    EXPECT_TRUE(array.guard_is_whole());
  }
}

TEST(Operators, RefuseWhatDoesNotFit) {
  TransformCase c{{6, 5, 4}, "slab", "left", Kind::c2c, Precision::f64, quick()};
  c.options.axes = {1, 2};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  LocalArray x(plan.input());
  const auto bad = [&](const std::string& words, const Operator& op) {
    expect_error(Status::invalid_argument, words, [&] { plan.apply(op, x.data(), x.data()); });
  };
  bad("does not transform axis 0", Operator::derivative(0));
  bad("axis 3, along which the derivative is asked for, does not exist", Operator::derivative(3));
  bad("2 lengths of the domain, but the array has 3 axes", Operator::laplacian({1, 2}));
  bad("along axis 1 is -1", Operator::laplacian({1, -1, 2}));
  bad("factors, but this rank's spectrum has", Operator::array(std::vector<double>(1000)));
  const std::vector<std::vector<double>> two(2, std::vector<double>(plan.output().size(), 1));
  bad("has arrays of factors for 2 ranks of this process, but the plan has 1", Operator::array(two));
  expect_error(Status::invalid_argument, "order -1", [] { Operator::derivative(0, -1); });
  expect_error(Status::invalid_argument, "width", [] { Operator::gaussian(-1); });
  expect_error(Status::invalid_argument, "is empty", [] { Operator::of_indices({}); });
  expect_error(Status::invalid_argument, "null pointer", [&] { plan.apply(Operator::laplacian(), nullptr, x.data()); });
  std::vector<float> floats(plan.input().size());
  expect_error(Status::invalid_argument, "array of float", [&] { plan.apply(Operator::laplacian(), floats, floats); });
  expect_error(Status::invalid_argument, "array of float", [&] { plan.convolution(floats); });
  Plan inverse = make_plan(MPI_COMM_WORLD, {{6, 5, 4}, "slab", "left", Kind::c2r, Precision::f64, quick()});
  LocalArray spectrum(inverse.input());
  expect_error(Status::unsupported, "c2c, r2c and r2r plans",
               [&] { inverse.apply(Operator::laplacian(), spectrum.data(), spectrum.data()); });
  expect_error(Status::unsupported, "c2c, r2c and r2r plans", [&] { inverse.convolution(spectrum.data()); });
  check_apply(plan, c, some_operator(c), some_factor(c));  // it can be used afterwards
}

/// What one rank's function throws is told to all before anything moves.
TEST(Operators, FunctionsThatThrowOnOneRank) {
  const TransformCase c{{8, 6, 4}, "slab", "left", Kind::c2c, Precision::f64, quick()};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  LocalArray x(plan.input());
  const bool thrower = world().rank() == world().size() - 1;
  const Operator op = Operator::of_indices([&](std::span<const std::int64_t>) -> std::complex<double> {
    if (thrower) throw Error(Status::invalid_argument, "no factor today");
    return 1;
  });
  if (plan.output().layout.count(world().size() - 1) > 0)
    expect_error(Status::invalid_argument, "no factor today", [&] { plan.apply(op, x.data(), x.data()); });
  check_apply(plan, c, some_operator(c), some_factor(c));
}

TEST(Operators, CallFunctions) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const bool verify : {false, true}) {
        TransformCase c{{8, 6, 5}, "brick", "left", kind, precision, quick(verify ? "slab" : "pencil")};
        c.options.batch = verify ? 1 : 2;
        c.options.verify = verify;
        SCOPED_TRACE(c.name());
        Plan plan = make_plan(MPI_COMM_WORLD, c);
        int calls = 0;
        const Operator op = calling_operator(c, calls);
        for (const bool in_place : {false, true}) check_apply(plan, c, op, some_factor(c), in_place);
        EXPECT_EQ(calls, verify ? 4 : 2);
      }
}

/// The mean mode of a field of ones is the number of points, whatever the norm.
TEST(Operators, CallsSeeSums) {
  for (const Norm norm : {Norm::backward, Norm::forward, Norm::ortho, Norm::none})
    for (const std::string algorithm : {"slab", "pencil"}) {
      TransformCase c{{8, 6, 5}, "slab", "left", Kind::c2c, Precision::f64, quick(algorithm)};
      c.options.norm = norm;
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      std::vector<Value> ones(plan.input().size(), 1);
      plan.apply(Operator::calling([](const SpectrumPart& part) {
                   for_own_elements(part.side, 0, [&](std::int64_t at, std::int64_t i) {
                     if (i != 0) return;
                     EXPECT_EQ(static_cast<const Value*>(part.data)[at], 240.0);
                   });
                 }),
                 ones, ones);
    }
}

TEST(Operators, CallsThatCannotBe) {
  const TransformCase c{{8, 6, 4}, "slab", "left", Kind::c2c, Precision::f64, quick()};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  LocalArray x(plan.input());
  int calls = 0;
  const Operator op = calling_operator(c, calls);
  expect_error(Status::invalid_argument, "is empty", [] { Operator::calling({}); });
  expect_error(Status::invalid_argument, "cannot be joined with others",
               [&] { plan.apply(2 * op, x.data(), x.data()); });
  expect_error(Status::invalid_argument, "text is empty", [] { Operator::cuda(""); });
  expect_error(Status::unsupported, "is for plans on GPUs: on CPUs take of_wavenumbers or of_indices", [&] {
    plan.apply(Operator::cuda("double factor(const double* k, const long long* i) { return k[0]; }"), x.data(),
               x.data());
  });
  check_apply(plan, c, op, some_factor(c));
}

/// What a call throws on one rank ends the plans of the communicator on all.
TEST(Operators, CallsThatThrowOnOneRank) {
  const TransformCase c{{8, 6, 4}, "slab", "left", Kind::c2c, Precision::f64, quick()};
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  Plan plan = make_plan(comm.get(), c);
  static LocalArray x(plan.input());  // MPI may still use it
  const Operator op = Operator::calling([](const SpectrumPart&) {
    if (last_rank()) throw std::runtime_error("no spectrum today");
  });
  expect_error(Status::backend_failure, "the operator's function failed: no spectrum today",
               [&] { plan.apply(op, x.data(), x.data()); });
  expect_error(Status::backend_failure, "an earlier call was given up", [&] { plan.apply(op, x.data(), x.data()); });
  expect_error(Status::backend_failure, "an earlier call was given up", [&] { plan.forward(x.data(), x.data()); });
}

/// Workspace that the caller gave for the transforms may be too small for operators.
TEST(Operators, GivenWorkspace) {
  const TransformCase c{{8, 6, 10}, "slab", "left", Kind::c2c, Precision::f64, quick()};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  alignas(64) static std::byte memory[1 << 20];
  plan.set_workspace(memory, sizeof memory);
  check_apply(plan, c, some_operator(c), some_factor(c));
  plan.set_workspace(memory, plan.workspace_bytes());
  check_apply(plan, c, some_operator(c), some_factor(c));
  check_plan(plan, c);
}

}  // namespace
}  // namespace shardfft::test
