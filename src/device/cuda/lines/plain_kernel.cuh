#pragma once
// The kernel of a pass without bulk copies: threads read their points straight into registers, while other bundles of
// the multiprocessor compute.
#include "device/cuda/lines/line_factors.cuh"
#include "device/cuda/lines/line_sums.cuh"
#include "device/cuda/lines/pass_places.cuh"

namespace shardfft::device::lines {

/// A TileCut as a type.
template <class C, int Width>
struct PlainShape {
  static constexpr int row_bytes = TileCut{C::line, Width, false, false}.row_bytes();
};

/// The points of a thread's lines; zeros for columns that do not exist.
template <class C, class T, bool Backward, bool Odd>
__device__ __forceinline__ void read(Cx<T> (&v)[C::E], const PlainInput& in, const Corner& from,
                                     const ThreadPlace& at) {
  const int column = from.column + 2 * static_cast<int>(at.lane), end = static_cast<int>(in.columns);
  const bool first = column >= 0 && column < end, second = column + 1 >= 0 && column + 1 < end;
  const auto each_source = [&](auto get) {
    if (in.places.mixed)
      each_place<C, 0>(in.places, from, column, at.t, get);
    else
      each_shared_place<C, 0>(in.places, from, column, at.t, get);
  };
  if (!Odd && first && (Traits<T>::lines == 1 || second))
    each_source([&](auto i, const double* number) {
      v[i] = unpack<Backward>(*reinterpret_cast<const double2*>(number), static_cast<T*>(nullptr));
    });
  else
    each_source([&](auto i, const double* number) {
      v[i] = unpack<Backward>(double2{first ? number[0] : 0, second ? number[1] : 0}, static_cast<T*>(nullptr));
    });
}

template <class C, class T, int Width, bool Backward, bool Odd, Checks How = Checks::none, bool Multiplies = false>
__device__ __forceinline__ void run_plain_pass(const PlainPass& pass) {
  extern __shared__ __align__(128) double2 shared[];
  T* const rows = reinterpret_cast<T*>(shared);
  auto* const table =
      reinterpret_cast<typename Traits<T>::Factor*>(reinterpret_cast<char*>(rows) + PlainShape<C, Width>::row_bytes);
  load_table<C>(table, pass.table);
  const LineChecks<T> checks(pass.checks, pass.checks.weights, C::N);
  const ThreadPlace at{threadIdx.x / Width, threadIdx.x % Width, Width};
  const auto sync = [] { __syncthreads(); };
  using Sums = typename SumsOf<How, T, C::team * Width>::Type;
  __shared__ typename Sums::Desk desk;
  Sums sums(desk, threadIdx.x);
  if (threadIdx.x == 0) Sums::open(desk);
  sync();
  for (unsigned tile = blockIdx.x; tile < pass.tiles; tile += gridDim.x) {
    const Corner corner_of_tile = corner(pass, tile, Width);
    Cx<T> v[C::E];
    const LinesThere there(corner_of_tile, at);
    read<C, T, Backward, Odd>(v, pass.in, corner_of_tile, at);
    auto in = Sums::input(at.t, checks);
    each_point<C, 0>(at.t, [&](int i, int offset) { in.add(offset, v[i]); });
    sums.took(in, there.first, there.second, true, checks);
    line_fft<C>(v, rows, at, table, sync, [] {});
    rescale<C>(v, pass.scale, at.t);
    sums.template left<C>(v, at.t, there.first, there.second, true, checks);
    if constexpr (Multiplies) multiply_results<C>(v, pass.factors, corner_of_tile, at, there);
    leave<C, T, Width, Backward, Odd>(v, pass.out, corner_of_tile, at);
    sums.end_tile(sync, checks);
  }
  sums.end(sync, checks);
}

}  // namespace shardfft::device::lines
