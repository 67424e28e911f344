#pragma once
// Weighted sums over blocks of numbers in cache, by the vector instructions that this processor has: what the option
// verify adds up. For float and double.
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
/// Another array that a block is copied from or to: numbers are loaded once to be copied and added up, but those that
/// go past the cache are added up before, a few rows at a time. What memory makes a copy wait for hides the sums. Past
/// the cache, all is there after end_of_stream().
enum class RowCopy { none, from, to, past_cache };
template <class T>
struct OtherRows {
  T* at = nullptr;
  std::int64_t stride = 0;
  RowCopy copy = RowCopy::none;
  std::int64_t bytes_ahead = 0;  ///< so much is asked for before it is copied, or the next row

  std::int64_t rows_ahead(std::int64_t columns) const {
    const std::int64_t rows = bytes_ahead / (columns * static_cast<std::int64_t>(sizeof(T)));
    return rows > 1 ? rows : 1;
  }
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
template <class T>
std::uint32_t add_rows(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,
                       const OtherRows<T>& other = {});

/// All rows together: weights are one a column times those of rows, two a row, for even and for odd columns; odd
/// numbers of columns have equal ones. The latter do not count for `below`.
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

/// Each column by itself: weights are two a row, as above. Sums are one a column, added to what is there, and behind
/// them lie 64 bytes of zeros more, which are used and are zeros again.
template <class T>
std::uint32_t add_columns(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,
                          const OtherRows<T>& other = {});

/// The sum of all words of 32 bits, modulo 2^32: no flip of one bit leaves it as it was. `bytes` is a multiple of 4.
std::uint32_t word_sum(const std::byte* data, std::size_t bytes);

}  // namespace shardfft
