#pragma once
// The innermost sums of blocks with at least one vector of columns, for vectors of any width; compiled once for each
// family of instructions. Everything is inlined and uses the instructions of the calling function.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "pack/block_sums.hpp"
#include "pack/past_cache.hpp"
#include "pack/sum_vectors.hpp"

namespace shardfft::kernel {

/// The kinds of sums of a loop, and whether it copies the numbers while they are in registers.
template <class FamilyOf, class Number, bool with_words, bool with_copy>
struct Kept {
  using Family = FamilyOf;
  using T = Number;
  static constexpr int bytes = FamilyOf::template bytes<Number>;
  static constexpr std::int64_t width = lanes<Number, bytes>;
  static constexpr bool words = with_words, copies = with_copy;
  using V = Vector<Number, bytes>;
  using Words = Vector<Word, bytes>;

  /// Loads the vector at `x`, copies all of it, and clears the lanes outside `mask`.
  SHARDFFT_INLINE static void take(V& v, const T* x, [[maybe_unused]] T* to, const Words* mask) {
    load_vector<T, bytes>(v, x);
    Family::keep(v);
    if constexpr (copies) store_vector<T, bytes>(v, to);
    if (mask != nullptr) v = reinterpret_cast<V>(reinterpret_cast<Words>(v) & *mask);
  }
  SHARDFFT_INLINE static void add_words(Words& words_of, const V& v) {
    if constexpr (words) words_of += reinterpret_cast<Words>(v);
  }
  /// The mask of the last columns of a row, which are fewer than a vector.
  SHARDFFT_INLINE static void mask_of(Words& mask, std::int64_t columns) {
    mask_last<bytes>(mask, columns % width * static_cast<std::int64_t>(sizeof(T) / sizeof(Word)));
  }
};

/// Rows to read and, if numbers are copied, to write at the same time.
template <class T>
struct TakenRows {
  const T* at;
  std::int64_t stride;
  T* to;
  std::int64_t to_stride;
  std::int64_t columns;

  /// These rows from row `r` on, or from column `c` on.
  SHARDFFT_INLINE TakenRows row(std::int64_t r) const {
    return {at + r * stride, stride, to + r * to_stride, to_stride, columns};
  }
  SHARDFFT_INLINE TakenRows column(std::int64_t c) const { return {at + c, stride, to + c, to_stride, columns}; }
};

template <class T>
SHARDFFT_INLINE TakenRows<T> taken_rows(const NumberBlock<T>& block, const OtherRows<T>& other) {
  T* const own = const_cast<T*>(block.at);
  if (other.copy == RowCopy::from) return {other.at, other.stride, own, block.stride, block.columns};
  const bool copied = other.copy == RowCopy::to;
  return {own, block.stride, copied ? other.at : own, copied ? other.stride : block.stride, block.columns};
}

/// Prefetches rows before their turn, because memory would idle during the sums between copies.
template <class T>
[[gnu::noinline]] void prefetch_rows(const NumberBlock<T>& block, const OtherRows<T>& other, std::int64_t first,
                                     std::int64_t rows) {
  const std::int64_t next = first + other.rows_ahead(block.columns);
  for (std::int64_t r = next; r < std::min(next + rows, block.rows); ++r)
    for (std::int64_t c = 0; c < block.columns; c += 64 / static_cast<std::int64_t>(sizeof(T)))
      __builtin_prefetch(other.at + r * other.stride + c);
}
template <class T>
SHARDFFT_INLINE void ask_ahead(const NumberBlock<T>& block, const OtherRows<T>& other, std::int64_t first,
                               std::int64_t rows) {
  if (other.copy == RowCopy::from) prefetch_rows(block, other, first, rows);
}

/// Writes rows past the cache in whole lines, after they were added up. Rows that follow each other on both sides are
/// one run.
template <class T>
[[gnu::noinline]] void write_rows_past_cache(RowsPastCache& writer, const NumberBlock<T>& block,
                                             const OtherRows<T>& other, std::int64_t first, std::int64_t rows) {
  const auto* const source = reinterpret_cast<const std::byte*>(block.at + first * block.stride);
  auto* const destination = reinterpret_cast<std::byte*>(other.at + first * other.stride);
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
  const bool goes_on = other.stride == block.columns;
  if (goes_on && block.stride == block.columns) return writer.write(source, destination, rows * block.columns * bytes);
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::byte* const row = source + r * block.stride * bytes;
    std::byte* const to = destination + r * other.stride * bytes;
    if (goes_on)
      writer.write(row, to, block.columns * bytes);
    else
      write_past_cache(row, to, block.columns * bytes);
  }
}
template <class T>
SHARDFFT_INLINE void copy_past_cache(RowsPastCache& writer, const NumberBlock<T>& block, const OtherRows<T>& other,
                                     std::int64_t first, std::int64_t rows) {
  if (other.copy == RowCopy::past_cache) write_rows_past_cache(writer, block, other, first, rows);
}

