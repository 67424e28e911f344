#pragma once
// The sizes that have a fused kernel, and how each is cut: points a thread and radices; width of a bundle in 16-byte
// columns; bundles that live on one multiprocessor at a time; multiprocessors that keep step on neighbouring bundles.
// Longer runs of neighbouring columns are faster (docs/gpu-design.md): the width is the largest that shared memory
// holds.
#include "device/cuda/lines/pass_launch.cuh"

namespace shardfft::device::lines {

template <class T>
const Variant* find_variant(int n) {
  static constexpr Variant table[] = {
      variant<Recipe<128, 16, 8, 16>, T, 8, 8, 1>(),     variant<Recipe<256, 16, 16, 16>, T, 16, 2, 1>(),
      variant<Recipe<384, 24, 8, 8, 6>, T, 8, 2, 2>(),   variant<Recipe<512, 8, 8, 8, 8>, T, 16, 1, 2>(),
      variant<Recipe<768, 24, 8, 8, 12>, T, 8, 1, 2>(),  variant<Recipe<1024, 16, 16, 16, 4>, T, 8, 1, 2>(),
      variant<Recipe<1536, 24, 8, 8, 24>, T, 4, 1, 2>(), variant<Recipe<2048, 32, 32, 8, 8>, T, 4, 1, 2>(),
  };
  for (const Variant& v : table)
    if (v.n == n) return &v;
  return nullptr;
}

}  // namespace shardfft::device::lines
