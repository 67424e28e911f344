// Signs, scales, axes and the real transforms' edge modes against numbers written down.
#include <gtest/gtest.h>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

using Values = std::vector<Value>;
constexpr Value i{0, 1};

/// Runs one direction on a whole array given in row-major order and compares with the whole result.
void check_values(Plan& plan, Direction direction, const Values& in, const Values& expected) {
  const bool forward = direction == Direction::forward;
  const Side& from = forward ? plan.input() : plan.output();
  const Side& to = forward ? plan.output() : plan.input();
  ASSERT_EQ(static_cast<std::int64_t>(in.size()), product(from.layout.shape()));
  ASSERT_EQ(static_cast<std::int64_t>(expected.size()), product(to.layout.shape()));
  LocalArray source(from);
  LocalArray target(to);
  for_own_elements(from, 0, [&](std::int64_t address, std::int64_t n) { source.set(address, in[to_size(n)]); });
  if (forward)
    plan.forward(source.data(), target.data());
  else
    plan.backward(source.data(), target.data());
  for_own_elements(to, 0, [&](std::int64_t address, std::int64_t n) {
    EXPECT_NEAR(target.get(address).real(), expected[to_size(n)].real(), 1e-12) << "element " << n;
    EXPECT_NEAR(target.get(address).imag(), expected[to_size(n)].imag(), 1e-12) << "element " << n;
  });
}

Values delta(std::int64_t count, std::int64_t at) {
  Values v(to_size(count), 0);
  v[to_size(at)] = 1;
  return v;
}

Values constant(std::int64_t count, double value) { return Values(to_size(count), value); }

Plan plan_of(const Transform& transform, const Shape& input, const Options& options = quick()) {
  return Plan(MPI_COMM_WORLD, transform, Layout::slab(input, world().size()), natural_output, options);
}

TEST(LiteralValues, SignOfOneDimension) {
  Plan plan = plan_of(c2c<double>, {4});
  check_values(plan, Direction::forward, delta(4, 1), {1, -i, -1, i});
  check_values(plan, Direction::backward, delta(4, 1), {0.25, 0.25 * i, -0.25, -0.25 * i});
  check_values(plan, Direction::forward, {1, i, -1, -i}, {0, 4, 0, 0});
}

/// A delta one step along each axis turns each axis by itself.
TEST(LiteralValues, SignAndAxisOfThreeDimensions) {
  const Shape shape{2, 3, 4};
  const double s = std::sqrt(3.0) / 2;
  const Value w[3] = {1, {-0.5, -s}, {-0.5, s}};
  const Value q[4] = {1, -i, -1, i};
  for (const std::string algorithm : {"slab", "pencil", "brick"}) {
    Plan plan = plan_of(c2c<double>, shape, quick(algorithm));
    for (int axis = 0; axis < 3; ++axis) {
      Values expected;
      for (std::int64_t n = 0; n < 24; ++n) {
        const Index k = index_of(n, shape);
        expected.push_back(axis == 0 ? (k[0] == 0 ? 1.0 : -1.0) : axis == 1 ? w[k[1]] : q[k[2]]);
      }
      check_values(plan, Direction::forward, delta(24, axis == 0 ? 12 : axis == 1 ? 4 : 1), expected);
      for (Value& v : expected) v = std::conj(v) / 24.0;
      check_values(plan, Direction::backward, delta(24, axis == 0 ? 12 : axis == 1 ? 4 : 1), expected);
    }
  }
}

struct ScaleCase {
  Norm norm;
  double forward;   ///< of the sum of ones
  double backward;  ///< of a single mode
};

TEST(LiteralValues, Scales) {
  for (const ScaleCase& c :
       {ScaleCase{Norm::backward, 8, 0.125}, ScaleCase{Norm::ortho, std::sqrt(8.0), 1 / std::sqrt(8.0)},
        ScaleCase{Norm::forward, 1, 1}, ScaleCase{Norm::none, 8, 1}}) {
    Options o = quick();
    o.norm = c.norm;
    Values spectrum = constant(8, 0);
    spectrum[0] = c.forward;
    Plan complex_plan = plan_of(c2c<double>, {2, 4}, o);
    check_values(complex_plan, Direction::forward, constant(8, 1), spectrum);
    check_values(complex_plan, Direction::backward, delta(8, 0), constant(8, c.backward));
    Plan real_plan = plan_of(r2c<double>, {2, 4}, o);
    check_values(real_plan, Direction::forward, constant(8, 1), Values(spectrum.begin(), spectrum.begin() + 6));
    check_values(real_plan, Direction::backward, delta(6, 0), constant(8, c.backward));
    Plan inverse_plan = plan_of(shardfft::c2r<double>, {2, 3}, o);
    check_values(inverse_plan, Direction::forward, delta(6, 0), constant(8, c.backward));
    check_values(inverse_plan, Direction::backward, constant(8, 1), Values(spectrum.begin(), spectrum.begin() + 6));
  }
}

