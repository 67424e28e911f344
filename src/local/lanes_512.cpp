// Kernels with vectors of 512 bits, for processors with AVX-512.
#include <immintrin.h>

#include "local/lanes_kernel.hpp"

namespace shardfft::lanes {
namespace {

template <class T>
struct Isa512 {
  using Real = T;
  static constexpr int width = 64 / sizeof(T);
  static constexpr int registers = 32;
  using V = typename VectorOf<T, width>::type;

  [[gnu::always_inline]] static V fma(const V& a, const V& b, const V& c) {
    if constexpr (sizeof(T) == 8)
      return V(_mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(c)));
    else
      return V(_mm512_fmadd_ps(__m512(a), __m512(b), __m512(c)));
  }

  using Mask = unsigned;  ///< a bit a number

  [[gnu::always_inline]] static Mask mask(int first, int count) { return ((1U << count) - 1) << first; }
  [[gnu::always_inline]] static V load_masked(const V& others, const T* p, Mask mask) {
    if constexpr (sizeof(T) == 8)
      return V(_mm512_mask_loadu_pd(__m512d(others), static_cast<__mmask8>(mask), p));
    else
      return V(_mm512_mask_loadu_ps(__m512(others), static_cast<__mmask16>(mask), p));
  }
  [[gnu::always_inline]] static void store_masked(T* p, const V& v, Mask mask) {
    if constexpr (sizeof(T) == 8)
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>(mask), __m512d(v));
    else
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>(mask), __m512(v));
  }
};

}  // namespace

Kernels kernels_512() {
  return {64, Isa512<double>::registers, &Kernel<Isa512<double>>::run, &Kernel<Isa512<float>>::run};
}

}  // namespace shardfft::lanes
