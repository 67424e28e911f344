#pragma once
// The innermost sums, for vectors of any width: what is compiled once for each family of instructions. All of it is
// inlined, so that it takes the instructions of the function that calls it.
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

/// What is added up of vectors of numbers.
template <class Family, class T, int bytes, int group, bool squares>
struct Lanes {
  Vector<T, bytes> real[group] = {}, imag[group] = {}, square[group] = {};
  Vector<Word, bytes> words = {};

  SHARDFFT_INLINE void add(int g, const T* at, const Vector<T, bytes>& to_real, const Vector<T, bytes>& to_imag) {
    Vector<T, bytes> v;
    load_vector<T, bytes>(v, at);
    Family::keep(v);
    real[g] += v * to_real;
    imag[g] += v * to_imag;
    if (squares) square[g] += v * v;
    words += reinterpret_cast<Vector<Word, bytes>>(v);
  }
};

/// `group` rows at once, which share what is loaded of the weights.
template <class Family, class T, int group, bool squares>
SHARDFFT_INLINE void row_group(Lanes<Family, T, Family::bytes, group, squares>& sum, const NumberBlock<T>& block,
                               const T* weights_to_real, const T* weights_to_imag, std::int64_t first) {
  constexpr int bytes = Family::bytes;
  constexpr std::int64_t width = lanes<T, bytes>;
  const auto add = [&](const T* x, std::int64_t stride, std::int64_t column) SHARDFFT_ALWAYS {
    Vector<T, bytes> to_real, to_imag;
    load_vector<T, bytes>(to_real, weights_to_real + column);
    load_vector<T, bytes>(to_imag, weights_to_imag + column);
    for (int r = 0; r < group; ++r) sum.add(r, x + r * stride, to_real, to_imag);
  };
  const T* const x = block.at + first * block.stride;
  std::int64_t c = 0;
  for (; c + width <= block.columns; c += width) add(x + c, block.stride, c);
  if (c < block.columns) {
    T rest[group * width] = {};
    for (int r = 0; r < group; ++r)
      for (std::int64_t i = c; i < block.columns; ++i) rest[r * width + i - c] = x[r * block.stride + i];
    add(rest, width, c);
  }
}

template <class Family, class T, int group, bool squares>
SHARDFFT_INLINE Word rows_alone(const NumberBlock<T>& block, const BlockSums<T>& sums, std::int64_t first) {
  constexpr int bytes = Family::bytes;
  Lanes<Family, T, bytes, group, squares> sum;
  row_group<Family, T, group, squares>(sum, block, sums.to_real, sums.to_imag, first);
  for (int r = 0; r < group; ++r) {
    sums.real[first + r] = sum_of<T, bytes>(sum.real[r]);
    sums.imag[first + r] = sum_of<T, bytes>(sum.imag[r]);
    if (squares) sums.squares[first + r] = sum_of<T, bytes>(sum.square[r]);
  }
  return sum_of<Word, bytes>(sum.words);
}

template <class Family, class T, bool squares>
SHARDFFT_INLINE Word rows_of(const NumberBlock<T>& block, const BlockSums<T>& sums) {
  Word total = 0;
  std::int64_t r = 0;
  for (; r + 4 <= block.rows; r += 4) total += rows_alone<Family, T, 4, squares>(block, sums, r);
  for (; r < block.rows; ++r) total += rows_alone<Family, T, 1, squares>(block, sums, r);
  return total;
}

/// Sums of rows times their weights, by lanes.
template <class Family, class T, bool squares>
struct PlaneLanes {
  static constexpr int bytes = Family::bytes;
  Vector<T, bytes> real = {}, imag = {}, square = {};
  Vector<Word, bytes> words = {};