/// Rows that are added up together: their sums do not wait for each other.
inline constexpr int rows_at_once = 4;

/// Calls action(count, first row) for all rows; `count` rows are added up together.
template <class T, class Action>
SHARDFFT_INLINE void for_rows(const NumberBlock<T>& block, const OtherRows<T>& other, const Action& action) {
  RowsPastCache writer;
  for (std::int64_t r = 0; r < block.rows;) {
    const bool whole = r + rows_at_once <= block.rows;
    const std::int64_t rows = whole ? rows_at_once : 1;
    ask_ahead(block, other, r, rows);
    if (whole)
      action(std::integral_constant<int, rows_at_once>{}, r);
    else
      action(std::integral_constant<int, 1>{}, r);
    copy_past_cache(writer, block, other, r, rows);
    r += rows;
  }
  writer.finish();
}

/// Vectors of a row whose sum makes a part of `below`.
inline constexpr std::int64_t vectors_of_a_part = 16;
/// The square of a sum of at most `vectors_of_a_part` numbers, times this factor, is at most the sum of their squares.
template <class K>
SHARDFFT_INLINE typename K::T part_of_row(std::int64_t columns) {
  return typename K::T(1) / static_cast<typename K::T>(std::min((columns - 1) / K::width + 1, vectors_of_a_part));
}

/// Sums `group` rows together: each vector of weights is loaded once for all. Rows have at least one vector. Columns
/// that do not fill one are the last lanes of a vector that overlaps.
template <class K, int group>
struct RowGroup {
  using T = typename K::T;
  using V = typename K::V;
  V sum[group] = {}, squares[group] = {};

  SHARDFFT_INLINE void add(const TakenRows<T>& rows, const T* weights, typename K::Words& words) {
    typename K::Words mask;
    K::mask_of(mask, rows.columns);
    for (std::int64_t c = 0; c < rows.columns;) {
      V part[group] = {};
      const std::int64_t end = std::min(c + vectors_of_a_part * K::width, rows.columns);
      for (; c + K::width <= end; c += K::width) add_vectors(part, rows.column(c), weights + c, nullptr, words);
      if (c < end) add_vectors(part, rows.column(end - K::width), weights + end - K::width, &mask, words);
      c = end;
      take(part);
    }
  }

 private:
  SHARDFFT_INLINE static void add_vectors(V* part, const TakenRows<T>& rows, const T* weights,
                                          const typename K::Words* mask, typename K::Words& words) {
    V weight, v;
    load_vector<T, K::bytes>(weight, weights);
    K::Family::keep(weight);
    for (int r = 0; r < group; ++r) {
      K::take(v, rows.at + r * rows.stride, rows.to + r * rows.to_stride, mask);
      part[r] += v * weight;
      K::add_words(words, v);
    }
  }
  SHARDFFT_INLINE void take(const V* part) {
    for (int r = 0; r < group; ++r) {
      sum[r] += part[r];
      squares[r] += part[r] * part[r];
    }
  }
};

