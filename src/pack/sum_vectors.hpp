#pragma once
// Vectors of numbers of any width, for kernels that are compiled once for each family of instructions. Everything is
// inlined and uses the instructions of the calling function.
#include <cstdint>
#include <cstring>
#include <utility>

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

/// Vectors are never passed or returned by value: the calling convention depends on the family.
template <class T, int bytes>
SHARDFFT_INLINE void load_vector(Vector<T, bytes>& vector, const T* at) {
  vector = *reinterpret_cast<const typename VectorOf<T, bytes>::InMemory*>(at);
}
template <class T, int bytes>
SHARDFFT_INLINE void store_vector(const Vector<T, bytes>& vector, T* at) {
  *reinterpret_cast<typename VectorOf<T, bytes>::InMemory*>(at) = vector;
}

/// The same half twice.
template <class T, int bytes, int... I>
SHARDFFT_INLINE void double_vector(Vector<T, bytes>& vector, const Vector<T, bytes / 2>& half,
                                   std::integer_sequence<int, I...>) {
  vector = __builtin_shufflevector(half, half, I...);
}

/// Fills the vector with two numbers in turn.
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
    Vector<T, bytes / 2> half;
    fill_with_pair<T, bytes / 2>(half, pair);
    double_vector<T, bytes>(vector, half, std::make_integer_sequence<int, static_cast<int>(lanes<T, bytes>)>{});
  }
}

/// The sum over all lanes of a vector, by halves.
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

/// Sets all bits of the last `taken` words, and no other bit.
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

}  // namespace shardfft::kernel
