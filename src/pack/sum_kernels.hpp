#pragma once
// The innermost sums, for vectors of any width, of blocks that have a vector of columns at least: what is compiled once
// for each family of instructions. All of it is inlined, so that it takes the instructions of the function that calls
// it.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "pack/block_sums.hpp"

#define SHARDFFT_ALWAYS __attribute__((always_inline))
#define SHARDFFT_INLINE inline SHARDFFT_ALWAYS

namespace shardfft::kernel {

using Word = std::uint32_t;

/// Vector extensions of GCC and Clang; in memory they need no alignment.
template <class T, int bytes>
struct VectorOf {
  using Type __attribute__((vector_size(bytes))) = T;
  using InMemory __attribute__((vector_size(bytes), aligned(1), may_alias)) = T;
};
template <class T, int bytes>
using Vector = typename VectorOf<T, bytes>::Type;
template <class T, int bytes>
inline constexpr std::int64_t lanes = bytes / static_cast<int>(sizeof(T));

/// Vectors are never passed or returned by value: functions differ in how they would be.
template <class T, int bytes>
SHARDFFT_INLINE void load_vector(Vector<T, bytes>& vector, const T* at) {
  vector = *reinterpret_cast<const typename VectorOf<T, bytes>::InMemory*>(at);
}
template <class T, int bytes>
SHARDFFT_INLINE void store_vector(const Vector<T, bytes>& vector, T* at) {
  *reinterpret_cast<typename VectorOf<T, bytes>::InMemory*>(at) = vector;
}

/// Two numbers, again and again.
template <class T, int bytes>
SHARDFFT_INLINE void fill_with_pair(Vector<T, bytes>& vector, const T* pair) {
  if constexpr (bytes == sizeof(T)) {
    vector[0] = *pair;
  } else if constexpr (bytes == 2 * sizeof(T)) {
    load_vector<T, bytes>(vector, pair);
  } else if constexpr (sizeof(T) == sizeof(float)) {
    std::uint64_t both = 0;
    std::memcpy(&both, pair, sizeof both);
    vector = reinterpret_cast<Vector<T, bytes>>(Vector<std::uint64_t, bytes>{} + both);
  } else {
    const Vector<T, bytes> even = Vector<T, bytes>{} + pair[0], odd = Vector<T, bytes>{} + pair[1];
    Vector<std::int64_t, bytes> from{};
    for (int i = 0; i < lanes<T, bytes>; ++i) from[i] = i % 2 == 0 ? i : lanes<T, bytes> + i;
    vector = __builtin_shuffle(even, odd, from);
  }
}

/// Of all lanes, by halves.
template <class T, int bytes>
SHARDFFT_INLINE T sum_of(const Vector<T, bytes>& vector) {
  if constexpr (bytes == sizeof(T)) {
    return vector[0];
  } else {
    Vector<T, bytes / 2> halves[2];
    std::memcpy(halves, &vector, bytes);
    halves[0] += halves[1];
    return sum_of<T, bytes / 2>(halves[0]);
  }
}

/// All bits of the last lanes, which are `taken` words; no bit of the others.
template <int bytes>
SHARDFFT_INLINE void mask_last(Vector<Word, bytes>& mask, std::int64_t taken) {
  static constexpr struct Bits {
    Word words[2 * bytes / sizeof(Word)] = {};
    constexpr Bits() {
      for (std::size_t i = bytes / sizeof(Word); i < 2 * bytes / sizeof(Word); ++i) words[i] = ~Word{0};
    }
  } bits;
  load_vector<Word, bytes>(mask, bits.words + taken);
}

/// What is kept of vectors of numbers: which sums.
template <class FamilyOf, class Number, bool with_imag, bool with_words>
struct Kept {
  using Family = FamilyOf;
  using T = Number;
  static constexpr bool imag = with_imag, words = with_words;
};

/// `group` of them.
template <class K, int bytes, int group>
struct Lanes {
  using T = typename K::T;
  Vector<T, bytes> real[group] = {}, imag[group] = {};
  Vector<Word, bytes> words = {};

