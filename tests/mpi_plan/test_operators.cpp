// Operators between a forward and a backward transform, against the definition.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/operator_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

constexpr double pi = std::numbers::pi;

void check_case_applied(const TransformCase& c) {
  SCOPED_TRACE(c.name());
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const Operator op = some_operator(c);
  for (const bool in_place : {false, true}) check_apply(plan, c, op, some_factor(c), in_place);
}

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

/// Named operators against formulas of the modes, lengths of the domain included.
TEST(Operators, NamedOnes) {
  const Operator::Lengths lengths{3, 2 * pi, 0.5};
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Shape& shape : {Shape{6, 5, 8}, Shape{7, 4, 9}}) {
      const TransformCase c{shape, "slab", "left", kind, Precision::f64, quick()};
      SCOPED_TRACE(c.name());
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      const auto k = [&](const Index& index, int axis) {
        return 2 * pi / lengths[to_size(axis)] * static_cast<double>(mode_number(c, axis, index[to_size(axis)]));
      };
      const auto square = [&](const Index& index) {
        return k(index, 0) * k(index, 0) + k(index, 1) * k(index, 1) + k(index, 2) * k(index, 2);
      };
      for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t n = shape[to_size(axis)];
        check_apply(plan, c, Operator::derivative(axis, 1, lengths), [&](const Index& i) -> Value {
          return 2 * std::abs(mode_number(c, axis, i[to_size(axis)])) == n ? Value(0) : Value(0, k(i, axis));
        });
        check_apply(plan, c, Operator::derivative(axis, 2, lengths),
                    [&](const Index& i) -> Value { return -k(i, axis) * k(i, axis); });
      }
      check_apply(plan, c, Operator::laplacian(lengths), [&](const Index& i) -> Value { return -square(i); });
      check_apply(plan, c, Operator::inverse_laplacian(lengths),
                  [&](const Index& i) -> Value { return square(i) == 0 ? 0 : -1 / square(i); });
      check_apply(plan, c, Operator::gaussian(0.02, lengths),
                  [&](const Index& i) -> Value { return std::exp(-0.0002 * square(i)); });
      check_apply(plan, c,
                  Operator::of_wavenumbers([](std::span<const double> q) { return 1 / (1 + q[0] * q[0]); }, lengths),
                  [&](const Index& i) -> Value { return 1 / (1 + k(i, 0) * k(i, 0)); });
      check_apply(plan, c, Operator::laplacian(lengths) * Operator::inverse_laplacian(lengths),
                  [&](const Index& i) -> Value { return square(i) == 0 ? 0 : 1; });
    }
}

/// sin(3x) cos(2y), of which everything is known.
TEST(Operators, LiteralDerivatives) {
  const Shape shape{16, 12};
  Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab(shape, world().size()));
  const Side& side = plan.input();
  std::vector<double> field(side.size()), result(side.size());
  const auto fill = [&](std::vector<double>& array, const auto& value) {
    for_own_elements(side, 0, [&](std::int64_t at, std::int64_t i) {
      array[to_size(at)] = value(2 * pi * static_cast<double>(i / 12) / 16, 2 * pi * static_cast<double>(i % 12) / 12);
    });
  };
  const auto expect = [&](const Operator& op, const auto& value) {
    std::vector<double> expected(side.size());
    fill(expected, value);
    plan.apply(op, field, result);
    for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], expected[i], 1e-13);
  };
  fill(field, [](double x, double y) { return std::sin(3 * x) * std::cos(2 * y); });
  expect(Operator::derivative(0), [](double x, double y) { return 3 * std::cos(3 * x) * std::cos(2 * y); });
  expect(Operator::derivative(1), [](double x, double y) { return -2 * std::sin(3 * x) * std::sin(2 * y); });
  expect(Operator::laplacian(), [](double x, double y) { return -13 * std::sin(3 * x) * std::cos(2 * y); });
  expect(Operator::inverse_laplacian(), [](double x, double y) { return -std::sin(3 * x) * std::cos(2 * y) / 13; });
  expect(Operator::gaussian(0.5),
         [](double x, double y) { return std::exp(-13 * 0.25 / 2) * std::sin(3 * x) * std::cos(2 * y); });
  fill(field, [](double x, double) { return std::cos(8 * x); });  // the lone mode
  expect(Operator::derivative(0), [](double, double) { return 0; });
  expect(Operator::derivative(0, 2), [](double x, double) { return -64 * std::cos(8 * x); });
}

using enum AxisTransform;

Options quick_with(const std::vector<AxisTransform>& transforms, const std::string& algorithm = "auto") {
  Options options = quick(algorithm);
  options.transforms = transforms;
  return options;
}

