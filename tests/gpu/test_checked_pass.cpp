// Line passes that check themselves (option verify): the sums of bits, results as without checks, no false alarms in
// rows and ends of rows of any precision; and a wrong number is one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include "gpu/check/line_weights.hpp"
#include "gpu/plane_kit.hpp"

namespace shardfft::test {
namespace {

namespace lines = device::lines;

struct CheckedCase {
  int n;
  Direction direction = Direction::forward;
  std::int64_t rows = 3, m_begin = 0, m_end = 40;
  double size = 1, scale = 1;
  int blocks = 0;
};

/// [point][row][column].
template <class T>
class CheckedLines {
 public:
  using Complex = std::complex<T>;
  static constexpr Precision precision = sizeof(T) == 8 ? Precision::f64 : Precision::f32;

  explicit CheckedLines(const CheckedCase& c)
      : case_(c), numbers_(static_cast<std::size_t>(c.n * c.rows * pitch())), stream_(device::make_stream()) {
    std::mt19937 random(static_cast<unsigned>(c.n));
    std::uniform_real_distribution<T> value(-1, 1);
    for (Complex& z : numbers_) z = T(c.size) * Complex(value(random), value(random));
    lines::prepare(c.n, precision);
    lines::prepare_checked(c.n, precision);
    in_ = upload(numbers_);
    out_ = upload(std::vector<Complex>(numbers_.size()));
    results_ = device::make_memory(sizeof told_);
  }

  std::vector<Complex> run(const lines::PassChecks& checks) {
    lines::Pass pass;
    pass.n = case_.n;
    pass.precision = precision;
    pass.direction = case_.direction;
    pass.in.part[0] = {in_.get(), case_.rows * pitch(), pitch()};
    pass.out.part[0] = {out_.get(), case_.rows * pitch(), pitch()};
    pass.outer_end = case_.rows;
    pass.m_begin = case_.m_begin;
    pass.m_end = case_.m_end;
    pass.scale = case_.scale;
    pass.blocks = case_.blocks;
    pass.checks = checks;
    device::fill_zero(results_.get(), sizeof told_, stream_.get());
    lines::run(pass, stream_.get());
    device::copy_bytes(told_, results_.get(), sizeof told_, stream_.get());
    std::vector<Complex> out(numbers_.size());
    device::copy_bytes(out.data(), out_.get(), out.size() * sizeof(Complex), stream_.get());
    device::synchronize(stream_.get());
    return out;
  }

  void check() {
    const std::vector<Complex> plain = run({});
    const gpu::LineWeights weights(Kind::c2c, case_.n, precision, case_.scale);
    const std::vector<Complex> checked = run(this->checks(weights));
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      largest = std::max<double>(largest, std::abs(plain[i]));
      difference = std::max<double>(difference, std::abs(plain[i] - checked[i]));
    }
    EXPECT_LE(difference, 8 * std::numeric_limits<T>::epsilon() * largest);
    EXPECT_EQ(static_cast<std::uint32_t>(told_[lines::bits_read]), words(numbers_));
    EXPECT_EQ(static_cast<std::uint32_t>(told_[lines::bits_written]), words(checked));
    EXPECT_GT(told_[lines::sums_compared], 0U);
    EXPECT_LE(residual(), 0.5);
    EXPECT_GT(residual(), 0);
  }

  /// With one weight of all that is a little wrong, as if so much of a number were.
  void check_sensitivity() {
    const gpu::LineWeights weights(Kind::c2c, case_.n, precision, case_.scale);
    const auto n = static_cast<std::size_t>(case_.n);
    std::vector<Complex> in(n);
    std::vector<std::uint32_t> out(n);
    std::vector<std::byte> all(n * (sizeof in.front() + sizeof out.front()));
    device::copy_bytes(all.data(), this->checks(weights).weights, all.size(), stream_.get());
    device::synchronize(stream_.get());
    std::memcpy(in.data(), all.data(), n * sizeof in.front());
    std::memcpy(out.data(), all.data() + n * sizeof in.front(), n * sizeof out.front());
    const auto check_wrong = [&](const std::string& what) {
      std::memcpy(all.data(), in.data(), n * sizeof in.front());
      std::memcpy(all.data() + n * sizeof in.front(), out.data(), n * sizeof out.front());
      const device::Memory there = upload(all);
      lines::PassChecks checks = this->checks(weights);
      checks.weights = there.get();
      run(checks);
      EXPECT_GT(residual(), 1) << what;
    };
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      const Complex right = in[at];
      in[at] *= T(1 + (sizeof(T) == 8 ? 1e-8 : 1e-1));
      check_wrong("weight " + std::to_string(at) + " of the input");
      in[at] = right;
      out[at] ^= sizeof(T) == 8 ? 1U << 4 : 1U << 20;
      check_wrong("weight " + std::to_string(at) + " of the result");
      out[at] ^= sizeof(T) == 8 ? 1U << 4 : 1U << 20;
    }
  }

