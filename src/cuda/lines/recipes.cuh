#pragma once
// The sizes that have a fused kernel, and how each is cut. Width 8 makes runs of 128 bytes; long lines get 4 so that
// two bundles fit the shared memory. The last number is how many blocks of it live on one multiprocessor.
#include "cuda/lines/pass_launch.cuh"

namespace shardfft::cuda::lines {

template <class T>
const Variant* find_variant(int n) {
  static constexpr Variant table[] = {
      variant<Recipe<128, 16, 8, 16>, T, 8, 8>(),
      variant<Recipe<256, 16, 16, 16>, T, 8, 4>(),
      variant<Recipe<384, 24, 8, 8, 6>, T, 8, 2>(),
      variant<Recipe<512, 8, 8, 8, 8>, T, 8, 2>(),
      variant<Recipe<768, 24, 8, 8, 12>, T, 8, 1>(),
      variant<Recipe<1024, 16, 16, 16, 4>, T, 8, 1>(),
      variant<Recipe<1536, 24, 8, 8, 24>, T, 4, 1>(),
      variant<Recipe<2048, 16, 16, 16, 8>, T, 4, 1>(),
  };
  for (const Variant& v : table)
    if (v.n == n) return &v;
  return nullptr;
}

}  // namespace shardfft::cuda::lines
