#pragma once
// The kernels that are compiled with the library, one for each of own_recipes.
#include "device/cuda/lines/pass_kernel.cuh"
#include "device/cuda/lines/variant.hpp"

namespace shardfft::device::lines {

/// Shared memory of a block of Hopper, without the part that kernels declare themselves.
inline constexpr int most_shared_bytes = hopper.shared_bytes - reserved_shared_bytes;

template <int I, int... S>
auto own_cut(Indices<S...>) -> CutOf<own_recipes[I].line.n, own_recipes[I].line.team, own_recipes[I].line.radix[S]...>;
template <int I>
using OwnCut = decltype(own_cut<I>(typename MakeIndices<own_recipes[I].line.stages>::Type{}));

template <int I, class T>
Variant variant() {
  using C = OwnCut<I>;
  constexpr int factor_bytes = sizeof(typename Traits<T>::Factor), width = own_recipes[I].width;
  constexpr int resident = own_recipes[I].resident;
  static_assert(TileShape<C, width>::tile.bytes(factor_bytes) <= most_shared_bytes);
  Variant v{&own_recipes[I], {}};
  v.kernel[0][0] = reinterpret_cast<const void*>(&pass_kernel<C, T, width, resident, false, false>);
  v.kernel[0][1] = reinterpret_cast<const void*>(&pass_kernel<C, T, width, resident, true, false>);
  v.multiplies[0] = reinterpret_cast<const void*>(&pass_kernel<C, T, width, resident, false, false, true>);
  if constexpr (Traits<T>::lines > 1 && TileShape<C, width, true>::tile.bytes(factor_bytes) <= most_shared_bytes) {
    v.kernel[1][0] = reinterpret_cast<const void*>(&pass_kernel<C, T, width, resident, false, true>);
    v.kernel[1][1] = reinterpret_cast<const void*>(&pass_kernel<C, T, width, resident, true, true>);
    v.multiplies[1] = reinterpret_cast<const void*>(&pass_kernel<C, T, width, resident, false, true, true>);
  }
  return v;
}

template <class T, int... I>
const Variant* find_variant(int n, Indices<I...>) {
  static const Variant table[] = {variant<I, T>()...};
  for (const Variant& v : table)
    if (v.recipe->line.n == n) return &v;
  return nullptr;
}
template <class T>
const Variant* find_variant(int n) {
  return find_variant<T>(n, typename MakeIndices<sizeof own_recipes / sizeof *own_recipes>::Type{});
}

}  // namespace shardfft::device::lines