  /// Lines that hold what is no number are not compared; others are.
  void check_nothing_is_said_of_nans() {
    numbers_.assign(numbers_.size(), Complex(std::numeric_limits<T>::quiet_NaN()));
    in_ = upload(numbers_);
    const gpu::LineWeights weights(Kind::c2c, case_.n, precision, case_.scale);
    run(this->checks(weights));
    EXPECT_EQ(told_[lines::sums_compared], 0U);
    EXPECT_EQ(residual(), 0);
  }

 private:
  /// Of floats an even number; nothing lies between the lines.
  std::int64_t pitch() const { return case_.m_end + (case_.m_end % 2); }
  double residual() const { return std::sqrt(std::bit_cast<double>(told_[lines::largest_square])); }
  lines::PassChecks checks(const gpu::LineWeights& weights) {
    return weights.checks(static_cast<std::uint64_t*>(results_.get()));
  }
  template <class Number>
  device::Memory upload(const std::vector<Number>& numbers) {
    const std::size_t bytes = numbers.size() * sizeof(Number);
    device::Memory memory = device::make_memory(bytes);
    device::copy_bytes(memory.get(), numbers.data(), bytes, stream_.get());
    device::synchronize(stream_.get());
    return memory;
  }
  /// Of the columns of the pass.
  std::uint32_t words(const std::vector<Complex>& numbers) const {
    std::uint32_t sum = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(numbers.size()); ++i) {
      if (i % pitch() < case_.m_begin || i % pitch() >= case_.m_end) continue;
      std::uint32_t all[sizeof(Complex) / 4];
      std::memcpy(all, &numbers[static_cast<std::size_t>(i)], sizeof all);
      for (const std::uint32_t word : all) sum += word;
    }
    return sum;
  }

  CheckedCase case_;
  std::vector<Complex> numbers_;
  device::Stream stream_;
  device::Memory in_, out_, results_;
  std::uint64_t told_[lines::pass_results] = {};
};

template <class T>
void check_precision(const CheckedCase& c) {
  SCOPED_TRACE(std::to_string(c.n) + (sizeof(T) == 8 ? " f64" : " f32") + ", " + std::to_string(c.rows) + " rows to " +
               std::to_string(c.m_end) + " of size " + std::to_string(c.size));
  CheckedLines<T> all(c);
  all.check();
  all.check_sensitivity();
  all.check_nothing_is_said_of_nans();
}
void check_checked(const CheckedCase& c) {
  check_precision<double>(c);
  check_precision<float>(c);
}

/// Each takes a second or some to compile, once.
const std::vector<int> lengths{128, 512, 1536, 60, 143, 300, 540, 625, 2000};

TEST(CheckedPass, ManyLengths) {
  for (const int n : lengths) {
    if (!lines::checkable(n)) continue;
    for (const Direction direction : {Direction::forward, Direction::backward}) check_checked({n, direction});
  }
}

TEST(CheckedPass, EndsOfRows) {
  if (!lines::checkable(128)) GTEST_SKIP() << "no compiler of kernels here";
  for (const std::int64_t m_begin : {0, 4})
    for (const std::int64_t m_end : {8, 16, 23, 39}) check_checked({128, Direction::forward, 5, m_begin, m_end});
}

/// Enough tiles that blocks compare several times.
TEST(CheckedPass, ManyTiles) {
  for (const int n : {60, 128, 512}) {
    if (!lines::checkable(n)) continue;
    check_checked({n, Direction::forward, 40, 0, 64, 1, 0.25, 2});
  }
}

TEST(CheckedPass, SmallAndLargeNumbers) {
  for (const double size : {1e-30, 1e-12, 1e12, 1e25})
    for (const int n : {512, 300})
      if (lines::checkable(n)) check_checked({n, Direction::backward, 2, 0, 32, size});
}

}  // namespace
}  // namespace shardfft::test
