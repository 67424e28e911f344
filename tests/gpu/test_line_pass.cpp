// Line passes of many lengths against the serial reference: whole bundles and ends of them, one owner and several with
// shares that are not equal, in rows of different lengths; nothing else is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "device/line_recipe.hpp"
#include "gpu/plane_kit.hpp"
#include "local/local_fft.hpp"

namespace shardfft::test {
namespace {

using device::Memory;
namespace lines = device::lines;

constexpr std::int64_t row_count = 4, first_row = 1, m_begin = 2, m_end = 37, pitch = 40;

struct LineCase {
  int n;
  Direction direction = Direction::forward;
  int owners = 1;
  bool in_place = false;
};

std::string name_of(const LineCase& c, Precision precision) {
  return std::to_string(c.n) + (precision == Precision::f64 ? " f64" : " f32") +
         (c.direction == Direction::forward ? " forward" : " backward") + ", " + std::to_string(c.owners) + " owners" +
         (c.in_place ? ", in place" : "");
}

template <class T>
class LineTest {
 public:
  using Complex = std::complex<T>;
  static constexpr Precision precision = sizeof(T) == 8 ? Precision::f64 : Precision::f32;

  explicit LineTest(const LineCase& c) : c_(c), in_(static_cast<std::size_t>(c.n * row_count * pitch)) {
    std::mt19937 random(static_cast<unsigned>(c.n));
    std::uniform_real_distribution<T> value(-1, 1);
    for (Complex& z : in_) z = {value(random), value(random)};
  }

  void check() {
    SCOPED_TRACE(name_of(c_, precision));
    const std::vector<Complex> expected = reference();
    const std::vector<std::vector<Complex>> got = run();
    Difference difference;
    for (int q = 0; q < c_.owners; ++q)
      for (int k = begin(q); k < begin(q + 1); ++k)
        for (std::int64_t row = 0; row < row_count; ++row)
          for (std::int64_t m = 0; m < pitch_of(q); ++m) {
            const Complex& z = got[static_cast<std::size_t>(q)][place(k - begin(q), row, m, pitch_of(q))];
            if (row >= first_row && m >= m_begin && m < m_end)
              difference.add(z, expected[place(k, row, m, pitch)]);
            else if (c_.in_place)
              ASSERT_EQ(z, in_[place(k, row, m, pitch)]) << "row " << row << ", column " << m << " is nobody's";
            else
              ASSERT_TRUE(std::isnan(z.real())) << "row " << row << ", column " << m << " is nobody's";
          }
    EXPECT_LE(difference.relative(), 4 * std::numeric_limits<T>::epsilon());
  }

 private:
  static std::size_t place(std::int64_t k, std::int64_t row, std::int64_t m, std::int64_t length) {
    return static_cast<std::size_t>((k * row_count + row) * length + m);
  }
  /// All of them different.
  static std::int64_t pitch_of(int q) { return pitch + 2 * q; }
  int begin(int q) const { return lines::owner_begin(side(), c_.n, q); }

  lines::Side side() const {
    lines::Side made;
    made.block = (c_.n + c_.owners - 1) / c_.owners;
    if (c_.n % c_.owners != 0) made.whole_owners = c_.n % c_.owners;
    return made;
  }

  std::vector<Complex> reference() const {
    FftSpec spec;
    spec.precision = precision;
    spec.direction = c_.direction;
    spec.effort = Effort::estimate;
    spec.transform = {{c_.n, row_count * pitch, row_count * pitch}};
    spec.batch = {{row_count * pitch, 1, 1}};
    std::vector<Complex> data = in_, result(in_.size());
    make_local_fft("fftw", spec)->execute(data.data(), result.data());
    for (Complex& z : result) z *= T(0.5);
    return result;
  }

