#include "pack/block_sums.hpp"

#include <cstring>

#include "base/check_hooks.hpp"
#include "pack/sum_kernels.hpp"

namespace shardfft {

namespace {

/// A family of vector instructions with vectors of `vector_bytes`.
/// keep(v) keeps a vector in its register: compilers tend to load it again for each sum.
#if defined(__x86_64__) && !defined(__clang__)
#define SHARDFFT_KEEP(v) \
  if constexpr (sizeof(v) >= 16) __asm__("" : "+v"(v))
#else
#define SHARDFFT_KEEP(v)
#endif
#define SHARDFFT_SUMS(Name, vector_bytes, attribute)                                                            \
  struct Name {                                                                                                 \
    template <class T>                                                                                          \
    static constexpr int bytes = vector_bytes;                                                                  \
    template <class V>                                                                                          \
    SHARDFFT_INLINE static void keep([[maybe_unused]] V& v) {                                                   \
      SHARDFFT_KEEP(v);                                                                                         \
    }                                                                                                           \
    template <class T>                                                                                          \
    attribute static std::uint32_t rows(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,      \
                                        const OtherRows<T>& other) {                                            \
      return kernel::rows<Name>(block, sums, words, other);                                                     \
    }                                                                                                           \
    template <class T>                                                                                          \
    attribute static PlaneSum<T> plane(const NumberBlock<T>& block, const PlaneWeights<T>& weights, bool words, \
                                       const OtherRows<T>& other) {                                             \
      PlaneSum<T> sum;                                                                                          \
      kernel::plane<Name>(sum, block, weights, words, other);                                                   \
      return sum;                                                                                               \
    }                                                                                                           \
    template <class T>                                                                                          \
    attribute static std::uint32_t columns(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,   \
                                           const OtherRows<T>& other) {                                         \
      return kernel::columns<Name>(block, sums, words, other);                                                  \
    }                                                                                                           \
  };

SHARDFFT_SUMS(Single, static_cast<int>(sizeof(T)), )
SHARDFFT_SUMS(Pair, static_cast<int>(2 * sizeof(T)), )
SHARDFFT_SUMS(Everywhere, 16, )
#if defined(__x86_64__)
SHARDFFT_SUMS(Wide, 32, __attribute__((target("avx2,fma"))))
SHARDFFT_SUMS(Widest, 64, __attribute__((target("avx512f,avx2,fma"))))
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

/// Whether this processor has the family, and rows of `columns` numbers fill one of its vectors.
template <class Family, class T>
bool fits(std::int64_t columns) {
  constexpr int bytes = Family::template bytes<T>;
  const VectorLimit* const limit = installed<VectorLimit>();
  return columns >= kernel::lanes<T, bytes> && (limit == nullptr || limit->most_bytes >= bytes);
}

/// Calls `action` with the widest family that fits rows of `columns` numbers.
template <class T, class Action>
auto with_family(std::int64_t columns, const Action& action) {
  if (has_widest() && fits<Widest, T>(columns)) return action(Widest{});
  if (has_wide() && fits<Wide, T>(columns)) return action(Wide{});
  if (fits<Everywhere, T>(columns)) return action(Everywhere{});
  // For doubles, `Everywhere` has the vectors of two.
  if constexpr (sizeof(T) == sizeof(float))
    if (columns > 1) return action(Pair{});
  return action(Single{});
}

}  // namespace

template <class T>
std::uint32_t add_rows(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words, const OtherRows<T>& other) {
  return with_family<T>(block.columns, [&](auto family) { return decltype(family)::rows(block, sums, words, other); });
}
template <class T>
PlaneSum<T> add_plane(const NumberBlock<T>& block, const PlaneWeights<T>& weights, bool words,
                      const OtherRows<T>& other) {
  return with_family<T>(block.columns,
                        [&](auto family) { return decltype(family)::plane(block, weights, words, other); });
}
template <class T>
std::uint32_t add_columns(const NumberBlock<T>& block, const BlockSums<T>& sums, bool words,
                          const OtherRows<T>& other) {
  return with_family<T>(block.columns,
                        [&](auto family) { return decltype(family)::columns(block, sums, words, other); });
}

template std::uint32_t add_rows(const NumberBlock<double>&, const BlockSums<double>&, bool, const OtherRows<double>&);
template std::uint32_t add_rows(const NumberBlock<float>&, const BlockSums<float>&, bool, const OtherRows<float>&);
template PlaneSum<double> add_plane(const NumberBlock<double>&, const PlaneWeights<double>&, bool,
                                    const OtherRows<double>&);
template PlaneSum<float> add_plane(const NumberBlock<float>&, const PlaneWeights<float>&, bool,
                                   const OtherRows<float>&);
template std::uint32_t add_columns(const NumberBlock<double>&, const BlockSums<double>&, bool,
                                   const OtherRows<double>&);
template std::uint32_t add_columns(const NumberBlock<float>&, const BlockSums<float>&, bool, const OtherRows<float>&);

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