  SHARDFFT_INLINE void add(int g, const Vector<T, bytes>& v, const Vector<T, bytes>& to_real,
                           const Vector<T, bytes>& to_imag) {
    real[g] += v * to_real;
    if constexpr (K::imag) imag[g] += v * to_imag;
  }
  SHARDFFT_INLINE void add_words(const Vector<T, bytes>& v) {
    if constexpr (K::words) words += reinterpret_cast<Vector<Word, bytes>>(v);
  }
  SHARDFFT_INLINE void square(int g, Vector<T, bytes>& squares) const {
    squares += real[g] * real[g];
    if constexpr (K::imag) squares += imag[g] * imag[g];
  }
};

/// Vectors of a row whose sum makes a part of `below`.
inline constexpr std::int64_t vectors_of_a_part = 16;
/// The square of a sum of so many numbers at most is no more than so much of the sum of their squares.
template <class T, int bytes>
SHARDFFT_INLINE T part_of_row(std::int64_t columns) {
  return T(1) / static_cast<T>(std::min((columns - 1) / lanes<T, bytes> + 1, vectors_of_a_part));
}

/// `group` rows at once, which share what is loaded of the weights. Rows have a vector at least; what is left at their
/// end is the last part of one that overlaps.
template <class K, int bytes, int group>
struct RowGroup {
  using T = typename K::T;
  Lanes<K, bytes, group> all;
  Vector<T, bytes> squares[group] = {};

  SHARDFFT_INLINE void add(const NumberBlock<T>& block, const T* weights_to_real, const T* weights_to_imag,
                           std::int64_t first) {
    constexpr std::int64_t width = lanes<T, bytes>;
    const T* const x = block.at + first * block.stride;
    const std::int64_t whole = block.columns / width * width;
    for (std::int64_t c = 0; c < whole;) {
      Lanes<K, bytes, group> part;
      for (const std::int64_t end = std::min(c + vectors_of_a_part * width, whole); c < end; c += width)
        add_vectors(part, x + c, block.stride, weights_to_real + c, weights_to_imag + c, nullptr);
      take(part);
    }
    if (whole == block.columns) return;
    Vector<Word, bytes> mask;
    mask_last<bytes>(mask, (block.columns - whole) * static_cast<std::int64_t>(sizeof(T) / sizeof(Word)));
    const std::int64_t c = block.columns - width;
    Lanes<K, bytes, group> part;
    add_vectors(part, x + c, block.stride, weights_to_real + c, weights_to_imag + c, &mask);
    take(part);
  }

 private:
  SHARDFFT_INLINE void add_vectors(Lanes<K, bytes, group>& part, const T* x, std::int64_t stride,
                                   const T* weights_to_real, const T* weights_to_imag,
                                   const Vector<Word, bytes>* mask) {
    Vector<T, bytes> to_real, to_imag{}, v;
    load_vector<T, bytes>(to_real, weights_to_real);
    if constexpr (K::imag) load_vector<T, bytes>(to_imag, weights_to_imag);
    for (int r = 0; r < group; ++r) {
      load_vector<T, bytes>(v, x + r * stride);
      K::Family::keep(v);
      if (mask != nullptr) v = reinterpret_cast<Vector<T, bytes>>(reinterpret_cast<Vector<Word, bytes>>(v) & *mask);
      part.add(r, v, to_real, to_imag);
      all.add_words(v);
    }
  }
  SHARDFFT_INLINE void take(const Lanes<K, bytes, group>& part) {
    for (int r = 0; r < group; ++r) {
      all.real[r] += part.real[r];
      if constexpr (K::imag) all.imag[r] += part.imag[r];
      part.square(r, squares[r]);
    }
  }
};

template <class K, int bytes, int group, class T>
SHARDFFT_INLINE Word rows_alone(const NumberBlock<T>& block, const BlockSums<T>& sums, std::int64_t first) {
  RowGroup<K, bytes, group> rows;
  rows.add(block, sums.to_real, sums.to_imag, first);
  for (int r = 0; r < group; ++r) {
    sums.real[first + r] = sum_of<T, bytes>(rows.all.real[r]);
    if constexpr (K::imag) sums.imag[first + r] = sum_of<T, bytes>(rows.all.imag[r]);
  }
  for (int r = 0; r < group && sums.below != nullptr; ++r)
    sums.below[first + r] = sum_of<T, bytes>(rows.squares[r]) * part_of_row<T, bytes>(block.columns);
  return sum_of<Word, bytes>(rows.all.words);
}

template <class K, int bytes, class T>
SHARDFFT_INLINE Word rows_by(const NumberBlock<T>& block, const BlockSums<T>& sums) {
  Word total = 0;
  std::int64_t r = 0;
  for (; r + 4 <= block.rows; r += 4) total += rows_alone<K, bytes, 4>(block, sums, r);
  for (; r < block.rows; ++r) total += rows_alone<K, bytes, 1>(block, sums, r);
  return total;
}

/// Sums of rows times their weights, by lanes.
template <class K, int bytes>
struct PlaneLanes {
  using T = typename K::T;
  Vector<T, bytes> real = {}, imag = {}, square = {};
  Vector<Word, bytes> words = {};

