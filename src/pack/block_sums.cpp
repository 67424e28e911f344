#include "pack/block_sums.hpp"

#include <cstring>

#include "base/check_hooks.hpp"
#include "pack/sum_kernels.hpp"

namespace shardfft {

namespace {

/// A family of vector instructions: vectors of so many bytes, of which columns take so many beside each other.
/// keep(v) keeps a vector in its register: compilers like to load it anew for each sum.
#if defined(__x86_64__) && !defined(__clang__)
#define SHARDFFT_KEEP(v) \
  if constexpr (sizeof(v) >= 16) __asm__("" : "+v"(v))
#else
#define SHARDFFT_KEEP(v)
#endif
#define SHARDFFT_SUMS(Name, vector_bytes, vectors, attribute)                                         \
  struct Name {                                                                                       \
    static constexpr int bytes = vector_bytes;                                                        \
    static constexpr int columns_at_once = vectors;                                                   \
    template <class V>                                                                                \
    SHARDFFT_INLINE static void keep([[maybe_unused]] V& v) {                                         \
      SHARDFFT_KEEP(v);                                                                               \
    }                                                                                                 \
    template <class T>                                                                                \
    attribute static std::uint32_t rows(const NumberBlock<T>& block, const BlockSums<T>& sums) {      \
      return kernel::rows<Name>(block, sums);                                                         \
    }                                                                                                 \
    template <class T>                                                                                \
    attribute static PlaneSum<T> plane(const NumberBlock<T>& block, const PlaneWeights<T>& weights) { \
      PlaneSum<T> sum;                                                                                \
      kernel::plane<Name>(sum, block, weights);                                                       \
      return sum;                                                                                     \
    }                                                                                                 \
    template <class T>                                                                                \
    attribute static std::uint32_t columns(const NumberBlock<T>& block, const BlockSums<T>& sums) {   \
      return kernel::columns<Name>(block, sums);                                                      \
    }                                                                                                 \
  };

SHARDFFT_SUMS(Everywhere, 16, 2, )
#if defined(__x86_64__)
SHARDFFT_SUMS(Wide, 32, 2, __attribute__((target("avx2,fma"))))
SHARDFFT_SUMS(Widest, 64, 4, __attribute__((target("avx512f,avx2,fma"))))
bool has_wide() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has;
}
bool has_widest() {
  static const bool has = has_wide() && __builtin_cpu_supports("avx512f") != 0;
  return has;
}
#else
using Wide = Everywhere;
using Widest = Everywhere;
constexpr bool has_wide() { return false; }
constexpr bool has_widest() { return false; }
#endif
#undef SHARDFFT_SUMS

bool may_take(int bytes) {
  const VectorLimit* const limit = installed<VectorLimit>();
  return limit == nullptr || limit->most_bytes >= bytes;
}
bool widest() { return has_widest() && may_take(Widest::bytes); }
bool wide() { return has_wide() && may_take(Wide::bytes); }

template <class T>
std::uint32_t rows(const NumberBlock<T>& block, const BlockSums<T>& sums) {
  if (widest()) return Widest::rows(block, sums);
  return wide() ? Wide::rows(block, sums) : Everywhere::rows(block, sums);
}

template <class T>
PlaneSum<T> plane(const NumberBlock<T>& block, const PlaneWeights<T>& weights) {
  if (widest()) return Widest::plane(block, weights);
  return wide() ? Wide::plane(block, weights) : Everywhere::plane(block, weights);
}

template <class T>
std::uint32_t columns(const NumberBlock<T>& block, const BlockSums<T>& sums) {
  if (widest()) return Widest::columns(block, sums);
  return wide() ? Wide::columns(block, sums) : Everywhere::columns(block, sums);
}

}  // namespace

std::uint32_t add_rows(const NumberBlock<double>& block, const BlockSums<double>& sums) { return rows(block, sums); }
std::uint32_t add_rows(const NumberBlock<float>& block, const BlockSums<float>& sums) { return rows(block, sums); }
PlaneSum<double> add_plane(const NumberBlock<double>& block, const PlaneWeights<double>& weights) {
  return plane(block, weights);
}
PlaneSum<float> add_plane(const NumberBlock<float>& block, const PlaneWeights<float>& weights) {
  return plane(block, weights);
}
std::uint32_t add_columns(const NumberBlock<double>& block, const BlockSums<double>& sums) {
  return columns(block, sums);
}
std::uint32_t add_columns(const NumberBlock<float>& block, const BlockSums<float>& sums) {
  return columns(block, sums);
}

std::uint32_t word_sum(const std::byte* data, std::size_t bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes / sizeof sum; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, data + i * sizeof word, sizeof word);
    sum += word;
  }
  return sum;
}

}  // namespace shardfft
