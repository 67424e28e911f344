// Weighted sums of blocks beside plain loops, with every family of vector instructions of this processor.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "base/check_hooks.hpp"
#include "pack/block_sums.hpp"
#include "pack/past_cache.hpp"

namespace shardfft::test {
namespace {

template <class T>
struct Block {
  std::vector<T> numbers, of_columns, of_rows;  ///< weights, of rows two each
  NumberBlock<T> block;

  Block(std::int64_t rows, std::int64_t columns, std::int64_t gap, std::mt19937& random) {
    std::uniform_real_distribution<T> any(-1, 1);
    const auto fill = [&](std::vector<T>& list, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) list.push_back(any(random));
    };
    fill(numbers, rows * (columns + gap));
    fill(of_columns, columns);
    fill(of_rows, 2 * rows);
    for (std::size_t i = 0; columns % 2 == 1 && i < of_rows.size(); i += 2) of_rows[i + 1] = of_rows[i];
    block = {numbers.data(), rows, columns + gap, columns};
  }
  double row_weight(std::int64_t row, std::int64_t column) const {
    return static_cast<double>(of_rows[static_cast<std::size_t>(2 * row + column % 2)]);
  }
  double column_weight(std::int64_t column) const {
    return static_cast<double>(of_columns[static_cast<std::size_t>(column)]);
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
  double sum = 0, squares = 0;
  void add(double x, double weight) {
    sum += x * weight;
    squares += x * x;
  }
};

/// Below the squares, but not nothing.
template <class T>
void expect_near(const Sums& right, T sum, const T* below, std::int64_t count) {
  const double allowed = 32 * static_cast<double>(count) * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(static_cast<double>(sum), right.sum, allowed);
  if (below == nullptr) return;
  EXPECT_LE(static_cast<double>(*below), right.squares + allowed);
  EXPECT_GT(static_cast<double>(*below), 0);
  // A single number has no other to cancel it.
  if (count == 1) {
    EXPECT_NEAR(static_cast<double>(*below), right.sum * right.sum, allowed);
  }
}

struct Wanted {
  bool below, words;
};

/// A block and another array, in whose gaps and edges nothing is to be written.
template <class T>
struct Copied {
  static constexpr T untouched = -9;
  std::int64_t count, margin, stride;
  RowCopy copy;
  std::vector<T> numbers;  ///< the block's, before they are copied to it
  std::vector<T> other, block;
  NumberBlock<T> shape;