  template <int group>
  SHARDFFT_INLINE void add(const NumberBlock<T>& block, const PlaneWeights<T>& weights, std::int64_t first) {
    RowGroup<K, bytes, group> rows;
    rows.add(block, weights.to_real, weights.to_imag, first);
    const Lanes<K, bytes, group>& sum = rows.all;
    for (int r = 0; r < group; ++r) {
      real += sum.real[r] * weights.row_real[first + r];
      if constexpr (K::imag) {
        real -= sum.imag[r] * weights.row_imag[first + r];
        imag += sum.real[r] * weights.row_imag[first + r] + sum.imag[r] * weights.row_real[first + r];
      }
      square += rows.squares[r];
    }
    words += sum.words;
  }
};

template <class K, int bytes, class T>
SHARDFFT_INLINE void plane_by(PlaneSum<T>& sum, const NumberBlock<T>& block, const PlaneWeights<T>& weights) {
  PlaneLanes<K, bytes> plane;
  std::int64_t r = 0;
  for (; r + 4 <= block.rows; r += 4) plane.template add<4>(block, weights, r);
  for (; r < block.rows; ++r) plane.template add<1>(block, weights, r);
  sum = {sum_of<T, bytes>(plane.real), sum_of<T, bytes>(plane.imag),
         sum_of<T, bytes>(plane.square) * part_of_row<T, bytes>(block.columns), sum_of<Word, bytes>(plane.words)};
}

/// `group` rows at most, in the order in which they lie in memory, are added to the sums of their columns; what a
/// column has of them makes a part of `below`.
template <class K, int bytes, int group>
struct ColumnRows {
  using T = typename K::T;
  Vector<T, bytes> to_real[group], to_imag[group];
  Vector<Word, bytes> words = {};

  SHARDFFT_INLINE void take_weights(const BlockSums<T>& sums, std::int64_t first) {
    for (int r = 0; r < group; ++r) {
      fill_with_pair<T, bytes>(to_real[r], sums.to_real + 2 * (first + r));
      if constexpr (K::imag) fill_with_pair<T, bytes>(to_imag[r], sums.to_imag + 2 * (first + r));
    }
  }
  /// Vectors of the rows at `x`, to the sums that lie `column` behind the first.
  SHARDFFT_INLINE void add(const T* x, std::int64_t stride, const BlockSums<T>& sums, std::int64_t column,
                           const Vector<Word, bytes>* mask) {
    Vector<T, bytes> real{}, imag{}, v;
    Vector<Word, bytes> bits{};
    for (int r = 0; r < group; ++r) {
      load_vector<T, bytes>(v, x + r * stride);
      K::Family::keep(v);
      if (mask != nullptr) v = reinterpret_cast<Vector<T, bytes>>(reinterpret_cast<Vector<Word, bytes>>(v) & *mask);
      real += v * to_real[r];
      if constexpr (K::imag) imag += v * to_imag[r];
      if constexpr (K::words) bits += reinterpret_cast<Vector<Word, bytes>>(v);
    }
    words += bits;
    add_to(sums.real + column, real);
    if constexpr (K::imag) add_to(sums.imag + column, imag);
    if (sums.below == nullptr) return;
    Vector<T, bytes> squares = real * real;
    if constexpr (K::imag) squares += imag * imag;
    squares *= T(1) / T(group);
    add_to(sums.below + column, squares);
  }