template <class K, class T>
SHARDFFT_INLINE Word rows_by(const NumberBlock<T>& block, const BlockSums<T>& sums, const OtherRows<T>& other) {
  typename K::Words words{};
  const TakenRows<T> all = taken_rows(block, other);
  for_rows(block, other, [&](auto group, std::int64_t first) SHARDFFT_ALWAYS {
    RowGroup<K, group> rows;
    rows.add(all.row(first), sums.weights, words);
    for (int r = 0; r < group; ++r) sums.sum[first + r] = sum_of<T, K::bytes>(rows.sum[r]);
    for (int r = 0; r < group && sums.below != nullptr; ++r)
      sums.below[first + r] = sum_of<T, K::bytes>(rows.squares[r]) * part_of_row<K>(block.columns);
  });
  return sum_of<Word, K::bytes>(words);
}

template <class K, class T>
SHARDFFT_INLINE void plane_by(PlaneSum<T>& sum, const NumberBlock<T>& block, const PlaneWeights<T>& weights,
                              const OtherRows<T>& other) {
  typename K::V of_all{}, squares{};
  typename K::Words words{};
  const TakenRows<T> all = taken_rows(block, other);
  for_rows(block, other, [&](auto group, std::int64_t first) SHARDFFT_ALWAYS {
    RowGroup<K, group> rows;
    rows.add(all.row(first), weights.columns, words);
    for (int r = 0; r < group; ++r) {
      typename K::V weight;
      fill_with_pair<T, K::bytes>(weight, weights.rows + 2 * (first + r));
      of_all += rows.sum[r] * weight;
      squares += rows.squares[r];
    }
  });
  sum = {sum_of<T, K::bytes>(of_all), sum_of<T, K::bytes>(squares) * part_of_row<K>(block.columns),
         sum_of<Word, K::bytes>(words)};
}

/// Rows whose sum makes a part of `below` of their columns.
inline constexpr int rows_of_a_part = 8;

/// Sums `tile` vectors of all rows, which stay in registers.
template <class K, int tile>
struct ColumnTile {
  using T = typename K::T;
  using V = typename K::V;
  V sum[tile] = {}, squares[tile] = {};
  typename K::Words words[tile] = {};

  /// Adds `count` rows, from the first column of the tile on.
  SHARDFFT_INLINE void add(TakenRows<T> rows, std::int64_t count, const T* weights, const typename K::Words* mask) {
    for (; count >= rows_of_a_part; count -= rows_of_a_part) {
      V part[tile] = {};
      for (int i = 0; i < rows_of_a_part; ++i, rows = rows.row(1), weights += 2) add_row(part, rows, weights, mask);
      take(part, T(1) / T(rows_of_a_part));
    }
    if (count == 0) return;
    V part[tile] = {};
    const T portion = T(1) / static_cast<T>(count);
    for (; count > 0; --count, rows = rows.row(1), weights += 2) add_row(part, rows, weights, mask);
    take(part, portion);
  }
  SHARDFFT_INLINE void store(const BlockSums<T>& sums, std::int64_t column, typename K::Words& words_of_all) const {
    for (int i = 0; i < tile; ++i) {
      add_to(sums.sum + column + i * K::width, sum[i]);
      if (sums.below != nullptr) add_to(sums.below + column + i * K::width, squares[i]);
      if constexpr (K::words) words_of_all += words[i];
    }
  }

 private:
  SHARDFFT_INLINE void add_row(V* part, const TakenRows<T>& row, const T* weights, const typename K::Words* mask) {
    V weight, v;
    fill_with_pair<T, K::bytes>(weight, weights);
    K::Family::keep(weight);
    for (int i = 0; i < tile; ++i) {
      K::take(v, row.at + i * K::width, row.to + i * K::width, mask);
      part[i] += v * weight;
      K::add_words(words[i], v);
    }
  }
  SHARDFFT_INLINE void take(const V* part, T portion) {
    for (int i = 0; i < tile; ++i) {
      sum[i] += part[i];
      squares[i] += part[i] * part[i] * portion;
    }
  }
  SHARDFFT_INLINE static void add_to(T* at, const V& part) {
    V all;
    load_vector<T, K::bytes>(all, at);
    all += part;
    store_vector<T, K::bytes>(all, at);
  }
};

template <class K, int tile, class T>
SHARDFFT_INLINE void column_tile(const TakenRows<T>& rows, std::int64_t count, const BlockSums<T>& sums,
                                 std::int64_t column, typename K::Words& words) {
  ColumnTile<K, tile> columns;
  columns.add(rows.column(column), count, sums.weights, nullptr);
  columns.store(sums, column, words);
}