  std::vector<std::vector<Complex>> run() const {
    const std::size_t in_bytes = in_.size() * sizeof(Complex);
    const Memory from = device::make_memory(in_bytes);
    const device::Stream stream = device::make_stream();
    lines::prepare(c_.n, precision);
    device::copy_bytes(from.get(), in_.data(), in_bytes, stream.get());
    lines::Pass pass;
    pass.n = c_.n;
    pass.precision = precision;
    pass.direction = c_.direction;
    pass.in.part[0] = {from.get(), row_count * pitch, pitch};
    pass.out = side();
    pass.outer_begin = first_row;
    pass.outer_end = row_count;
    pass.m_begin = m_begin;
    pass.m_end = m_end;
    pass.scale = 0.5;
    pass.blocks = 3;
    std::vector<Memory> to;
    std::vector<std::vector<Complex>> got;
    for (int q = 0; q < c_.owners; ++q) {
      const auto points = static_cast<std::size_t>((begin(q + 1) - begin(q)) * row_count * pitch_of(q));
      got.emplace_back(points, std::numeric_limits<T>::quiet_NaN());
      to.push_back(device::make_memory(points * sizeof(Complex)));
      device::copy_bytes(to.back().get(), got.back().data(), points * sizeof(Complex), stream.get());
      pass.out.part[static_cast<std::size_t>(q)] = {c_.in_place ? from.get() : to.back().get(), row_count * pitch_of(q),
                                                    pitch_of(q)};
    }
    lines::run(pass, stream.get());
    for (int q = 0; q < c_.owners; ++q) {
      std::vector<Complex>& there = got[static_cast<std::size_t>(q)];
      device::copy_bytes(there.data(), pass.out.part[static_cast<std::size_t>(q)].base, there.size() * sizeof(Complex),
                         stream.get());
    }
    device::synchronize(stream.get());
    return got;
  }

  LineCase c_;
  std::vector<Complex> in_;
};

void check_lines(const LineCase& c) {
  LineTest<double>(c).check();
  LineTest<float>(c).check();
}

class LinesOf : public testing::TestWithParam<int> {};

TEST_P(LinesOf, OneLength) {
  const int n = GetParam();
  if (!lines::supported(n)) GTEST_SKIP() << "no line kernels here";
  check_lines({n});
  check_lines({n, Direction::backward});
  check_lines({n, Direction::forward, 1, true});
  for (const int owners : {2, 3, 8})
    if (n >= 2 * owners) check_lines({n, Direction::forward, owners});
}

INSTANTIATE_TEST_SUITE_P(Lines, LinesOf,
                         testing::Values(4, 33, 100, 105, 128, 143, 250, 360, 500, 512, 600, 720, 1000, 1001, 1024,
                                         1050, 1155, 1280, 1440, 1536, 2000, 2048, 2187, 3000),
                         testing::PrintToStringParamName());

TEST(Lines, AreCountedInThirtyTwoBits) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  EXPECT_TRUE(lines::countable(1, most / 2));
  EXPECT_TRUE(lines::countable(1 << 15, 1 << 15));
  EXPECT_FALSE(lines::countable(1, most)) << "twice as many units of 8 bytes are no int";
  EXPECT_FALSE(lines::countable(most / 2, 1));
  EXPECT_FALSE(lines::countable(1 << 16, 1 << 15));
}

TEST(Lines, HaveSmallPrimeFactorsAndFitSharedMemory) {
  for (const int n : {1, 2, 3, 13, 17, 34, 509, 1 << 20}) EXPECT_FALSE(lines::supported(n)) << n;
  if (!lines::supported(100)) GTEST_SKIP() << "no line kernels here";
  EXPECT_TRUE(lines::worthwhile(100, std::int64_t{1} << 21));
  EXPECT_FALSE(lines::worthwhile(100, std::int64_t{1} << 20)) << "a kernel to compile for a small array";
  EXPECT_EQ(lines::worthwhile(128, 128), device::current_facts().bulk_copies) << "one that is there already";
  EXPECT_FALSE(lines::worthwhile((std::int64_t{1} << 32) + 128, std::int64_t{1} << 40));
}

/// What every recipe of the planner must satisfy, for every length that it takes.
TEST(Lines, RecipesFitTheHardware) {
  int lengths = 0;
  for (int n = 4; n <= 3000; ++n) {
    const std::vector<lines::Recipe> all = lines::recipes(n, lines::hopper);
    if (all.empty()) continue;
    ++lengths;
    const lines::Recipe& best = all.front();
    int product = 1;
    for (int s = 0; s < best.line.stages; ++s) product *= best.line.radix[s];
    ASSERT_EQ(product, n);
    ASSERT_LE(best.line.points(), 32) << n;
    ASSERT_LE(best.tile().threads(), 1024) << n;
    ASSERT_LE(best.shared_bytes(Precision::f64) + lines::reserved_shared_bytes, lines::hopper.shared_bytes) << n;
    for (const bool odd : {false, true}) {
      const lines::TileCut tile = best.tile(odd);
      ASSERT_EQ(tile.set_rows() * tile.pitch() * 16 % 128, 0) << n;
      ASSERT_EQ(tile.tile_bytes(), tile.sets() * tile.set_rows() * tile.pitch() * 16) << n;
      ASSERT_GE(tile.sets() * tile.set_rows(), n);
      ASSERT_LE(tile.box_rows(), 256);
    }
  }
  EXPECT_GT(lengths, 400);
}

}  // namespace
}  // namespace shardfft::test