 private:
  SHARDFFT_INLINE static void add_to(T* at, const Vector<T, bytes>& part) {
    Vector<T, bytes> sum;
    load_vector<T, bytes>(sum, at);
    sum += part;
    store_vector<T, bytes>(sum, at);
  }
};

/// What is left of the columns are the last ones of a vector that overlaps. Its sums lie behind all others: memory that
/// was just written is not read in other pieces.
template <class K, int bytes, int group, class T>
SHARDFFT_INLINE Word column_rows(const NumberBlock<T>& block, const BlockSums<T>& sums, std::int64_t first) {
  constexpr std::int64_t width = lanes<T, bytes>;
  ColumnRows<K, bytes, group> rows;
  rows.take_weights(sums, first);
  const T* const x = block.at + first * block.stride;
  const std::int64_t columns = block.columns, stride = block.stride;
  const BlockSums<T> to = sums;  // which nothing that is written can change
  std::int64_t c = 0;
  for (; c + width <= columns; c += width) rows.add(x + c, stride, to, c, nullptr);
  if (c < columns) {
    Vector<Word, bytes> mask;
    mask_last<bytes>(mask, (columns - c) * static_cast<std::int64_t>(sizeof(T) / sizeof(Word)));
    rows.add(x + columns - width, stride, to, columns, &mask);
  }
  return sum_of<Word, bytes>(rows.words);
}

template <class K, int bytes, class T>
SHARDFFT_INLINE Word columns_by(const NumberBlock<T>& block, const BlockSums<T>& sums) {
  constexpr int group = K::Family::rows_at_once;
  constexpr std::int64_t width = lanes<T, bytes>;
  Word total = 0;
  std::int64_t r = 0;
  for (; r + group <= block.rows; r += group) total += column_rows<K, bytes, group>(block, sums, r);
  for (; r < block.rows; ++r) total += column_rows<K, bytes, 1>(block, sums, r);
  for (T* const list : {sums.real, K::imag ? sums.imag : nullptr, sums.below})
    for (std::int64_t c = block.columns / width * width; list != nullptr && c < block.columns; ++c)
      list[c] += list[c + width];
  return total;
}

/// Calls `action` with what is to be kept, as a type.
template <class Family, class T, class Action>
SHARDFFT_INLINE void with_kept(bool imag, bool words, const Action& action) {
  if (imag && words) return action(Kept<Family, T, true, true>{});
  if (imag) return action(Kept<Family, T, true, false>{});
  if (words) return action(Kept<Family, T, false, true>{});
  action(Kept<Family, T, false, false>{});
}

template <class Family, class T>
SHARDFFT_INLINE Word rows(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words) {
  Word total = 0;
  with_kept<Family, T>(sums.to_imag != nullptr, words, [&](auto kept) SHARDFFT_ALWAYS {
    total = rows_by<decltype(kept), Family::template bytes<T>>(block, sums);
  });
  return total;
}
template <class Family, class T>
SHARDFFT_INLINE void plane(PlaneSum<T>& sum, const NumberBlock<T>& block, const PlaneWeights<T>& weights, bool words) {
  with_kept<Family, T>(weights.to_imag != nullptr, words, [&](auto kept) SHARDFFT_ALWAYS {
    plane_by<decltype(kept), Family::template bytes<T>>(sum, block, weights);
  });
}
template <class Family, class T>
SHARDFFT_INLINE Word columns(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words) {
  Word total = 0;
  with_kept<Family, T>(sums.to_imag != nullptr, words, [&](auto kept) SHARDFFT_ALWAYS {
    total = columns_by<decltype(kept), Family::template bytes<T>>(block, sums);
  });
  return total;
}

}  // namespace shardfft::kernel
