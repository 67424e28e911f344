// Packing with short numbers: what is lost is bounded and told, and nothing else changes.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "pack/shorten.hpp"
#include "random_boxes.hpp"

namespace shardfft::kit {
namespace {

constexpr std::size_t guard = 64;
constexpr std::byte poison{0xCD};

struct ShortTrial {
  ShortNumbers numbers;
  std::size_t parts = 1;  ///< numbers an element
  std::vector<Box> boxes;
  std::int64_t extent = 0;  ///< elements of the array
  int threads = 1;

  std::size_t element_bytes() const { return parts * numbers.number_bytes(); }
  std::int64_t elements() const {
    std::int64_t sum = 0;
    for (const Box& box : boxes) sum += box.elements();
    return sum;
  }
};

template <class Real>
ShortNumbers format(int bytes) {
  return {sizeof(Real) == 8 ? Precision::f64 : Precision::f32, bytes};
}

/// There and back; what no box holds stays as it was.
template <class Real>
std::vector<Real> there_and_back(const ShortTrial& t, const std::vector<Real>& array, Loss& loss) {
  const std::size_t bytes = short_bytes(t.numbers, t.elements(), t.element_bytes());
  std::vector<std::byte> run(bytes + guard, poison);
  loss = shorten_boxes(reinterpret_cast<const std::byte*>(array.data()), t.boxes, run.data(), t.element_bytes(),
                       t.numbers, t.threads);
  for (std::size_t i = 0; i < guard; ++i) EXPECT_EQ(run[bytes + i], poison) << "behind the message";
  std::vector<Real> back(array.size(), Real(-77));
  restore_boxes(run.data(), t.boxes, reinterpret_cast<std::byte*>(back.data()), t.element_bytes(), t.numbers,
                t.threads);
  return back;
}

/// The indices of all numbers in the packed order.
std::vector<std::size_t> places(const ShortTrial& t) {
  std::vector<std::size_t> all;
  for (const Box& box : t.boxes)
    for (std::int64_t i = 0; i < box.elements(); ++i)
      for (std::size_t part = 0; part < t.parts; ++part)
        all.push_back(static_cast<std::size_t>(offset_of(box, i)) * t.parts + part);
  return all;
}

template <class Real>
ShortTrial random_trial(Random& random, int bytes, std::int64_t largest) {
  ShortTrial t{
      format<Real>(bytes), static_cast<std::size_t>(pick(random, 1, 2)), {}, 0, static_cast<int>(pick(random, 1, 3))};
  for (std::int64_t b = pick(random, 1, 2); b > 0; --b) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(pick(random, 0, 3)));
    for (std::int64_t& count : counts) count = pick(random, 1, largest);
    std::int64_t extent = 0;
    Box box = place(random, counts, true, true, true, extent);
    box.offset += t.extent;
    t.extent += extent;
    t.boxes.push_back(box);
  }
  return t;
}

/// Of any magnitude, some next to nothing, some zero.
template <class Real>
std::vector<Real> random_numbers(Random& random, std::size_t count, int range) {
  std::vector<Real> numbers(count);
  std::normal_distribution<double> normal;
  for (Real& x : numbers)
    x = pick(random, 0, 9) == 0
            ? Real(0)
            : static_cast<Real>(std::ldexp(normal(random), static_cast<int>(pick(random, -range, range))));
  return numbers;
}

template <class Real>
void check_loss(Random& random, int bytes, std::int64_t largest) {
  const ShortTrial t = random_trial<Real>(random, bytes, largest);
  SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(t.elements()) + " elements, threads " +
               std::to_string(t.threads));
  const auto array = random_numbers<Real>(random, static_cast<std::size_t>(t.extent) * t.parts, sizeof(Real) * 10);
  Loss loss;
  const std::vector<Real> back = there_and_back(t, array, loss);
  std::vector<bool> moved(array.size());
  double error = 0, sent = 0;
  for (const std::size_t i : places(t)) {
    moved[i] = true;
    const double x = static_cast<double>(array[i]), difference = static_cast<double>(back[i]) - x;
    error += difference * difference;
    sent += x * x;
  }
  EXPECT_LE(std::sqrt(error), t.numbers.most_error() * std::sqrt(sent));
  // What restoring rounds to single precision is not in the sum.
  EXPECT_NEAR(loss.error, error, 1e-9 * error + (sizeof(Real) == 4 ? 1e-14 * sent : 0));
  EXPECT_NEAR(loss.sent, sent, 1e-12 * sent);
  for (std::size_t i = 0; i < array.size(); ++i) ASSERT_TRUE(moved[i] || back[i] == Real(-77)) << i;
}

TEST(Shorten, LossIsBoundedAndTold) {
  Random random(21);
  for (int trial = 0; trial < 400 && !testing::Test::HasFailure(); ++trial) {
    check_loss<double>(random, 1 + trial % 6, trial % 20 == 0 ? 60 : 9);
    check_loss<float>(random, 1 + trial % 3, trial % 20 == 0 ? 60 : 9);
  }
}

/// As bad as it can be: one large number in a block, and what is largest to be lost of all others.
TEST(Shorten, WorstBlockStaysWithinTheBound) {
  for (int bytes = 1; bytes <= 6; ++bytes)
    for (const double large : {1.0, 1.5, std::nextafter(2.0, 0.0)}) {
      ShortTrial t{format<double>(bytes), 1, {Box::run(0, 16)}, 16};
      const double quantum = std::ldexp(2.0, 1 - 8 * bytes);
      std::vector<double> array(16, 0.499 * quantum);
      array[5] = large;
      Loss loss;
      there_and_back(t, array, loss);
      EXPECT_LE(std::sqrt(loss.error / loss.sent), t.numbers.most_error()) << bytes << ", " << large;
      EXPECT_GE(std::sqrt(loss.error / loss.sent), 0.2 * t.numbers.most_error()) << bytes << ", " << large;
    }
}

