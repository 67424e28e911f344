// Kernels with vectors of 512 bits, for processors with AVX-512.
#include "local/lanes_kernel.hpp"

namespace shardfft::lanes {

namespace {

template <class T>
struct Isa512 {
  using Real = T;
  static constexpr int width = 64 / sizeof(T);
};

}  // namespace

Kernels kernels_512() { return {64, &Kernel<Isa512<double>>::run, &Kernel<Isa512<float>>::run}; }

}  // namespace shardfft::lanes