  template <int group>
  SHARDFFT_INLINE void add(const NumberBlock<T>& block, const PlaneWeights<T>& weights, std::int64_t first) {
    Lanes<Family, T, bytes, group, squares> sum;
    row_group<Family, T, group, squares>(sum, block, weights.to_real, weights.to_imag, first);
    for (int r = 0; r < group; ++r) {
      const Vector<T, bytes> by_real = Vector<T, bytes>{} + weights.row_real[first + r];
      const Vector<T, bytes> by_imag = Vector<T, bytes>{} + weights.row_imag[first + r];
      real += sum.real[r] * by_real - sum.imag[r] * by_imag;
      imag += sum.real[r] * by_imag + sum.imag[r] * by_real;
      if (squares) square += sum.square[r];
    }
    words += sum.words;
  }
};

template <class Family, class T, bool squares>
SHARDFFT_INLINE void plane_of(PlaneSum<T>& sum, const NumberBlock<T>& block, const PlaneWeights<T>& weights) {
  constexpr int bytes = Family::bytes;
  PlaneLanes<Family, T, squares> plane;
  std::int64_t r = 0;
  for (; r + 4 <= block.rows; r += 4) plane.template add<4>(block, weights, r);
  for (; r < block.rows; ++r) plane.template add<1>(block, weights, r);
  sum = {sum_of<T, bytes>(plane.real), sum_of<T, bytes>(plane.imag), sum_of<T, bytes>(plane.square),
         sum_of<Word, bytes>(plane.words)};
}

/// `group` vectors beside each other, which share the weights.
template <class Family, class T, int bytes, int group, bool squares>
SHARDFFT_INLINE Word column_group(const NumberBlock<T>& block, const BlockSums<T>& sums, std::int64_t first) {
  constexpr std::int64_t width = lanes<T, bytes>;
  Lanes<Family, T, bytes, group, squares> sum;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const Vector<T, bytes> to_real = Vector<T, bytes>{} + sums.to_real[r],
                           to_imag = Vector<T, bytes>{} + sums.to_imag[r];
    for (int g = 0; g < group; ++g) sum.add(g, block.at + r * block.stride + first + g * width, to_real, to_imag);
  }
  for (int g = 0; g < group; ++g) {
    store_vector<T, bytes>(sum.real[g], sums.real + first + g * width);
    store_vector<T, bytes>(sum.imag[g], sums.imag + first + g * width);
    if (squares) store_vector<T, bytes>(sum.square[g], sums.squares + first + g * width);
  }
  return sum_of<Word, bytes>(sum.words);
}

/// What is left of the columns goes by vectors of half the width.
template <class Family, class T, int bytes, bool squares>
SHARDFFT_INLINE Word columns_from(const NumberBlock<T>& block, const BlockSums<T>& sums, std::int64_t first) {
  constexpr std::int64_t width = lanes<T, bytes>;
  constexpr int group = Family::columns_at_once;
  Word total = 0;
  for (; first + group * width <= block.columns; first += group * width)
    total += column_group<Family, T, bytes, group, squares>(block, sums, first);
  for (; first + width <= block.columns; first += width)
    total += column_group<Family, T, bytes, 1, squares>(block, sums, first);
  if constexpr (width > 1) total += columns_from<Family, T, bytes / 2, squares>(block, sums, first);
  return total;
}

template <class Family, class T>
SHARDFFT_INLINE Word rows(const NumberBlock<T>& block, const BlockSums<T>& sums) {
  return sums.squares != nullptr ? rows_of<Family, T, true>(block, sums) : rows_of<Family, T, false>(block, sums);
}
template <class Family, class T>
SHARDFFT_INLINE void plane(PlaneSum<T>& sum, const NumberBlock<T>& block, const PlaneWeights<T>& weights) {
  if (weights.squares)
    plane_of<Family, T, true>(sum, block, weights);
  else
    plane_of<Family, T, false>(sum, block, weights);
}
template <class Family, class T>
SHARDFFT_INLINE Word columns(const NumberBlock<T>& block, const BlockSums<T>& sums) {
  return sums.squares != nullptr ? columns_from<Family, T, Family::bytes, true>(block, sums, 0)
                                 : columns_from<Family, T, Family::bytes, false>(block, sums, 0);
}

}  // namespace shardfft::kernel