TEST(Operators, CosineAndSineAxes) {
  std::size_t turn = 0;
  for (const std::vector<AxisTransform>& types :
       {std::vector{dct1, dct2, dct3}, std::vector{dct4, dst1, dst2}, std::vector{dst3, dst4, dct2}})
    for (const std::string algorithm : {"slab", "pencil", "brick"})
      for (const Kind kind : {Kind::r2r, Kind::c2c}) {
        Options options = quick_with(types, algorithm);
        options.batch = turn % 3 == 0 ? 2 : 1;
        options.threads = turn % 2 == 0 ? 2 : 1;
        const Precision precision = turn++ % 4 == 0 ? Precision::f32 : Precision::f64;
        check_case_applied({{6, 5, 9}, "slab", "left", kind, precision, options});
      }
  for (const Kind kind : {Kind::r2c, Kind::c2c})
    for (const std::vector<AxisTransform>& types : {std::vector{fft, fft, dct1}, std::vector{dst2, fft, dct4}})
      check_case_applied({{6, 8, 5}, "brick", "left", kind, Precision::f64, quick_with(types)});
  Options some = quick_with({dct2});
  some.axes = {1};
  check_case_applied({{6, 8, 5}, "slab", "left", Kind::r2r, Precision::f64, some});
  some.modes = {5};
  check_case_applied({{6, 8, 5}, "slab", "left", Kind::r2r, Precision::f64, some});
}

/// Where a transform has its first point and its last, in spacings from the ends of the domain, and its first mode in
/// half waves.
struct Grid {
  AxisTransform type;
  double before, behind, first_mode;
  double (*function)(double);
};

/// Each mode that a transform expands fields in is a wave on its points, of which all is known.
TEST(Operators, WavesOfCosinesAndSines) {
  constexpr std::int64_t n = 6;
  constexpr double length = 1.7;
  const auto cosine = [](double x) { return std::cos(x); };
  const auto sine = [](double x) { return std::sin(x); };
  for (const Grid& grid : {Grid{dct1, 0, 0, 0, cosine}, Grid{dct2, 0.5, 0.5, 0, cosine}, Grid{dct3, 0, 1, 0.5, cosine},
                           Grid{dct4, 0.5, 0.5, 0.5, cosine}, Grid{dst1, 1, 1, 1, sine}, Grid{dst2, 0.5, 0.5, 1, sine},
                           Grid{dst3, 1, 0, 0.5, sine}, Grid{dst4, 0.5, 0.5, 0.5, sine}}) {
    SCOPED_TRACE(to_text(grid.type));
    Plan plan(MPI_COMM_WORLD, r2r<double>, Layout::slab({3, n}, world().size()), default_output,
              quick_with({dct2, grid.type}));
    const Side& side = plan.input();
    const double spacing = length / (grid.before + static_cast<double>(n - 1) + grid.behind);
    std::vector<double> field(side.size()), result(side.size());
    for (std::int64_t mode = 0; mode < n; ++mode) {
      const double k = std::numbers::pi / length * (static_cast<double>(mode) + grid.first_mode);
      EXPECT_DOUBLE_EQ(plan.output().wavenumbers(1, length)[mode], k);
      for_own_elements(side, 0, [&](std::int64_t at, std::int64_t i) {
        field[to_size(at)] = grid.function(k * (grid.before + static_cast<double>(i % n)) * spacing);
      });
      // What rounding leaves in the other modes is multiplied by their factors.
      const double most = std::numbers::pi * std::max(3.0, static_cast<double>(n + 1) / length);
      const auto expect = [&](const Operator& op, double factor, double largest = 1) {
        plan.apply(op, field, result);
        for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], factor * field[i], 1e-13 * largest);
      };
      const Operator::Lengths lengths{1, length};
      expect(Operator::laplacian(lengths), -k * k, 2 * most * most);
      expect(Operator::inverse_laplacian(lengths), k == 0 ? 0 : -1 / (k * k));
      expect(Operator::derivative(1, 2, lengths), -k * k, most * most);
      expect(Operator::derivative(1, 4, lengths), k * k * k * k, most * most * most * most);
      expect(Operator::gaussian(0.3, lengths), std::exp(-0.045 * k * k));
      expect(Operator::of_wavenumbers([](std::span<const double> q) { return 1 + q[1]; }, lengths), 1 + k);
      expect(Operator::laplacian(), -std::pow(k * length / pi, 2));  // of the length pi
    }
  }
}

/// sin(2x) between walls where its slope, cos(3y), is zero.
TEST(Operators, PeriodicAlongOneAxisAndWallsAlongTheOther) {
  Options options = quick_with({fft, dct2});
  Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab({8, 6}, world().size()), default_output, options);
  const Side& side = plan.input();
  std::vector<double> field(side.size()), slope(side.size()), result(side.size());
  for_own_elements(side, 0, [&](std::int64_t at, std::int64_t i) {
    const double x = 2 * pi * static_cast<double>(i / 6) / 8, y = pi * (static_cast<double>(i % 6) + 0.5) / 6;
    field[to_size(at)] = std::sin(2 * x) * std::cos(3 * y);
    slope[to_size(at)] = 2 * std::cos(2 * x) * std::cos(3 * y);
  });
  plan.apply(Operator::laplacian(), field, result);
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], -13 * field[i], 1e-13);
  plan.apply(Operator::derivative(0), field, result);
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], slope[i], 1e-13);
}