/// Columns that do not fill a vector are the last lanes of a vector that overlaps. Its sums are stored behind all
/// others and added to their columns at the end.
template <class K, class T>
SHARDFFT_INLINE void last_columns(const TakenRows<T>& rows, std::int64_t count, const BlockSums<T>& sums,
                                  typename K::Words& words) {
  typename K::Words mask;
  K::mask_of(mask, rows.columns);
  ColumnTile<K, 1> columns;
  columns.add(rows.column(rows.columns - K::width), count, sums.weights, &mask);
  columns.store(sums, rows.columns, words);
}

template <class K, class T>
SHARDFFT_INLINE void some_rows(const TakenRows<T>& rows, std::int64_t count, const BlockSums<T>& sums,
                               typename K::Words& words) {
  std::int64_t c = 0;
  for (; c + 4 * K::width <= rows.columns; c += 4 * K::width) column_tile<K, 4>(rows, count, sums, c, words);
  for (; c + K::width <= rows.columns; c += K::width) column_tile<K, 1>(rows, count, sums, c, words);
  if (c < rows.columns) last_columns<K>(rows, count, sums, words);
}

template <class K, class T>
SHARDFFT_INLINE Word columns_by(const NumberBlock<T>& block, const BlockSums<T>& sums, const OtherRows<T>& other) {
  typename K::Words words{};
  const TakenRows<T> all = taken_rows(block, other);
  // Whole parts, to have few small ones.
  const std::int64_t parts = std::max<std::int64_t>(other.rows_ahead(block.columns) / rows_of_a_part, 1);
  const std::int64_t at_once = other.copy == RowCopy::none ? block.rows : parts * rows_of_a_part;
  RowsPastCache writer;
  for (std::int64_t r = 0; r < block.rows; r += at_once) {
    const std::int64_t rows = std::min(at_once, block.rows - r);
    ask_ahead(block, other, r, rows);
    some_rows<K>(all.row(r), rows, BlockSums<T>{sums.weights + 2 * r, sums.sum, sums.below}, words);
    copy_past_cache(writer, block, other, r, rows);
  }
  writer.finish();
  for (T* const list : {sums.sum, sums.below})
    for (std::int64_t c = block.columns / K::width * K::width; list != nullptr && c < block.columns; ++c) {
      list[c] += list[c + K::width];
      list[c + K::width] = 0;
    }
  return sum_of<Word, K::bytes>(words);
}

/// Calls `action` with the type for the kinds of sums.
template <class Family, class T, class Action>
SHARDFFT_INLINE void with_kept(bool words, RowCopy copy, const Action& action) {
  const bool copies = copy == RowCopy::from || copy == RowCopy::to;
  if (words && copies)
    action(Kept<Family, T, true, true>{});
  else if (words)
    action(Kept<Family, T, true, false>{});
  else if (copies)
    action(Kept<Family, T, false, true>{});
  else
    action(Kept<Family, T, false, false>{});
}

template <class Family, class T>
SHARDFFT_INLINE Word rows(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,
                          const OtherRows<T>& other) {
  Word total = 0;
  with_kept<Family, T>(words, other.copy,
                       [&](auto kept) SHARDFFT_ALWAYS { total = rows_by<decltype(kept)>(block, sums, other); });
  return words ? total : 0;
}
template <class Family, class T>
SHARDFFT_INLINE void plane(PlaneSum<T>& sum, const NumberBlock<T>& block, const PlaneWeights<T>& weights, bool words,
                           const OtherRows<T>& other) {
  with_kept<Family, T>(words, other.copy,
                       [&](auto kept) SHARDFFT_ALWAYS { plane_by<decltype(kept)>(sum, block, weights, other); });
}
template <class Family, class T>
SHARDFFT_INLINE Word columns(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,
                             const OtherRows<T>& other) {
  Word total = 0;
  with_kept<Family, T>(words, other.copy,
                       [&](auto kept) SHARDFFT_ALWAYS { total = columns_by<decltype(kept)>(block, sums, other); });
  return words ? total : 0;
}

}  // namespace shardfft::kernel
