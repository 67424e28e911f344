// Kernels with vectors of 256 bits, for processors with AVX2 and FMA.
#include <immintrin.h>

#include "local/lanes_kernel.hpp"

namespace shardfft::lanes {

namespace {

template <class T>
struct Isa256 {
  using Real = T;
  static constexpr int width = 32 / sizeof(T);
  using V = typename VectorOf<T, width>::type;

  /// All bits of the first `count` numbers.
  [[gnu::always_inline]] static __m256i first(int count) {
    if constexpr (sizeof(T) == 8)
      return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    else
      return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  [[gnu::always_inline]] static V load_first(const T* p, int count) {
    if constexpr (sizeof(T) == 8)
      return V(_mm256_maskload_pd(p, first(count)));
    else
      return V(_mm256_maskload_ps(p, first(count)));
  }
  [[gnu::always_inline]] static void store_first(T* p, const V& v, int count) {
    if constexpr (sizeof(T) == 8)
      _mm256_maskstore_pd(p, first(count), __m256d(v));
    else
      _mm256_maskstore_ps(p, first(count), __m256(v));
  }
};

}  // namespace

Kernels kernels_256() { return {32, &Kernel<Isa256<double>>::run, &Kernel<Isa256<float>>::run}; }

}  // namespace shardfft::lanes
