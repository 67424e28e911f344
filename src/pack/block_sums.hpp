#pragma once
// Weighted sums over blocks of numbers in cache, by the vector instructions that this processor has: what the option
// verify adds up.
#include <cstddef>
#include <cstdint>

namespace shardfft {

/// Rows of `columns` neighbouring real numbers each, `stride` of them from one row to the next; complex numbers are
/// pairs of them.
template <class T>
struct NumberBlock {
  const T* at = nullptr;
  std::int64_t rows = 0;
  std::int64_t stride = 0;
  std::int64_t columns = 0;
};
/// Sums stay in the precision of the numbers: those of larger blocks would lose as much as a transform does.
inline constexpr std::int64_t most_rows = 256, most_columns = 1024;

/// Sums of numbers times weights. `below` is less than the sum of the squares of the numbers, if no weight is more than
/// 1: what the sums of some of them say of it. It may be null.
template <class T>
struct BlockSums {
  const T* weights;
  T *sum, *below;
};

/// Each row by itself: weights are one a column, sums one a row. These are written, whatever was there. Returns the
/// word_sum() of the numbers, or 0 where `words` does not ask for it.
std::uint32_t add_rows(const NumberBlock<double>& block, const BlockSums<double>& sums, bool words);
std::uint32_t add_rows(const NumberBlock<float>& block, const BlockSums<float>& sums, bool words);

/// All rows together: weights are one a column times those of rows, two a row, for even and for odd columns; odd numbers
/// of columns have equal ones. The latter do not count for `below`.
template <class T>
struct PlaneWeights {
  const T *columns, *rows;
};
template <class T>
struct PlaneSum {
  T sum = 0, below = 0;
  std::uint32_t words = 0;
};
PlaneSum<double> add_plane(const NumberBlock<double>& block, const PlaneWeights<double>& weights, bool words);
PlaneSum<float> add_plane(const NumberBlock<float>& block, const PlaneWeights<float>& weights, bool words);

/// Each column by itself: weights are two a row, as above. Sums are one a column, added to what is there, and behind them
/// lie 64 bytes of zeros more, which are used and are zeros again.
std::uint32_t add_columns(const NumberBlock<double>& block, const BlockSums<double>& sums, bool words);
std::uint32_t add_columns(const NumberBlock<float>& block, const BlockSums<float>& sums, bool words);

/// The sum of all words of 32 bits, modulo 2^32: no flip of one bit leaves it as it was. `bytes` is a multiple of 4.
std::uint32_t word_sum(const std::byte* data, std::size_t bytes);

}  // namespace shardfft
