// Kernels with vectors of 128 bits, for any processor.
#include "local/lanes_kernel.hpp"

namespace shardfft::lanes {

namespace {

template <class T>
struct Isa128 {
  using Real = T;
  static constexpr int width = 16 / sizeof(T);
  using V = typename VectorOf<T, width>::type;

  [[gnu::always_inline]] static V load_first(const T* p, int count) {
    V v{};
    for (int i = 0; i < count; ++i) v[i] = p[i];
    return v;
  }
  [[gnu::always_inline]] static void store_first(T* p, const V& v, int count) {
    for (int i = 0; i < count; ++i) p[i] = v[i];
  }
};

}  // namespace

Kernels kernels_128() { return {16, &Kernel<Isa128<double>>::run, &Kernel<Isa128<float>>::run}; }

}  // namespace shardfft::lanes
