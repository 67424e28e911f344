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

/// Sums of numbers times the weights of two lists, and of their squares where `squares` is not null. They are written,
/// whatever was there.
template <class T>
struct BlockSums {
  const T *to_real, *to_imag;
  T *real, *imag, *squares;
};

/// Each row by itself: weights and sums are one a column, and one a row. Behind the weights lie 64 bytes more. Returns
/// the word_sum() of the numbers.
std::uint32_t add_rows(const NumberBlock<double>& block, const BlockSums<double>& sums);
std::uint32_t add_rows(const NumberBlock<float>& block, const BlockSums<float>& sums);
/// All rows together, each times a weight of its own: weights are one a column and one a row. Squares are
/// added up where `squares` says so.
template <class T>
struct PlaneWeights {
  const T *to_real, *to_imag;
  const T *row_real, *row_imag;
  bool squares;
};
template <class T>
struct PlaneSum {
  T real, imag, squares;
  std::uint32_t words;
};
PlaneSum<double> add_plane(const NumberBlock<double>& block, const PlaneWeights<double>& weights);
PlaneSum<float> add_plane(const NumberBlock<float>& block, const PlaneWeights<float>& weights);
/// Each column by itself: weights and sums are one a row, and one a column.
std::uint32_t add_columns(const NumberBlock<double>& block, const BlockSums<double>& sums);
std::uint32_t add_columns(const NumberBlock<float>& block, const BlockSums<float>& sums);

/// The sum of all words of 32 bits, modulo 2^32: no flip of one bit leaves it as it was. `bytes` is a multiple of 4.
std::uint32_t word_sum(const std::byte* data, std::size_t bytes);

}  // namespace shardfft
