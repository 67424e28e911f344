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
    for (auto* list : {&to_real, &to_imag}) fill(*list, columns);
    for (auto* list : {&row_real, &row_imag}) fill(*list, 2 * rows);
    for (std::size_t i = 0; columns % 2 == 1 && i < row_real.size(); i += 2) {
      row_real[i + 1] = row_real[i];
      row_imag[i + 1] = row_imag[i];
    }
    block = {numbers.data(), rows, columns + gap, columns};
  }
  std::int64_t parity(std::int64_t column) const { return column % 2; }
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

/// Below the squares, but not nothing.
template <class T>
void expect_near(const Sums& right, T real, const T* imag, const T* below, std::int64_t count) {
  const double allowed = 32 * static_cast<double>(count) * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(static_cast<double>(real), right.real, allowed);
  if (imag != nullptr) {
    EXPECT_NEAR(static_cast<double>(*imag), right.imag, allowed);
  }
  if (below != nullptr) {
    EXPECT_LE(static_cast<double>(*below), (imag != nullptr ? 2 : 1) * right.squares + allowed);
    EXPECT_GT(static_cast<double>(*below), 0);
    // A single number has no other to cancel it.
    if (count == 1 && imag == nullptr) {
      EXPECT_NEAR(static_cast<double>(*below), right.real * right.real, allowed);
    }
  }
}

/// What is asked for: imaginary parts, bounds, words.
struct Wanted {
  bool imag, below, words;
};

template <class T>
void check_lines(const Block<T>& b, bool by_column, const Wanted& wanted) {
  const auto lines = by_column ? b.block.columns : b.block.rows, points = by_column ? b.block.rows : b.block.columns;
  const auto& to_real = by_column ? b.row_real : b.to_real;
  const auto& to_imag = by_column ? b.row_imag : b.to_imag;
  std::vector<T> real(static_cast<std::size_t>(lines) + 64 / sizeof(T)), imag = real, below = real;
  const BlockSums<T> sums{to_real.data(), wanted.imag ? to_imag.data() : nullptr, real.data(), imag.data(),
                          wanted.below ? below.data() : nullptr};
  const std::uint32_t words =
      by_column ? add_columns(b.block, sums, wanted.words) : add_rows(b.block, sums, wanted.words);
  EXPECT_EQ(words, wanted.words ? b.words() : 0);
  for (std::int64_t l = 0; l < lines; ++l) {
    Sums right;
    for (std::int64_t p = 0; p < points; ++p) {
      // Even and odd columns have their own weights in a row.
      const auto i = static_cast<std::size_t>(by_column ? 2 * p + b.parity(l) : p);
      right.add(by_column ? b.at(p, l) : b.at(l, p), static_cast<double>(to_real[i]), static_cast<double>(to_imag[i]));
    }
    const auto i = static_cast<std::size_t>(l);
    expect_near(right, real[i], wanted.imag ? &imag[i] : nullptr, wanted.below ? &below[i] : nullptr, points);
  }
}

template <class T>
void check_plane(const Block<T>& b, const Wanted& wanted) {
  const PlaneSum<T> sum = add_plane(b.block,
                                    PlaneWeights<T>{b.to_real.data(), wanted.imag ? b.to_imag.data() : nullptr,
                                                    b.row_real.data(), wanted.imag ? b.row_imag.data() : nullptr},
                                    wanted.words);
  EXPECT_EQ(sum.words, wanted.words ? b.words() : 0);
  Sums right;
  for (std::int64_t r = 0; r < b.block.rows; ++r)
    for (std::int64_t c = 0; c < b.block.columns; ++c) {
      const auto row = static_cast<std::size_t>(r), column = static_cast<std::size_t>(c);
      const double x = b.at(r, c), wr = static_cast<double>(b.row_real[row]);
      const double wi = wanted.imag ? static_cast<double>(b.row_imag[row]) : 0;
      const double cr = static_cast<double>(b.to_real[column]);
      const double ci = wanted.imag ? static_cast<double>(b.to_imag[column]) : 0;
      right.add(x, cr * wr - ci * wi, cr * wi + ci * wr);
    }
  expect_near(right, sum.real, wanted.imag ? &sum.imag : nullptr, &sum.below, b.block.rows * b.block.columns + 1);
}

template <class T>
void check() {
  std::mt19937 random(3);
  for (const int most : {16, 32, 64}) {
    VectorLimit limit{most};
    const Installed<VectorLimit> installed(limit);
    for (const std::int64_t rows : {1, 2, 4, 7, 64})
      for (std::int64_t columns = 1; columns < 300; columns += columns < 34 ? 1 : columns < 72 ? 9 : 77)
        for (const Wanted& wanted :
             {Wanted{true, true, true}, {true, false, false}, {false, true, false}, {false, false, true}}) {
          SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(columns) + ", vectors of " +
                       std::to_string(most) + " bytes");
          const Block<T> block(rows, columns, columns % 3, random);
          check_lines(block, false, wanted);
          check_lines(block, true, wanted);
          check_plane(block, wanted);
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
