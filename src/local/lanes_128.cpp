// Kernels with vectors of 128 bits, for any processor. 64-bit ARM has 32 of them and fused products (NEON); no kernels
// are built for its longer vectors (SVE).
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "local/lanes_kernel.hpp"

namespace shardfft::lanes {
namespace {

template <class T>
struct Isa128 {
  using Real = T;
  static constexpr int width = 16 / sizeof(T);
  using V = typename VectorOf<T, width>::type;

#if defined(__aarch64__)
  static constexpr int registers = 32;
  [[gnu::always_inline]] static V fma(const V& a, const V& b, const V& c) {
    if constexpr (sizeof(T) == 8)
      return V(vfmaq_f64(float64x2_t(c), float64x2_t(a), float64x2_t(b)));
    else
      return V(vfmaq_f32(float32x4_t(c), float32x4_t(a), float32x4_t(b)));
  }
#else
  static constexpr int registers = 16;
  [[gnu::always_inline]] static V fma(const V& a, const V& b, const V& c) { return a * b + c; }
#endif

  struct Mask {
    int first, end;
  };

  [[gnu::always_inline]] static Mask mask(int first, int count) { return {first, first + count}; }
  [[gnu::always_inline]] static V load_masked(const V& others, const T* p, Mask mask) {
    V v = others;
    for (int i = mask.first; i < mask.end; ++i) v[i] = p[i];
    return v;
  }
  [[gnu::always_inline]] static void store_masked(T* p, const V& v, Mask mask) {
    for (int i = mask.first; i < mask.end; ++i) p[i] = v[i];
  }
};

}  // namespace

Kernels kernels_128() {
  return {16, Isa128<double>::registers, &Kernel<Isa128<double>>::run, &Kernel<Isa128<float>>::run};
}

}  // namespace shardfft::lanes