  Copied(const Block<T>& b, RowCopy how, std::int64_t gap)
      : count(b.block.rows * b.block.stride),
        margin(gap),
        stride(b.block.columns + gap),
        copy(how),
        numbers(b.numbers) {
    other.assign(static_cast<std::size_t>(b.block.rows * stride + margin), untouched);
    block = numbers;
    shape = b.block;
    if (copy != RowCopy::from) return;
    for_all([](T& outside, T& inside) { outside = std::exchange(inside, untouched); });
  }
  NumberBlock<T> taken() const { return {block.data(), shape.rows, shape.stride, shape.columns}; }
  OtherRows<T> rows(std::int64_t ahead) {
    return {other.data() + margin, stride, copy, ahead * shape.columns * static_cast<std::int64_t>(sizeof(T))};
  }
  template <class Visit>
  void for_all(const Visit& visit) {
    for (std::int64_t r = 0; r < shape.rows; ++r)
      for (std::int64_t c = 0; c < shape.columns; ++c)
        visit(other[static_cast<std::size_t>(margin + r * stride + c)],
              block[static_cast<std::size_t>(r * shape.stride + c)]);
  }
  /// The block is as it was, the other array holds it where it is to, and nothing elsewhere.
  void expect_copied() {
    if (copy == RowCopy::past_cache) end_of_stream();
    EXPECT_EQ(block, numbers);
    for_all([this](T& outside, const T& inside) {
      if (copy != RowCopy::none) {
        EXPECT_EQ(outside, inside);
      }
      outside = untouched;
    });
    for (const T number : other) EXPECT_EQ(number, untouched);
  }
};

template <class T>
void check_lines(const Block<T>& b, bool by_column, const Wanted& wanted, Copied<T> copied, std::int64_t ahead = 1) {
  const auto lines = by_column ? b.block.columns : b.block.rows, points = by_column ? b.block.rows : b.block.columns;
  std::vector<T> sum(static_cast<std::size_t>(lines) + 64 / sizeof(T)), below = sum;
  const BlockSums<T> sums{(by_column ? b.of_rows : b.of_columns).data(), sum.data(),
                          wanted.below ? below.data() : nullptr};
  const std::uint32_t words = by_column ? add_columns(copied.taken(), sums, wanted.words, copied.rows(ahead))
                                        : add_rows(copied.taken(), sums, wanted.words, copied.rows(ahead));
  copied.expect_copied();
  EXPECT_EQ(words, wanted.words ? b.words() : 0);
  for (std::int64_t l = 0; l < lines; ++l) {
    Sums right;
    for (std::int64_t p = 0; p < points; ++p)
      right.add(by_column ? b.at(p, l) : b.at(l, p), by_column ? b.row_weight(p, l) : b.column_weight(p));
    const auto i = static_cast<std::size_t>(l);
    expect_near(right, sum[i], wanted.below ? &below[i] : nullptr, points);
  }
  for (auto i = static_cast<std::size_t>(lines); by_column && i < sum.size(); ++i) EXPECT_EQ(sum[i] + below[i], 0);
}

template <class T>
void check_plane(const Block<T>& b, const Wanted& wanted, Copied<T> copied, std::int64_t ahead = 1) {
  const PlaneSum<T> sum = add_plane(copied.taken(), PlaneWeights<T>{b.of_columns.data(), b.of_rows.data()},
                                    wanted.words, copied.rows(ahead));
  copied.expect_copied();
  EXPECT_EQ(sum.words, wanted.words ? b.words() : 0);
  Sums right;
  for (std::int64_t r = 0; r < b.block.rows; ++r)
    for (std::int64_t c = 0; c < b.block.columns; ++c) right.add(b.at(r, c), b.row_weight(r, c) * b.column_weight(c));
  expect_near(right, sum.sum, &sum.below, b.block.rows * b.block.columns + 1);
}

template <class T>
void check() {
  std::mt19937 random(3);
  for (const int most : {16, 32, 64}) {
    VectorLimit limit{most};
    const Installed<VectorLimit> installed(limit);
    for (const std::int64_t rows : {1, 2, 4, 7, 64})
      for (std::int64_t columns = 1; columns < 300; columns += columns < 34 ? 1 : columns < 72 ? 9 : 77)
        for (const Wanted& wanted : {Wanted{true, true}, {true, false}, {false, true}}) {
          SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(columns) + ", vectors of " +
                       std::to_string(most) + " bytes");
          const Block<T> block(rows, columns, columns % 3, random);
          const Copied<T> none(block, RowCopy::none, 0);
          check_lines(block, false, wanted, none);
          check_lines(block, true, wanted, none);
          check_plane(block, wanted, none);
        }
  }
}

/// All strides and ends of rows, and more rows than are asked for at once.
template <class T>
void check_copies() {
  std::mt19937 random(4);
  for (const int most : {16, 32, 64}) {
    VectorLimit limit{most};
    const Installed<VectorLimit> installed(limit);
    for (const std::int64_t rows : {1, 3, 8, 21, 64})
      for (std::int64_t columns = 1; columns < 160; columns += columns < 34 ? 1 : 31)
        for (const RowCopy copy : {RowCopy::from, RowCopy::to, RowCopy::past_cache}) {
          SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(columns) + ", vectors of " +
                       std::to_string(most) + " bytes, copy " + std::to_string(static_cast<int>(copy)));
          const Block<T> block(rows, columns, columns % 3, random);
          const Wanted wanted{true, true};
          const Copied<T> copied(block, copy, columns % 5);
          for (const std::int64_t ahead : {1, 5, 17}) {
            check_lines(block, false, wanted, copied, ahead);
            check_lines(block, true, wanted, copied, ahead);
            check_plane(block, wanted, copied, ahead);
          }
        }
  }
}

TEST(BlockSums, AreTheSameWhileRowsAreCopied) {
  check_copies<double>();
  check_copies<float>();
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
