// Factors of operators: named ones, arrays, and kernels of convolutions.
#include <gtest/gtest.h>

#include <cmath>

#include "support/operator_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// Named operators against formulas of the modes, lengths of the domain included.
TEST(OperatorFactors, NamedOnes) {
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

/// Joined in one pass, with numbers too; a divisor of 0 gives 0.
TEST(OperatorFactors, SumsDifferencesAndQuotients) {
  const TransformCase c{{6, 5, 8}, "slab", "left", Kind::c2c, Precision::f64, quick()};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const auto square = [&](const Index& index) {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) sum += std::pow(mode_number(c, axis, index[to_size(axis)]), 2);
    return sum;
  };
  const Operator laplacian = Operator::laplacian(), twice = 2 * laplacian;
  check_apply(plan, c, laplacian + twice, [&](const Index& i) -> Value { return -3 * square(i); });
  check_apply(plan, c, laplacian - twice * Value(0, 1),
              [&](const Index& i) -> Value { return Value(-1, 2) * square(i); });
  check_apply(plan, c, 1 / (laplacian - 4), [&](const Index& i) -> Value { return -1 / (square(i) + 4); });
  check_apply(plan, c, (laplacian + 3) / laplacian,
              [&](const Index& i) -> Value { return square(i) == 0 ? 0 : 1 - 3 / square(i); });
  check_apply(plan, c, Operator::derivative(-1, 2),
              [&](const Index& i) -> Value { return -std::pow(mode_number(c, 2, i[2]), 2); });
}

/// sin(3x) cos(2y), of which everything is known.
TEST(OperatorFactors, LiteralDerivatives) {
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

/// Factors in an array, real and complex, of either precision, for all fields alike and each its own.
TEST(OperatorFactors, Arrays) {
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
TEST(OperatorFactors, ConvolutionsByTheDefinition) {
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

}  // namespace
}  // namespace shardfft::test