TEST(Operators, RefuseWhatCosinesAndSinesLack) {
  Plan plan(MPI_COMM_WORLD, r2r<double>, Layout::slab({4, 6}, world().size()), default_output,
            quick_with({dct2, dst1}));
  std::vector<double> x(plan.input().size());
  expect_error(Status::unsupported, "even orders only", [&] { plan.apply(Operator::derivative(1), x, x); });
  expect_error(Status::unsupported, "sines of cosines", [&] { plan.apply(Operator::derivative(0, 3), x, x); });
  expect_error(Status::unsupported, "Fourier transforms along all axes", [&] { plan.convolution(x); });
  const std::vector<std::complex<double>> factors(plan.output().size(), 1);
  expect_error(Status::invalid_argument, "the spectrum is real", [&] { plan.apply(Operator::array(factors), x, x); });
  const auto turn = Operator::of_indices([](std::span<const std::int64_t>) { return std::complex<double>(0, 1); });
  if (plan.output().layout.count(world().size() - 1) > 0) {
    expect_error(Status::invalid_argument, "the spectrum is real", [&] { plan.apply(turn, x, x); });
  }
  Plan mixed(MPI_COMM_WORLD, c2c<double>, Layout::slab({4, 6}, world().size()), default_output,
             quick_with({fft, dct2}));
  std::vector<std::complex<double>> z(mixed.input().size());
  expect_error(Status::unsupported, "no convolution", [&] { mixed.convolution(z); });
  mixed.apply(Operator::derivative(0), z, z);
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
    if (kind == Kind::r2r) c.options.transforms = {dct1, dst2, dct4};
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

/// Factors in an array, real and complex, of either precision, for all fields alike and each its own.
TEST(Operators, Arrays) {
  TransformCase c{{6, 5, 4}, "brick", "left", Kind::c2c, Precision::f64, quick()};
  c.options.batch = 2;
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const Side& side = plan.output();
  const auto one_field = static_cast<std::size_t>(side.layout.count(side.rank));
  std::vector<std::complex<double>> complex(one_field);
  std::vector<float> real(one_field);
  const auto factor = [&](std::int64_t i) { return Value(noise(5, static_cast<std::uint64_t>(i), 0), 1); };
  for_own_elements(side, 0, [&](std::int64_t at, std::int64_t i) {
    complex[to_size(at)] = factor(i);
    real[to_size(at)] = static_cast<float>(i % 7);
  });
  check_apply(plan, c, Operator::array(complex), [&](const Index& i) { return factor(number_of(i, c.shape)); });
  check_apply(plan, c, Operator::array(real), [&](const Index& i) { return double(number_of(i, c.shape) % 7); });
  std::vector<std::complex<double>> both = complex;
  both.insert(both.end(), complex.begin(), complex.end());
  check_apply(plan, c, Operator::array(both), [&](const Index& i) { return factor(number_of(i, c.shape)); });
}

/// sum over j of kernel[j] x[i - j], field by field.
TEST(Operators, ConvolutionsByTheDefinition) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Norm norm : {Norm::backward, Norm::forward, Norm::none}) {
      TransformCase c{{5, 4, 6}, "slab", "left", kind, Precision::f64, quick()};
      c.options.norm = norm;
      c.options.batch = 2;
      SCOPED_TRACE(c.name());
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      const Side& side = plan.input();
      LocalArray kernel(side), field(side), result(side);
      std::vector<std::vector<Value>> expected;
      for (std::int64_t f = 0; f < 2; ++f) {
        const std::vector<Value> k = whole_field(c.shape, side.element, 40, f),
                                 x = whole_field(c.shape, side.element, 50, f);
        for_own_elements(side, f, [&](std::int64_t at, std::int64_t i) {
          kernel.set(at, k[to_size(i)]);
          field.set(at, x[to_size(i)]);
        });
        expected.emplace_back(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
          for (std::size_t j = 0; j < x.size(); ++j) {
            Index at = index_of(static_cast<std::int64_t>(i), c.shape);
            const Index of = index_of(static_cast<std::int64_t>(j), c.shape);
            for (std::size_t a = 0; a < 3; ++a) at[a] = (at[a] - of[a] + c.shape[a]) % c.shape[a];
            expected[to_size(f)][i] += k[j] * x[to_size(number_of(at, c.shape))];
          }
      }
      const Operator convolution = plan.convolution(kernel.data());
      plan.apply(convolution, field.data(), result.data());
      for (std::int64_t f = 0; f < 2; ++f) compare_field(result, side, f, expected[to_size(f)], 120);
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
  bad("does not transform axis 3", Operator::derivative(3));
  bad("2 lengths of the domain, but the array has 3 axes", Operator::laplacian({1, 2}));
  bad("along axis 1 is -1", Operator::laplacian({1, -1, 2}));
  bad("factors, but this rank's spectrum has", Operator::array(std::vector<double>(1000)));
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
