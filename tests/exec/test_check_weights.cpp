// Weights of checks along one axis (option verify): the sums that they make are equal, and no number is left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

#include "verify/check_weights.hpp"

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

/// As least_part(), of both parts of all.
double least_part(const Numbers& weights) {
  return least_part(weights, [](std::size_t) { return true; });
}
double least_real(const Numbers& weights) {
  return least_part(weights, [](std::size_t) { return false; });
}

/// Lengths that cost little, and some of those that are long.
std::vector<std::int64_t> many_lengths() {
  std::vector<std::int64_t> lengths{384, 500, 509, 512, 720, 768, 1000, 1024, 1130, 1536, 2000, 2039, 2048};
  for (std::int64_t n = 2; n <= 300; ++n) lengths.push_back(n);
  return lengths;
}

/// What rounding hides is as large as the typical weight lets it: no number may have a much smaller one.
TEST(CheckWeights, NoneIsSmallOfAnyLength) {
  for (const std::int64_t n : many_lengths()) {
    SCOPED_TRACE(n);
    const auto inner = [n](std::size_t i) { return i != 0 && 2 * static_cast<std::int64_t>(i) != n; };
    const CheckWeights c2c = make_last_axis_weights(Kind::c2c, Direction::forward, n);
    EXPECT_GT(std::min(least_part(c2c.in), least_part(c2c.out)), 0.3);
    const CheckWeights r2c = make_last_axis_weights(Kind::r2c, Direction::forward, n);
    EXPECT_GT(std::min(least_real(r2c.in), least_part(r2c.out)), 0.3);
    const CheckWeights c2r = make_last_axis_weights(Kind::c2r, Direction::backward, n);
    EXPECT_GT(std::min(least_part(c2r.in, inner), least_real(c2r.out)), 0.3);
    const CheckWeights real = make_real_weights(n);
    EXPECT_GT(std::min(least_real(real.in), least_real(real.out)), 0.3);
  }
}

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

/// The definitions of FFTW: every type is a sum over cosines or sines of multiples of a half unit.
Numbers cosine_transform(AxisTransform type, const Numbers& in) {
  FftSpec spec;
  spec.kind = Kind::r2r;
  spec.types = {type};
  spec.transform = {{static_cast<std::int64_t>(in.size()), 1, 1}};
  std::vector<double> numbers, out(in.size());
  for (const auto& number : in) numbers.push_back(number.real());
  make_local_fft("reference", spec)->execute(numbers.data(), out.data());
  return {out.begin(), out.end()};
}

TEST(CheckWeights, OfCosinesAndSines) {
  for (const AxisTransform type : {AxisTransform::dct1, AxisTransform::dct2, AxisTransform::dct3, AxisTransform::dct4,
                                   AxisTransform::dst1, AxisTransform::dst2, AxisTransform::dst3, AxisTransform::dst4})
    for (const std::int64_t n : many_lengths()) {
      SCOPED_TRACE(testing::Message() << "type " << static_cast<int>(type) << ", n " << n);
      const CheckWeights weights = make_cosine_weights(type, n);
      EXPECT_GT(std::min(least_real(weights.in), least_real(weights.out)), 0.3);
      if (n > 100) continue;
      const Numbers x = random_numbers(static_cast<std::size_t>(n), true), y = cosine_transform(type, x);
      EXPECT_NEAR(real_sum(weights.out, y), real_sum(weights.in, x), 1e-11 * static_cast<double>(n));
    }
}

/// As passes of GPUs have them: 32 bits hold a weight of the result.
TEST(CheckWeights, RealOnesOfResults) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const std::int64_t n : {4, 12, 31, 60, 128, 135, 500, 512}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", n " << n);
      const RealCheckWeights weights = make_real_axis_weights(kind, n, 3);
      const Numbers x = random_numbers(weights.in.size(), false), y = transform(Kind::c2c, Direction::forward, n, x);
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
    }
}

/// What one part of the numbers of half a spectrum gives to the sum of the line of two rows a + i b, of which number k
/// is A[k] + i B[k], and number n - k its mirror.
Numbers weights_of_half(const Numbers& line) {
  Numbers half;
  for (std::size_t k = 0, n = line.size(); 2 * k <= n; ++k) {
    const auto sum = [&](std::complex<double> part, std::complex<double> mirror) {
      return (line[k] * part).real() + (k == 0 || 2 * k == n ? 0 : (line[n - k] * mirror).real());
    };
    constexpr std::complex<double> i{0, 1};
    half.emplace_back(sum(1, 1));  // the real part of A[k]
    half.emplace_back(sum(i, i));  // and of B[k]
    if (k == 0 || 2 * k == n) continue;
    half.emplace_back(sum(i, -i));  // the imaginary part of A[k]
    half.emplace_back(sum(-1, 1));  // and of B[k]
  }
  return half;
}

/// In units of the root mean square of the line's weights, which is what rounding goes by.
double least_of_half(const Numbers& line) {
  double squares = 0, least = 1e300;
  for (const auto& weight : line) squares += std::norm(weight) / 2;
  for (const auto& weight : weights_of_half(line)) least = std::min(least, std::abs(weight.real()));
  return least / std::sqrt(squares / static_cast<double>(line.size()));
}

/// Numbers of half spectra come with the weights of two points of a line, which must not cancel.
TEST(CheckWeights, RealOnesAreEvenInPairsToo) {
  for (const std::int64_t n : many_lengths())
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", n " << n);
      const RealCheckWeights weights = make_real_axis_weights(kind, n, 1);
      Numbers out;
      for (const double w : weights.real) out.emplace_back(w, w);
      EXPECT_GT(std::min(least_part(out), least_part(weights.in)), 0.29);
      if (kind == Kind::r2c) {
        EXPECT_GT(least_of_half(out), 0.29);
      }
      if (kind == Kind::c2r) {
        EXPECT_GT(least_of_half(weights.in), 0.29);
      }
    }
}

}  // namespace
}  // namespace shardfft
