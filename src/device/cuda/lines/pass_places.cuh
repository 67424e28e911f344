#pragma once
// What the kernels of passes share: which lines a tile has, and where their points lie in memory.
#include "device/cuda/lines/kernel_pass.hpp"
#include "device/cuda/lines/line_fft.cuh"

namespace shardfft::device::lines {

/// First line of a tile: column in units of 8 bytes, and outer index. From column `end` on none are written.
struct Corner {
  int column, end;
  unsigned outer;
};
template <class Input>
__device__ __forceinline__ Corner corner(const PassOf<Input>& pass, unsigned tile, unsigned width) {
  const unsigned outer = pass.outer_begin + tile / pass.tiles_in_row;
  const unsigned skew = outer * pass.skew;
  const unsigned column = 2 * (pass.m_begin + tile % pass.tiles_in_row * width) - (skew & pass.skew_mask);
  return {static_cast<int>(column), static_cast<int>(pass.columns - (skew & pass.end_mask)), outer};
}

/// The twiddles live in shared memory: the rest of the L1 cache is too small to keep them.
template <class C, class Factor>
__device__ __forceinline__ void load_table(Factor* to, const void* from) {
  for (unsigned i = threadIdx.x; i < C::table_size; i += blockDim.x) to[i] = static_cast<const Factor*>(from)[i];
}

template <class C, class T>
__device__ __forceinline__ void rescale(Cx<T> (&v)[C::E], double scale, unsigned t) {
  if (scale == 1) return;
  const auto s = static_cast<typename Traits<T>::Scalar>(scale);
  each_point<C, C::stages - 1>(t, [&](auto i, auto /*offset*/) { v[i] = Cx<T>{s * v[i].re, s * v[i].im}; });
}

/// put(i, number): the 16 bytes of v[i], a point of stage S, lie at that number of 8 bytes; owner by owner.
template <class C, int S, class Put>
__device__ __forceinline__ void each_place(const KernelOutput& out, const Corner& to, int column, unsigned t, Put put) {
  each_point<C, S>(t, [&](auto i, auto offset) {
    const int k = static_cast<int>(t) + offset;
    int q = 0;
    while (q + 1 < out.owners && k >= out.begin[q + 1]) ++q;
    const KernelOutput::Owner& owner = out.owner[q];
    put(i, static_cast<double*>(owner.base) + (to.outer * owner.outer_stride + column + 2 * (k * owner.line_stride)));
  });
}
/// The same where the output is not mixed.
template <class C, int S, class Put>
__device__ __forceinline__ void each_shared_place(const KernelOutput& out, const Corner& to, int column, unsigned t,
                                                  Put put) {
  long long place[2];  // in units of 8 bytes
  each<2>([&](auto kind) { place[kind] = to.outer * out.outer_stride[kind] + column + 2 * t * out.line_stride[kind]; });
  each_point<C, S>(t, [&](auto i, auto /*offset*/) {
    put(i, static_cast<double*>(out.point[i]) + (out.far >> i & 1 ? place[1] : place[0]));
  });
}

/// Which of a thread's lines, two at most, are lines of the pass.
struct LinesThere {
  int column;
  bool first, second;
  __device__ __forceinline__ LinesThere(const Corner& tile, const Place& at)
      : column(tile.column + 2 * static_cast<int>(at.lane)),
        first(column >= 0 && column < tile.end),
        second(column + 1 >= 0 && column + 1 < tile.end) {}
};

template <class C, class T, bool Backward>
__device__ __forceinline__ void leave(const Cx<T> (&v)[C::E], const KernelOutput& out, const Corner& to,
                                      const Place& at) {
  constexpr int last = C::stages - 1;
  const auto [column, first, second] = LinesThere(to, at);
  const auto put = [&](auto i, double* number) { *reinterpret_cast<double2*>(number) = pack<Backward>(v[i]); };
  if (first && (Traits<T>::lines == 1 || second)) {
    if (out.mixed)
      each_place<C, last>(out, to, column, at.t, put);
    else
      each_shared_place<C, last>(out, to, column, at.t, put);
  } else if (Traits<T>::lines == 2 && (first || second)) {  // an end of a row
    each_place<C, last>(out, to, column, at.t, [&](auto i, double* number) {
      const double2 both = pack<Backward>(v[i]);
      number[first ? 0 : 1] = first ? both.x : both.y;
    });
  }
}

}  // namespace shardfft::device::lines
