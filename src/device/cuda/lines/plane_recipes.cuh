#pragma once
// The sizes that have a plane kernel.
#include "device/cuda/lines/plane_kernel.cuh"
#include "device/cuda/lines/plane_launch.hpp"
#include "device/cuda/lines/recipes.cuh"

namespace shardfft::device::lines {

template <class T, class C, int Width, int Groups>
PlaneVariant plane_variant() {
  using Shape = PlaneShape<C, Width, Groups>;
  constexpr int shared_bytes = Shape::bytes(sizeof(typename Traits<T>::Factor));
  static_assert(shared_bytes <= most_shared_bytes);
  static_assert(plane_team(C::line.n) == C::line.team);
  return {C::line,
          Width,
          Shape::threads,
          shared_bytes,
          ComplexRows<C, T, false>::in_line * Width,
          RealRows<C, T, false>::in_line * Width,
          {{reinterpret_cast<const void*>(&plane_kernel<C, T, Width, Groups, false, false>),
            reinterpret_cast<const void*>(&plane_kernel<C, T, Width, Groups, true, false>)},
           {reinterpret_cast<const void*>(&plane_kernel<C, T, Width, Groups, false, true>),
            reinterpret_cast<const void*>(&plane_kernel<C, T, Width, Groups, true, true>)}}};
}

template <class T>
const PlaneVariant* find_plane_variant(int n) {
  static const PlaneVariant table[] = {
      plane_variant<T, EvenCut<128, 16, 8, 16>, 16, 4>(),    plane_variant<T, EvenCut<256, 16, 16, 16>, 8, 4>(),
      plane_variant<T, EvenCut<384, 24, 8, 8, 6>, 4, 4>(),   plane_variant<T, EvenCut<512, 16, 16, 8, 4>, 8, 2>(),
      plane_variant<T, EvenCut<768, 24, 8, 8, 12>, 4, 2>(),  plane_variant<T, EvenCut<1024, 16, 16, 16, 4>, 8, 1>(),
      plane_variant<T, EvenCut<1536, 24, 8, 8, 24>, 4, 1>(),
  };
  for (const PlaneVariant& v : table)
    if (v.line.n == n) return &v;
  return nullptr;
}

}  // namespace shardfft::device::lines
