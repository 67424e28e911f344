// Kernels with vectors of 512 bits, for processors with AVX-512.
#include <immintrin.h>

#include "local/lanes_kernel.hpp"

namespace shardfft::lanes {

namespace {

template <class T>
struct Isa512 {
  using Real = T;
  static constexpr int width = 64 / sizeof(T);
  using V = typename VectorOf<T, width>::type;

  [[gnu::always_inline]] static V load_first(const T* p, int count) {
    const unsigned first = (1U << count) - 1;
    if constexpr (sizeof(T) == 8)
      return V(_mm512_maskz_loadu_pd(static_cast<__mmask8>(first), p));
    else
      return V(_mm512_maskz_loadu_ps(static_cast<__mmask16>(first), p));
  }
  [[gnu::always_inline]] static void store_first(T* p, const V& v, int count) {
    const unsigned first = (1U << count) - 1;
    if constexpr (sizeof(T) == 8)
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>(first), __m512d(v));
    else
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>(first), __m512(v));
  }
};

}  // namespace

Kernels kernels_512() { return {64, &Kernel<Isa512<double>>::run, &Kernel<Isa512<float>>::run}; }

}  // namespace shardfft::lanes
