#pragma once
// The plane kernels that are compiled with the library, one for each of own_planes.
#include "device/cuda/lines/plane_kernel.cuh"
#include "device/cuda/lines/plane_variant.hpp"
#include "device/cuda/lines/recipes.cuh"

namespace shardfft::device::lines {

template <int I, int... S>
auto own_plane_lines(Indices<S...>)
    -> CutOf<own_planes[I].rows.n, own_planes[I].rows.team, own_planes[I].rows.radix[S]...>;
template <int I>
using OwnPlaneLines = decltype(own_plane_lines<I>(typename MakeIndices<own_planes[I].rows.stages>::Type{}));

template <int I, class T>
PlaneVariant plane_variant() {
  constexpr PlaneCut cut = own_planes[I];
  static_assert(cut.alike() && cut.bytes(sizeof(typename Traits<T>::Factor)) <= most_shared_bytes);
  using Plane = PlaneOf<OwnPlaneLines<I>, OwnPlaneLines<I>, cut.lines, cut.width, cut.groups>;
  return {&own_planes[I],
          {{reinterpret_cast<const void*>(&plane_kernel<Plane, T, false, false>),
            reinterpret_cast<const void*>(&plane_kernel<Plane, T, true, false>)},
           {reinterpret_cast<const void*>(&plane_kernel<Plane, T, false, true>),
            reinterpret_cast<const void*>(&plane_kernel<Plane, T, true, true>)}}};
}

template <class T, int... I>
const PlaneVariant* find_plane_variant(const PlaneCut& cut, Indices<I...>) {
  static const PlaneVariant table[] = {plane_variant<I, T>()...};
  for (const PlaneVariant& v : table)
    if (same(*v.cut, cut)) return &v;
  return nullptr;
}
template <class T>
const PlaneVariant* find_plane_variant(const PlaneCut& cut) {
  return find_plane_variant<T>(cut, typename MakeIndices<sizeof own_planes / sizeof *own_planes>::Type{});
}

}  // namespace shardfft::device::lines
