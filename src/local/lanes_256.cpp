// Kernels with vectors of 256 bits, for processors with AVX2 and FMA.
#include <immintrin.h>

#include "local/lanes_kernel.hpp"

namespace shardfft::lanes {
namespace {

template <class T>
struct Isa256 {
  using Real = T;
  static constexpr int width = 32 / sizeof(T);
  static constexpr int registers = 16;
  using V = typename VectorOf<T, width>::type;

  [[gnu::always_inline]] static V fma(const V& a, const V& b, const V& c) {
    if constexpr (sizeof(T) == 8)
      return V(_mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(c)));
    else
      return V(_mm256_fmadd_ps(__m256(a), __m256(b), __m256(c)));
  }

  using Mask = __m256i;  ///< all bits of its numbers

  [[gnu::always_inline]] static Mask mask(int first, int count) {
    typename VectorOf<std::conditional_t<sizeof(T) == 8, long long, int>, width>::type at;
    for (int i = 0; i < width; ++i) at[i] = i;
    return Mask((at >= first) & (at < first + count));
  }
  [[gnu::always_inline]] static V load_masked(const V& others, const T* p, Mask mask) {
    if constexpr (sizeof(T) == 8)
      return V(_mm256_blendv_pd(__m256d(others), _mm256_maskload_pd(p, mask), __m256d(mask)));
    else
      return V(_mm256_blendv_ps(__m256(others), _mm256_maskload_ps(p, mask), __m256(mask)));
  }
  [[gnu::always_inline]] static void store_masked(T* p, const V& v, Mask mask) {
    if constexpr (sizeof(T) == 8)
      _mm256_maskstore_pd(p, mask, __m256d(v));
    else
      _mm256_maskstore_ps(p, mask, __m256(v));
  }
};

}  // namespace

Kernels kernels_256() {
  return {32, Isa256<double>::registers, &Kernel<Isa256<double>>::run, &Kernel<Isa256<float>>::run};
}

}  // namespace shardfft::lanes
