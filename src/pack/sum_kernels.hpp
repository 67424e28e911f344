#pragma once
// The innermost sums, for vectors of any width, of blocks that have a vector of columns at least: what is compiled once
// for each family of instructions. All of it is inlined, so that it takes the instructions of the function that calls
// it.
#include <algorithm>
#include <cstdint>

#include "pack/block_sums.hpp"
#include "pack/past_cache.hpp"
#include "pack/sum_vectors.hpp"

namespace shardfft::kernel {

/// What is kept of vectors of numbers.
template <class FamilyOf, class Number, bool with_words>
struct Kept {
  using Family = FamilyOf;
  using T = Number;
  static constexpr int bytes = FamilyOf::template bytes<Number>;
  static constexpr std::int64_t width = lanes<Number, bytes>;
  static constexpr bool words = with_words;
  using V = Vector<Number, bytes>;
  using Words = Vector<Word, bytes>;

  /// The vector at `x`, or what `mask` leaves of it.
  SHARDFFT_INLINE static void take(V& v, const T* x, const Words* mask) {
    load_vector<T, bytes>(v, x);
    Family::keep(v);
    if (mask != nullptr) v = reinterpret_cast<V>(reinterpret_cast<Words>(v) & *mask);
  }
  SHARDFFT_INLINE static void add_words(Words& words_of, const V& v) {
    if constexpr (words) words_of += reinterpret_cast<Words>(v);
  }
  /// For the last columns of a row, which are less than a vector.
  SHARDFFT_INLINE static void mask_of(Words& mask, std::int64_t columns) {
    mask_last<bytes>(mask, columns % width * static_cast<std::int64_t>(sizeof(T) / sizeof(Word)));
  }
};

/// Rows have a vector at least. Some are asked for before their turn: the sums between copies would leave memory with
/// nothing to do.
template <class K>
struct RowMover {
  using T = typename K::T;

  SHARDFFT_INLINE static void copy(const T* from, T* to, std::int64_t count) {
    typename K::V v;
    for (std::int64_t i = 0; i + K::width <= count; i += K::width) move(v, from + i, to + i);
    if (count % K::width != 0) move(v, from + count - K::width, to + count - K::width);
  }
  /// Copies what comes before the sums, or after them.
  SHARDFFT_INLINE static void before(const NumberBlock<T>& block, const OtherRows<T>& other, std::int64_t first,
                                     std::int64_t rows) {
    if (other.copy != RowCopy::from) return;
    const std::int64_t next = first + other.rows_ahead(block.columns);
    for (std::int64_t r = next; r < std::min(next + rows, block.rows); ++r)
      for (std::int64_t c = 0; c < block.columns; c += 64 / static_cast<std::int64_t>(sizeof(T)))
        __builtin_prefetch(other.at + r * other.stride + c);
    for (std::int64_t r = first; r < first + rows; ++r)
      copy(other.at + r * other.stride, const_cast<T*>(block.at) + r * block.stride, block.columns);
  }
  SHARDFFT_INLINE static void after(const NumberBlock<T>& block, const OtherRows<T>& other, std::int64_t first,
                                    std::int64_t rows) {
    if (other.copy != RowCopy::to && other.copy != RowCopy::past_cache) return;
    for (std::int64_t r = first; r < first + rows; ++r) {
      const T* const from = block.at + r * block.stride;
      T* const to = other.at + r * other.stride;
      if (other.copy == RowCopy::to)
        copy(from, to, block.columns);
      else
        write_past_cache(reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(to),
                         block.columns * static_cast<std::int64_t>(sizeof(T)));
    }
  }

 private:
  SHARDFFT_INLINE static void move(typename K::V& v, const T* from, T* to) {
    load_vector<T, K::bytes>(v, from);
    store_vector<T, K::bytes>(v, to);
  }
};

/// Vectors of a row whose sum makes a part of `below`.
inline constexpr std::int64_t vectors_of_a_part = 16;
/// The square of a sum of so many numbers at most is no more than so much of the sum of their squares.
template <class K>
SHARDFFT_INLINE typename K::T part_of_row(std::int64_t columns) {
  return typename K::T(1) / static_cast<typename K::T>(std::min((columns - 1) / K::width + 1, vectors_of_a_part));
}

/// `group` rows at once, which share what is loaded of the weights. Rows have a vector at least; what is left at their
/// end is the last part of one that overlaps.
template <class K, int group>
struct RowGroup {
  using T = typename K::T;
  using V = typename K::V;
  V sum[group] = {}, squares[group] = {};