/// What docs/exchanges.md says of them.
TEST(Shorten, NormalNumbersLoseAQuarterOfTheBound) {
  Random random(23);
  std::normal_distribution<double> normal;
  std::vector<double> array(100000);
  for (double& x : array) x = normal(random);
  for (int bytes = 1; bytes <= 6; ++bytes) {
    const ShortTrial t{format<double>(bytes), 1, {Box::run(0, 100000)}, 100000};
    Loss loss;
    there_and_back(t, array, loss);
    EXPECT_NEAR(std::sqrt(loss.error / loss.sent) / t.numbers.most_error(), 0.23, 0.02) << bytes;
  }
}

/// Integers that have room, by any power of two.
TEST(Shorten, FewBitsAreExact) {
  Random random(22);
  for (int bytes = 1; bytes <= 6; ++bytes)
    for (const int power : {-900, -3, 0, 7, 900}) {
      const std::int64_t most = (std::int64_t{1} << (8 * bytes - 1)) - 1;
      const ShortTrial t{format<double>(bytes), 1, {Box::run(0, 333)}, 333};
      std::vector<double> array(333);
      for (double& x : array) x = std::ldexp(static_cast<double>(pick(random, -most / 2, most / 2)), power);
      array[40] = std::ldexp(static_cast<double>(most / 2), power);
      Loss loss;
      EXPECT_EQ(there_and_back(t, array, loss), array) << bytes << ", " << power;
      EXPECT_EQ(loss.error, 0);
    }
}

template <class Real>
void check_unusual(int bytes) {
  SCOPED_TRACE(std::to_string(bytes) + " bytes of " + std::to_string(sizeof(Real)));
  constexpr Real infinity = std::numeric_limits<Real>::infinity(), most = std::numeric_limits<Real>::max();
  const ShortTrial t{format<Real>(bytes), 1, {Box::run(0, 200)}, 200};
  std::vector<Real> array(200);
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<Real>(i % 7) - 3;
  array[3] = infinity;
  array[17] = std::numeric_limits<Real>::quiet_NaN();
  array[18] = -infinity;
  array[70] = most;
  array[71] = -most;
  array[85] = std::numeric_limits<Real>::denorm_min();
  array[199] = -std::numeric_limits<Real>::quiet_NaN();
  Loss loss;
  const std::vector<Real> back = there_and_back(t, array, loss);
  for (std::size_t i = 0; i < array.size(); ++i) {
    const double step = i / 16 == 4 ? static_cast<double>(most) : 4;  // of the block
    if (std::isnan(array[i]))
      EXPECT_TRUE(std::isnan(back[i])) << i;
    else if (std::isinf(array[i]))
      EXPECT_EQ(back[i], array[i]) << i;
    else
      EXPECT_NEAR(back[i], array[i], step * std::ldexp(1.0, 2 - 8 * bytes)) << i;
  }
}

TEST(Shorten, UnusualNumbersSurvive) {
  for (int bytes = 1; bytes <= 6; ++bytes) check_unusual<double>(bytes);
  for (int bytes = 1; bytes <= 3; ++bytes) check_unusual<float>(bytes);
}

TEST(Shorten, NothingIsNoBytes) {
  const ShortNumbers numbers = format<double>(3);
  EXPECT_EQ(short_bytes(numbers, 0, 16), 0u);
  EXPECT_EQ(short_bytes(numbers, 1, 16), 2u + 6);
  EXPECT_EQ(short_bytes(numbers, 8, 16), 2u + 48);
  EXPECT_EQ(short_bytes(numbers, 9, 16), 4u + 54);
  EXPECT_EQ(shorten_boxes(nullptr, {}, nullptr, 16, numbers).sent, 0);
}

TEST(ShortNumbers, AreChosenByTheirBound) {
  EXPECT_EQ(choose_short_numbers(Precision::f64, 0.5, 1).bytes, 1);
  EXPECT_EQ(choose_short_numbers(Precision::f64, 1e-3, 4).bytes, 2);
  EXPECT_EQ(choose_short_numbers(Precision::f64, 1e-6, 1).bytes, 3);
  EXPECT_EQ(choose_short_numbers(Precision::f64, 1e-6, 2).bytes, 3);
  EXPECT_EQ(choose_short_numbers(Precision::f64, 1e-6, 3).bytes, 4);
  EXPECT_EQ(choose_short_numbers(Precision::f64, 1e-13, 1).bytes, 6);
  EXPECT_FALSE(choose_short_numbers(Precision::f64, 1e-15, 1).active());
  EXPECT_EQ(choose_short_numbers(Precision::f32, 1e-3, 2).bytes, 2);
  EXPECT_EQ(choose_short_numbers(Precision::f32, 1e-6, 1).bytes, 3);
  EXPECT_FALSE(choose_short_numbers(Precision::f32, 1e-7, 1).active());
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (double tolerance = 0.9; tolerance > 1e-17; tolerance /= 1.7)
      for (const int reshapes : {1, 2, 5}) {
        const ShortNumbers numbers = choose_short_numbers(precision, tolerance, reshapes);
        EXPECT_TRUE(!numbers.active() || reshapes * numbers.most_error() <= tolerance);
      }
}

}  // namespace
}  // namespace shardfft::kit
