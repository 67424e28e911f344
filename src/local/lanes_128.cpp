// Kernels with vectors of 128 bits, for any processor.
#include "local/lanes_kernel.hpp"

namespace shardfft::lanes {
namespace {

template <class T>
struct Isa128 {
  using Real = T;
  static constexpr int width = 16 / sizeof(T);
  static constexpr int registers = 16;
  using V = typename VectorOf<T, width>::type;

  [[gnu::always_inline]] static V fma(const V& a, const V& b, const V& c) { return a * b + c; }

  struct Part {
    int first, end;
  };

  [[gnu::always_inline]] static Part part(int first, int count) { return {first, first + count}; }
  [[gnu::always_inline]] static V load_part(const V& others, const T* p, Part part) {
    V v = others;
    for (int i = part.first; i < part.end; ++i) v[i] = p[i];
    return v;
  }
  [[gnu::always_inline]] static void store_part(T* p, const V& v, Part part) {
    for (int i = part.first; i < part.end; ++i) p[i] = v[i];
  }
};

}  // namespace

Kernels kernels_128() { return {16, &Kernel<Isa128<double>>::run, &Kernel<Isa128<float>>::run}; }

}  // namespace shardfft::lanes
