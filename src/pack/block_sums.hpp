#pragma once
// Weighted sums over blocks of numbers in cache, by the vector instructions of this processor: the sums of the option
// verify. For float and double.
#include <cstddef>
#include <cstdint>

namespace shardfft {

/// Rows of `columns` neighbouring real numbers; `stride` is the distance from one row to the next, in numbers. A
/// complex number is two real ones.
template <class T>
struct NumberBlock {
  const T* at = nullptr;
  std::int64_t rows = 0;
  std::int64_t stride = 0;
  std::int64_t columns = 0;
};
/// Another array that a block is copied from or to. Numbers are loaded once, copied and added up; before a copy past
/// the cache, a few rows are added up first. The sums run while the copy waits for memory. A copy past the cache is
/// visible after end_of_stream().
enum class RowCopy { none, from, to, past_cache };
template <class T>
struct OtherRows {
  T* at = nullptr;
  std::int64_t stride = 0;
  RowCopy copy = RowCopy::none;
  std::int64_t bytes_ahead = 0;  ///< prefetched before they are copied, at least the next row

  std::int64_t rows_ahead(std::int64_t columns) const {
    const std::int64_t rows = bytes_ahead / (columns * static_cast<std::int64_t>(sizeof(T)));
    return rows > 1 ? rows : 1;
  }
};
/// Larger blocks would lose as much as a transform does, because sums have the precision of the numbers.
inline constexpr std::int64_t most_rows = 256, most_columns = 1024;

/// Sums of numbers times weights. `below` is a lower bound of the sum of the squares of the numbers, made from sums of
/// some of them; it holds if no weight exceeds 1. It may be null.
template <class T>
struct BlockSums {
  const T* weights;
  T *sum, *below;
};

/// Sums each row by itself, with one weight a column, and overwrites one sum a row. Returns the word_sum() of the
/// numbers, or 0 if `words` is false.
template <class T>
std::uint32_t add_rows(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,
                       const OtherRows<T>& other = {});

/// Sums all rows together. A weight is the product of that of the column and that of the row. Each row has two, for
/// even and for odd columns, equal if the number of columns is odd. `below` ignores the weights of rows.
template <class T>
struct PlaneWeights {
  const T *columns, *rows;
};
template <class T>
struct PlaneSum {
  T sum = 0, below = 0;
  std::uint32_t words = 0;
};
template <class T>
PlaneSum<T> add_plane(const NumberBlock<T>& block, const PlaneWeights<T>& weights, bool words,
                      const OtherRows<T>& other = {});

/// Adds up each column by itself, with two weights a row as above, and adds the results to one sum a column. Behind the
/// sums lie 64 bytes of zeros: scratch memory that is zero again afterwards.
template <class T>
std::uint32_t add_columns(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,
                          const OtherRows<T>& other = {});

/// The sum of all words of 32 bits, modulo 2^32: the flip of any one bit changes it. `bytes` is a multiple of 4.
std::uint32_t word_sum(const std::byte* data, std::size_t bytes);

}  // namespace shardfft
