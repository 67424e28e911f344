// Kernels with vectors of 128 bits, for any processor.
#include "local/lanes_kernel.hpp"

namespace shardfft::lanes {

namespace {

template <class T>
struct Isa128 {
  using Real = T;
  static constexpr int width = 16 / sizeof(T);
};

}  // namespace

Kernels kernels_128() { return {16, &Kernel<Isa128<double>>::run, &Kernel<Isa128<float>>::run}; }

}  // namespace shardfft::lanes
