// Weights of checks along one axis (option verify): the sums that they make are equal, and no number is left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

#include "exec/check_weights.hpp"

namespace shardfft {
namespace {

using Numbers = std::vector<std::complex<double>>;

std::size_t half(std::int64_t n) { return static_cast<std::size_t>(n / 2 + 1); }

Numbers random_numbers(std::size_t count, bool real) {
  std::mt19937_64 random(count);
  std::uniform_real_distribution<double> parts(-1, 1);
  Numbers numbers(count);
  for (auto& number : numbers) number = {parts(random), real ? 0 : parts(random)};
  return numbers;
}

/// By its definition; c2r does not read the imaginary part of the first number, nor of the middle one.
Numbers transform(Kind kind, Direction direction, std::int64_t n, const Numbers& in) {
  Numbers whole = in;
  if (kind == Kind::c2r) {
    whole.resize(static_cast<std::size_t>(n));
    for (std::int64_t j = n / 2 + 1; j < n; ++j)
      whole[static_cast<std::size_t>(j)] = std::conj(in[static_cast<std::size_t>(n - j)]);
    whole.front() = whole.front().real();
    if (n % 2 == 0) whole[half(n) - 1] = whole[half(n) - 1].real();
  }
  Numbers out(kind == Kind::r2c ? half(n) : static_cast<std::size_t>(n));
  const double sign = direction == Direction::forward ? -1 : 1;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t j = 0; j < whole.size(); ++j)
      out[k] += whole[j] *
                std::polar(1.0, sign * 2 * M_PI * static_cast<double>(j * k % whole.size()) / static_cast<double>(n));
  return out;
}

double real_sum(const Numbers& weights, const Numbers& numbers) {
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) sum += (weights[i] * numbers[i]).real();
  return sum;
}

/// The smallest part of the weights in units of their root mean square; `imag` says whose imaginary parts count.
template <class Imag>
double least_part(const Numbers& weights, Imag imag) {
  double least = 1e300, squares = 0, parts = 0;
  const auto see = [&](double part) {
    least = std::min(least, std::abs(part));
    squares += part * part;
    ++parts;
  };
  for (std::size_t i = 0; i < weights.size(); ++i) {
    see(weights[i].real());
    if (imag(i)) see(weights[i].imag());
  }
  return least / std::sqrt(squares / parts);
}

struct Case {
  Kind kind;
  Direction direction;
};

TEST(CheckWeights, OfOneAxis) {
  for (const Case& c : {Case{Kind::c2c, Direction::forward}, Case{Kind::c2c, Direction::backward},
                        Case{Kind::r2c, Direction::forward}, Case{Kind::c2r, Direction::backward}})
    for (const std::int64_t n : {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 31, 64, 100, 135, 240}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(c.kind) << ", n " << n);
      const CheckWeights weights = make_last_axis_weights(c.kind, c.direction, n);
      const Numbers x = random_numbers(weights.in.size(), c.kind == Kind::r2c),
                    y = transform(c.kind, c.direction, n, x);
      ASSERT_EQ(weights.out.size(), y.size());
      EXPECT_NEAR(real_sum(weights.out, y), real_sum(weights.in, x), 1e-11 * static_cast<double>(n));
      const auto middle = [n](std::size_t i) { return i == 0 || 2 * static_cast<std::int64_t>(i) == n; };
      EXPECT_GT(least_part(weights.in,
                           [&](std::size_t i) { return c.kind == Kind::c2c || (c.kind == Kind::c2r && !middle(i)); }),
                0.3);
      // The imaginary part of a spectrum's first number is zero, until a bit of it flips.
      EXPECT_GT(least_part(weights.out, [&](std::size_t) { return c.kind != Kind::c2r; }), 0.3);
    }
}

/// As passes of GPUs have them: 32 bits hold a weight of the result.
TEST(CheckWeights, RealOnesOfResults) {
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const std::int64_t n : {4, 12, 31, 60, 128, 135, 500, 512}) {
      SCOPED_TRACE(testing::Message() << "n " << n);
      const RealCheckWeights weights = make_real_axis_weights(direction, n, 3);
      const Numbers x = random_numbers(weights.in.size(), false), y = transform(Kind::c2c, direction, n, x);
      Numbers out;
      double squares = 0;
      for (const double w : weights.real) {
        out.emplace_back(w, w);
        squares += w * w;
        int exponent = 0;
        const double digits = std::ldexp(std::frexp(w, &exponent), 20);
        EXPECT_EQ(digits, std::round(digits));
      }
      ASSERT_EQ(out.size(), y.size());
      EXPECT_NEAR(real_sum(out, y), real_sum(weights.in, x), 1e-12 * static_cast<double>(n * n));
      EXPECT_NEAR(std::sqrt(squares / static_cast<double>(n)), 3, 1e-3);
      EXPECT_GT(least_part(out, [](std::size_t) { return true; }), 0.25);
      EXPECT_GT(least_part(weights.in, [](std::size_t) { return true; }), 0.25);
    }
}

}  // namespace
}  // namespace shardfft
