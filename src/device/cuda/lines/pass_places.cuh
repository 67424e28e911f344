#pragma once
// Common parts of the kernels of passes: the lines of a tile, and the places of their points in memory.
#include "device/cuda/lines/kernel_pass.hpp"
#include "device/cuda/lines/line_fft.cuh"
#include "device/cuda/lines/shuffle.cuh"

namespace shardfft::device::lines {

/// First line of a tile: column in units of 8 bytes, and outer index. Columns from `end` on are not written.
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
  each_point<C, C::stages - 1>(t, [&](int i, int /*offset*/) { v[i] = Cx<T>{s * v[i].re, s * v[i].im}; });
}

/// Calls put(i, number) for each point v[i] of stage S, whose 16 bytes are at `number`. Looks up each point's owner.
template <class C, int S, class Put>
__device__ __forceinline__ void each_place(const KernelOutput& out, const Corner& to, int column, unsigned t, Put put) {
  each_point<C, S>(t, [&](int i, int offset) {
    const int k = static_cast<int>(t) + offset;
    int q = 0;
    while (q + 1 < out.owners && k >= out.begin[q + 1]) ++q;
    const KernelOutput::Owner& owner = out.owner[q];
    put(i, static_cast<double*>(owner.base) + (to.outer * owner.outer_stride + column + k * owner.line_stride));
  });
}
/// The same if the output is not mixed.
template <class C, int S, class Put>
__device__ __forceinline__ void each_shared_place(const KernelOutput& out, const Corner& to, int column, unsigned t,
                                                  Put put) {
  long long place[2];  // in units of 8 bytes
#pragma unroll
  for (int kind = 0; kind < 2; ++kind)
    place[kind] = to.outer * out.outer_stride[kind] + column + t * out.line_stride[kind];
  each_point<C, S>(t, [&](int i, int /*offset*/) {
    put(i, static_cast<double*>(out.point[i]) + (out.far >> i & 1 ? place[1] : place[0]));
  });
}

/// Whether each of a thread's lines, at most two, belongs to the pass.
struct LinesThere {
  int column;
  bool first, second;
  __device__ __forceinline__ LinesThere(const Corner& tile, const ThreadPlace& at)
      : column(tile.column + 2 * static_cast<int>(at.lane)),
        first(column >= 0 && column < tile.end),
        second(column + 1 >= 0 && column + 1 < tile.end) {}
};

/// The number of the next lane of the line's columns; `Together`: all lanes of the warp call it.
template <int Width, bool Together>
__device__ __forceinline__ double of_next_lane(double x) {
  const unsigned line = ((1U << Width) - 1) << (threadIdx.x % 32 / Width * Width);
  return of_lane_after<Width>(Together ? ~0U : line, x, 1);
}

/// Stores to one owner if every other point of a line begins in the middle of a unit of 16 bytes. There the second of a
/// thread's two numbers and the first one of the next lane make a unit. All stores are then whole units, except at the
/// bundle's ends.
template <class C, class T, int Width, bool Backward>
__device__ __forceinline__ void leave_shifted(const Cx<T> (&v)[C::E], const KernelOutput& out, const Corner& to,
                                              const ThreadPlace& at) {
  constexpr bool together = C::template Stage<C::stages - 1>::even && C::team * Width % 32 == 0;
  const LinesThere there(to, at);
  const bool is_first = at.lane == 0 || there.column <= 0;
  const bool has_next = at.lane + 1 < Width && there.column + 2 < to.end;
  const long long place = to.outer * out.outer_stride[0] + there.column + at.t * out.line_stride[0];
  each_point<C, C::stages - 1>(at.t, [&](int i, int /*offset*/) {
    double* const number = static_cast<double*>(out.point[i]) + place;
    const double2 both = pack<Backward>(v[i]);
    const double next = of_next_lane<Width, together>(both.x);
    const bool shifted = reinterpret_cast<unsigned long long>(number) % 16 != 0;
    const bool low = shifted ? there.second : there.first, high = shifted ? has_next : there.second;
    const double2 unit = shifted ? double2{both.y, next} : both;
    double* const begin = shifted ? number + 1 : number;
    if (low && high) {
      *reinterpret_cast<double2*>(begin) = unit;
    } else {
      if (low) begin[0] = unit.x;
      if (high) begin[1] = unit.y;
    }
    if (shifted && is_first && there.first) *number = both.x;
  });
}

template <class C, class T, int Width, bool Backward, bool Odd>
__device__ __forceinline__ void leave(const Cx<T> (&v)[C::E], const KernelOutput& out, const Corner& to,
                                      const ThreadPlace& at) {
  constexpr int last = C::stages - 1;
  if (Odd && out.line_stride[0] % 2 != 0) return leave_shifted<C, T, Width, Backward>(v, out, to, at);
  const LinesThere there(to, at);
  const int column = there.column;
  const bool first = there.first, second = there.second;
  const auto put = [&](int i, double* number) { *reinterpret_cast<double2*>(number) = pack<Backward>(v[i]); };
  if (first && (Traits<T>::lines == 1 || second)) {
    if (out.mixed)
      each_place<C, last>(out, to, column, at.t, put);
    else
      each_shared_place<C, last>(out, to, column, at.t, put);
  } else if (Traits<T>::lines == 2 && (first || second)) {  // an end of a row
    each_place<C, last>(out, to, column, at.t, [&](int i, double* number) {
      const double2 both = pack<Backward>(v[i]);
      number[first ? 0 : 1] = first ? both.x : both.y;
    });
  }
}

}  // namespace shardfft::device::lines
