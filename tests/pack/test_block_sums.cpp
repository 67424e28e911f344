// Weighted sums of blocks beside plain loops, with every family of vector instructions of this processor.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/check_hooks.hpp"
#include "pack/block_sums.hpp"

namespace shardfft::test {
namespace {

template <class T>
struct Block {
  std::vector<T> numbers, to_real, to_imag, row_real, row_imag;
  NumberBlock<T> block;

  Block(std::int64_t rows, std::int64_t columns, std::int64_t gap, std::mt19937& random) {
    std::uniform_real_distribution<T> any(-1, 1);
    const auto fill = [&](std::vector<T>& list, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) list.push_back(any(random));
    };
    fill(numbers, rows * (columns + gap));
    const auto beyond = static_cast<std::int64_t>(64 / sizeof(T));
    for (auto* list : {&to_real, &to_imag}) fill(*list, columns + beyond);
    for (auto* list : {&row_real, &row_imag}) fill(*list, rows);
    block = {numbers.data(), rows, columns + gap, columns};
  }
  double at(std::int64_t row, std::int64_t column) const {
    return static_cast<double>(block.at[row * block.stride + column]);
  }
  std::uint32_t words() const {
    std::uint32_t sum = 0;
    for (std::int64_t r = 0; r < block.rows; ++r)
      sum += word_sum(reinterpret_cast<const std::byte*>(block.at + r * block.stride),
                      static_cast<std::size_t>(block.columns) * sizeof(T));
    return sum;
  }
};

struct Sums {
  double real = 0, imag = 0, squares = 0;
  void add(double x, double to_real, double to_imag) {
    real += x * to_real;
    imag += x * to_imag;
    squares += x * x;
  }
};

template <class T>
void expect_near(const Sums& right, T real, T imag, const T* squares, std::int64_t count) {
  const double allowed = 32 * static_cast<double>(count) * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(static_cast<double>(real), right.real, allowed);
  EXPECT_NEAR(static_cast<double>(imag), right.imag, allowed);
  if (squares != nullptr) {
    EXPECT_NEAR(static_cast<double>(*squares), right.squares, allowed);
  }
}

template <class T>
void check_lines(const Block<T>& b, bool by_column, bool squares) {
  const auto lines = by_column ? b.block.columns : b.block.rows, points = by_column ? b.block.rows : b.block.columns;
  const auto& to_real = by_column ? b.row_real : b.to_real;
  const auto& to_imag = by_column ? b.row_imag : b.to_imag;
  std::vector<T> real(static_cast<std::size_t>(lines)), imag = real, square = real;
  const BlockSums<T> sums{to_real.data(), to_imag.data(), real.data(), imag.data(), squares ? square.data() : nullptr};
  EXPECT_EQ(by_column ? add_columns(b.block, sums) : add_rows(b.block, sums), b.words());
  for (std::int64_t l = 0; l < lines; ++l) {
    Sums right;
    for (std::int64_t p = 0; p < points; ++p) {
      const auto i = static_cast<std::size_t>(p);
      right.add(by_column ? b.at(p, l) : b.at(l, p), static_cast<double>(to_real[i]), static_cast<double>(to_imag[i]));
    }
    const auto i = static_cast<std::size_t>(l);
    expect_near(right, real[i], imag[i], squares ? &square[i] : nullptr, points);
  }
}

template <class T>
void check_plane(const Block<T>& b, bool squares) {
  const PlaneSum<T> sum = add_plane(
      b.block, PlaneWeights<T>{b.to_real.data(), b.to_imag.data(), b.row_real.data(), b.row_imag.data(), squares});
  EXPECT_EQ(sum.words, b.words());
  Sums right;
  for (std::int64_t r = 0; r < b.block.rows; ++r)
    for (std::int64_t c = 0; c < b.block.columns; ++c) {
      const auto row = static_cast<std::size_t>(r), column = static_cast<std::size_t>(c);
      const double x = b.at(r, c), wr = static_cast<double>(b.row_real[row]), wi = static_cast<double>(b.row_imag[row]);
      const double cr = static_cast<double>(b.to_real[column]), ci = static_cast<double>(b.to_imag[column]);
      right.add(x, cr * wr - ci * wi, cr * wi + ci * wr);
    }
  expect_near(right, sum.real, sum.imag, squares ? &sum.squares : nullptr, b.block.rows * b.block.columns);
}

template <class T>
void check() {
  std::mt19937 random(3);
  for (const int most : {16, 32, 64}) {
    VectorLimit limit{most};
    const Installed<VectorLimit> installed(limit);
    for (const std::int64_t rows : {1, 2, 4, 7, 64})
      for (std::int64_t columns = 1; columns < 72; columns += columns < 34 ? 1 : 9)
        for (const bool squares : {false, true}) {
          SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(columns) + ", vectors of " +
                       std::to_string(most) + " bytes");
          const Block<T> block(rows, columns, columns % 3, random);
          check_lines(block, false, squares);
          check_lines(block, true, squares);
          check_plane(block, squares);
        }
  }
}

TEST(BlockSums, AreThoseOfPlainLoops) {
  check<double>();
  check<float>();
}

TEST(BlockSums, EveryBitCounts) {
  std::vector<std::uint32_t> words(37, 0x12345678);
  const auto sum = [&] { return word_sum(reinterpret_cast<const std::byte*>(words.data()), 4 * words.size()); };
  const std::uint32_t right = sum();
  for (std::size_t i = 0; i < words.size(); ++i)
    for (int bit = 0; bit < 32; ++bit) {
      words[i] ^= 1U << bit;
      EXPECT_NE(sum(), right);
      words[i] ^= 1U << bit;
    }
}

}  // namespace
}  // namespace shardfft::test