  SHARDFFT_INLINE void add(const NumberBlock<T>& block, const T* weights, std::int64_t first,
                           typename K::Words& words) {
    const T* const x = block.at + first * block.stride;
    const std::int64_t whole = block.columns / K::width * K::width;
    for (std::int64_t c = 0; c < whole;) {
      V part[group] = {};
      for (const std::int64_t end = std::min(c + vectors_of_a_part * K::width, whole); c < end; c += K::width)
        add_vectors(part, x + c, block.stride, weights + c, nullptr, words);
      take(part);
    }
    if (whole == block.columns) return;
    typename K::Words mask;
    K::mask_of(mask, block.columns);
    const std::int64_t c = block.columns - K::width;
    V part[group] = {};
    add_vectors(part, x + c, block.stride, weights + c, &mask, words);
    take(part);
  }

 private:
  SHARDFFT_INLINE static void add_vectors(V* part, const T* x, std::int64_t stride, const T* weights,
                                          const typename K::Words* mask, typename K::Words& words) {
    V weight, v;
    load_vector<T, K::bytes>(weight, weights);
    for (int r = 0; r < group; ++r) {
      K::take(v, x + r * stride, mask);
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

template <class K, int group, class T>
SHARDFFT_INLINE void rows_alone(const NumberBlock<T>& block, const BlockSums<T>& sums, std::int64_t first,
                                typename K::Words& words) {
  RowGroup<K, group> rows;
  rows.add(block, sums.weights, first, words);
  for (int r = 0; r < group; ++r) sums.sum[first + r] = sum_of<T, K::bytes>(rows.sum[r]);
  for (int r = 0; r < group && sums.below != nullptr; ++r)
    sums.below[first + r] = sum_of<T, K::bytes>(rows.squares[r]) * part_of_row<K>(block.columns);
}

template <class K, class T>
SHARDFFT_INLINE Word rows_by(const NumberBlock<T>& block, const BlockSums<T>& sums, const OtherRows<T>& other) {
  typename K::Words words{};
  std::int64_t r = 0;
  for (; other.copy == RowCopy::none && r + 4 <= block.rows; r += 4) rows_alone<K, 4>(block, sums, r, words);
  for (; r < block.rows; ++r) {
    RowMover<K>::before(block, other, r, 1);
    rows_alone<K, 1>(block, sums, r, words);
    RowMover<K>::after(block, other, r, 1);
  }
  return sum_of<Word, K::bytes>(words);
}

/// Sums of rows times their weights, by lanes.
template <class K>
struct PlaneLanes {
  using T = typename K::T;
  typename K::V sum = {}, squares = {};
  typename K::Words words = {};

  template <int group>
  SHARDFFT_INLINE void add(const NumberBlock<T>& block, const PlaneWeights<T>& weights, std::int64_t first) {
    RowGroup<K, group> rows;
    rows.add(block, weights.columns, first, words);
    for (int r = 0; r < group; ++r) {
      typename K::V weight;
      fill_with_pair<T, K::bytes>(weight, weights.rows + 2 * (first + r));
      sum += rows.sum[r] * weight;
      squares += rows.squares[r];
    }
  }
};

template <class K, class T>
SHARDFFT_INLINE void plane_by(PlaneSum<T>& sum, const NumberBlock<T>& block, const PlaneWeights<T>& weights,
                              const OtherRows<T>& other) {
  PlaneLanes<K> plane;
  const std::int64_t at_once = other.copy == RowCopy::none ? block.rows : 1;
  for (std::int64_t first = 0; first < block.rows; first += at_once) {
    const std::int64_t rows = std::min(at_once, block.rows - first);
    RowMover<K>::before(block, other, first, rows);
    std::int64_t r = first;
    for (; r + 4 <= first + rows; r += 4) plane.template add<4>(block, weights, r);
    for (; r < first + rows; ++r) plane.template add<1>(block, weights, r);
    RowMover<K>::after(block, other, first, rows);
  }
  sum = {sum_of<T, K::bytes>(plane.sum), sum_of<T, K::bytes>(plane.squares) * part_of_row<K>(block.columns),
         sum_of<Word, K::bytes>(plane.words)};
}

/// Rows whose sum makes a part of `below` of their columns.
inline constexpr int rows_of_a_part = 8;

/// `tile` vectors of all rows: what is added to their columns stays in registers.
template <class K, int tile>
struct ColumnTile {
  using T = typename K::T;
  using V = typename K::V;
  V sum[tile] = {}, squares[tile] = {};
  typename K::Words words[tile] = {};

  SHARDFFT_INLINE void add(const NumberBlock<T>& block, const T* weights, std::int64_t column,
                           const typename K::Words* mask) {
    const T* x = block.at + column;
    std::int64_t r = 0;
    for (; r + rows_of_a_part <= block.rows; r += rows_of_a_part) {
      V part[tile] = {};
      for (int i = 0; i < rows_of_a_part; ++i, x += block.stride, weights += 2) add_row(part, x, weights, mask);
      take(part, T(1) / T(rows_of_a_part));
    }
    if (r == block.rows) return;
    V part[tile] = {};
    const T portion = T(1) / static_cast<T>(block.rows - r);
    for (; r < block.rows; ++r, x += block.stride, weights += 2) add_row(part, x, weights, mask);
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
  SHARDFFT_INLINE void add_row(V* part, const T* x, const T* weights, const typename K::Words* mask) {
    V weight, v;
    fill_with_pair<T, K::bytes>(weight, weights);
    K::Family::keep(weight);
    for (int i = 0; i < tile; ++i) {
      K::take(v, x + i * K::width, mask);
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
SHARDFFT_INLINE void column_tile(const NumberBlock<T>& block, const BlockSums<T>& sums, std::int64_t column,
                                 typename K::Words& words) {
  ColumnTile<K, tile> columns;
  columns.add(block, sums.weights, column, nullptr);
  columns.store(sums, column, words);
}

/// What is left of the columns are the last ones of a vector that overlaps. Its sums come behind all others, and then
/// to theirs.
template <class K, class T>
SHARDFFT_INLINE void last_columns(const NumberBlock<T>& block, const BlockSums<T>& sums, typename K::Words& words) {
  typename K::Words mask;
  K::mask_of(mask, block.columns);
  ColumnTile<K, 1> columns;
  columns.add(block, sums.weights, block.columns - K::width, &mask);
  columns.store(sums, block.columns, words);
}

template <class K, class T>
SHARDFFT_INLINE void some_rows(const NumberBlock<T>& block, const BlockSums<T>& sums, typename K::Words& words) {
  std::int64_t c = 0;
  for (; c + 4 * K::width <= block.columns; c += 4 * K::width) column_tile<K, 4>(block, sums, c, words);
  for (; c + K::width <= block.columns; c += K::width) column_tile<K, 1>(block, sums, c, words);
  if (c < block.columns) last_columns<K>(block, sums, words);
}

template <class K, class T>
SHARDFFT_INLINE Word columns_by(const NumberBlock<T>& block, const BlockSums<T>& sums, const OtherRows<T>& other) {
  typename K::Words words{};
  // Whole parts, so that few are small.
  const std::int64_t parts = std::max<std::int64_t>(other.rows_ahead(block.columns) / rows_of_a_part, 1);
  const std::int64_t at_once = other.copy == RowCopy::none ? block.rows : parts * rows_of_a_part;
  for (std::int64_t r = 0; r < block.rows; r += at_once) {
    const std::int64_t rows = std::min(at_once, block.rows - r);
    RowMover<K>::before(block, other, r, rows);
    some_rows<K>(NumberBlock<T>{block.at + r * block.stride, rows, block.stride, block.columns},
                 BlockSums<T>{sums.weights + 2 * r, sums.sum, sums.below}, words);
    RowMover<K>::after(block, other, r, rows);
  }
  for (T* const list : {sums.sum, sums.below})
    for (std::int64_t c = block.columns / K::width * K::width; list != nullptr && c < block.columns; ++c) {
      list[c] += list[c + K::width];
      list[c + K::width] = 0;
    }
  return sum_of<Word, K::bytes>(words);
}

/// Calls `action` with what is to be kept, as a type.
template <class Family, class T, class Action>
SHARDFFT_INLINE void with_kept(bool words, const Action& action) {
  if (words)
    action(Kept<Family, T, true>{});
  else
    action(Kept<Family, T, false>{});
}

template <class Family, class T>
SHARDFFT_INLINE Word rows(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,
                          const OtherRows<T>& other) {
  Word total = 0;
  with_kept<Family, T>(words, [&](auto kept) SHARDFFT_ALWAYS { total = rows_by<decltype(kept)>(block, sums, other); });
  return words ? total : 0;
}
template <class Family, class T>
SHARDFFT_INLINE void plane(PlaneSum<T>& sum, const NumberBlock<T>& block, const PlaneWeights<T>& weights, bool words,
                           const OtherRows<T>& other) {
  with_kept<Family, T>(words, [&](auto kept) SHARDFFT_ALWAYS { plane_by<decltype(kept)>(sum, block, weights, other); });
}
template <class Family, class T>
SHARDFFT_INLINE Word columns(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,
                             const OtherRows<T>& other) {
  Word total = 0;
  with_kept<Family, T>(words,
                       [&](auto kept) SHARDFFT_ALWAYS { total = columns_by<decltype(kept)>(block, sums, other); });
  return words ? total : 0;
}

}  // namespace shardfft::kernel
