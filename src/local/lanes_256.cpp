// Kernels with vectors of 256 bits, for processors with AVX2 and FMA.
#include "local/lanes_kernel.hpp"

namespace shardfft::lanes {

namespace {

template <class T>
struct Isa256 {
  using Real = T;
  static constexpr int width = 32 / sizeof(T);
};

}  // namespace

Kernels kernels_256() { return {32, &Kernel<Isa256<double>>::run, &Kernel<Isa256<float>>::run}; }

}  // namespace shardfft::lanes