/// Only the transformed axes count.
TEST(LiteralValues, ScaleOfOneAxis) {
  Options o = quick();
  o.axes = {1};
  Plan plan = plan_of(c2c<double>, {3, 4}, o);
  check_values(plan, Direction::forward, constant(12, 1), {4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0});
  check_values(plan, Direction::backward, {4, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0});
}

TEST(LiteralValues, RealOddLength) {
  Plan plan = plan_of(r2c<double>, {5});
  const Values modes{15, {-2.5, 3.4409548011779338}, {-2.5, 0.8122992405822658}};
  check_values(plan, Direction::forward, {1, 2, 3, 4, 5}, modes);
  check_values(plan, Direction::backward, modes, {1, 2, 3, 4, 5});
}

TEST(LiteralValues, RealEvenLength) {
  Plan plan = plan_of(r2c<double>, {4});
  check_values(plan, Direction::forward, {1, 2, 3, 4}, {10, {-2, 2}, -2});
  check_values(plan, Direction::backward, {10, {-2, 2}, -2}, {1, 2, 3, 4});
}

/// The imaginary parts of mode 0 and of mode n/2 do not count.
TEST(LiteralValues, EdgeModesLoseTheirImaginaryParts) {
  for (const std::string& local : local_fft_names()) {
    SCOPED_TRACE(local);
    Options o = quick();
    o.local_fft = local;
    Plan even = plan_of(r2c<double>, {4}, o);
    check_values(even, Direction::backward, {{10, 7}, {-2, 2}, {-2, -5}}, {1, 2, 3, 4});
    Plan odd = plan_of(r2c<double>, {3}, o);
    check_values(odd, Direction::backward, {{6, 1}, {0, 0}}, {2, 2, 2});
    Plan inverse = plan_of(shardfft::c2r<double>, {3}, o);
    check_values(inverse, Direction::forward, {{10, -3}, {-2, 2}, {-2, 4}}, {1, 2, 3, 4});
  }
}

TEST(LiteralValues, RealLengthsOneAndTwo) {
  Plan one = plan_of(r2c<double>, {1});
  check_values(one, Direction::forward, {7}, {7});
  check_values(one, Direction::backward, {{7, 3}}, {7});
  Plan two = plan_of(r2c<double>, {2});
  check_values(two, Direction::forward, {5, 3}, {8, 2});
  check_values(two, Direction::backward, {8, 2}, {5, 3});
  Plan flat = plan_of(r2c<double>, {1, 2, 1});
  check_values(flat, Direction::forward, {5, 3}, {8, 2});
}

/// NumPy's irfft: 3 modes make 4 numbers, or 5 if asked.
TEST(LiteralValues, LengthOfC2r) {
  Plan even = plan_of(shardfft::c2r<double>, {3});
  EXPECT_EQ(even.output().layout.shape(), (Shape{4}));
  check_values(even, Direction::forward, {10, {-2, 2}, -2}, {1, 2, 3, 4});
  check_values(even, Direction::backward, {1, 2, 3, 4}, {10, {-2, 2}, -2});
  Options o = quick();
  o.real_extent = 5;
  Plan odd = plan_of(shardfft::c2r<double>, {3}, o);
  EXPECT_EQ(odd.output().layout.shape(), (Shape{5}));
  check_values(odd, Direction::forward, {15, {-2.5, 3.4409548011779338}, {-2.5, 0.8122992405822658}}, {1, 2, 3, 4, 5});
}

/// The last entry of `axes` is the halved one.
TEST(LiteralValues, HalvedAxis) {
  Options o = quick();
  o.axes = {1, 0};
  Plan plan = plan_of(r2c<double>, {4, 2}, o);
  EXPECT_EQ(plan.output().layout.shape(), (Shape{3, 2}));
  check_values(plan, Direction::forward, {1, 0, 2, 0, 3, 0, 4, 0}, {10, 10, {-2, 2}, {-2, 2}, -2, -2});
  o.axes = {0};
  Plan one = plan_of(r2c<double>, {4, 2}, o);
  check_values(one, Direction::forward, {1, 0, 2, 0, 3, 0, 4, 1}, {10, 1, {-2, 2}, i, -2, -1});
}

TEST(LiteralValues, OneElement) {
  Plan plan = plan_of(c2c<double>, {1, 1, 1});
  check_values(plan, Direction::forward, {{3, 4}}, {{3, 4}});
  check_values(plan, Direction::backward, {{3, 4}}, {{3, 4}});
}

}  // namespace
}  // namespace shardfft::test
