#pragma once
// The FFT of one line by a team of threads: Stockham stages in registers, exchanged through shared memory one
// component at a time (half the shared memory of a whole complex exchange).
#include "device/cuda/lines/butterfly.cuh"
#include "device/line_cut.hpp"

namespace shardfft::device::lines {

// The index into v, the registers of a thread, is the counter of an unrolled loop. Functions with a constant index for
// each point work too, but take up to twice as long to compile. Only exchanges need them: with loops there, v does not
// fit into registers.

/// A LineCut as a type.
template <int N_, int Team, int... Radix>
struct CutOf {
  static constexpr LineCut line{N_, Team, int(sizeof...(Radix)), {Radix...}};
  static constexpr int N = N_, team = Team, stages = sizeof...(Radix), E = line.points();
  static constexpr int group = line.radix[0], pad = line.pad();
  static constexpr int padded_rows = line.padded(N), table_size = line.table_size();
  static __device__ unsigned row(unsigned position) { return pad != 0 ? position + position / group * pad : position; }
  /// Rows between points that are `step` apart: step is 1, inside a group, or a multiple of the group.
  static __device__ constexpr int stride(int step) { return step == 1 ? 1 : step + step / group * pad; }
  /// Rows of positions t + multiples of the team are multiples apart.
  static constexpr bool regular = pad == 0 || team % group == 0;

  template <int S>
  struct Stage {
    static constexpr int radix = line.radix[S], before = line.before(S), butterflies = line.butterflies(S);
    static constexpr int count = line.count(S), table = line.table_offset(S);
    static constexpr bool even = line.even(S);
  };
};

/// A thread's place: `t` in the team of its line, `lane` the line's column in the shared rows of `width` columns.
struct ThreadPlace {
  unsigned t, lane, width;
};

/// f(b) for the butterflies t + team * b of stage S that exist, whose numbers b are constants.
template <class C, int S, class F>
__device__ __forceinline__ void each_butterfly(unsigned t, F&& f) {
  using Stage = typename C::template Stage<S>;
  each<Stage::count>([&](auto b) {
    constexpr int index = decltype(b)::value;
    if constexpr ((index + 1) * C::team <= Stage::butterflies) {
      f(b);
    } else {
      if (t + index * C::team < Stage::butterflies) f(b);
    }
  });
}

/// The points of stage S in a thread's registers and in the line: calls f(i, offset) for every v[i], which is point
/// number t + offset.
template <class C, int S, class F>
__device__ __forceinline__ void each_point(unsigned t, F&& f) {
  using Stage = typename C::template Stage<S>;
  constexpr int count = Stage::count, step = Stage::butterflies;
  if constexpr (Stage::even) {
#pragma unroll
    for (int i = 0; i < count * Stage::radix; ++i) f(i, i * C::team);
  } else {
    each_butterfly<C, S>(t, [&](auto b) {
#pragma unroll
      for (int r = 0; r < Stage::radix; ++r) f(b + r * count, b * C::team + r * step);
    });
  }
}

/// Twiddles, then the butterflies of stage S, applied to the results of earlier stages: v[b + r * count(S)] is the r-th
/// point of the b-th butterfly.
template <class C, int S, class T>
__device__ __forceinline__ void stage(Cx<T> (&v)[C::E], unsigned t, const typename Traits<T>::Factor* table) {
  using Stage = typename C::template Stage<S>;
  constexpr int R = Stage::radix, P = Stage::before, count = Stage::count;
  each_butterfly<C, S>(t, [&](auto b) {
    Cx<T> u[R];
    [[maybe_unused]] const unsigned column = (t + unsigned(b * C::team)) % P;
#pragma unroll
    for (int r = 0; r < R; ++r) u[r] = v[b + r * count];
    if constexpr (P > 1) {
#pragma unroll
      for (int r = 1; r < R; ++r) {
        const auto w = table[Stage::table + (r - 1) * P + column];
        u[r] = times(u[r], w.x, w.y);
      }
    }
    dft<R>(u);
#pragma unroll
    for (int r = 0; r < R; ++r) v[b + r * count] = u[r];
  });
}

/// Writes or reads one component of the points First + Step * I: rows are Stride apart and have `pitch` numbers.
template <bool Imaginary, int First, int Step, int Stride, class T, int E, int... I>
__device__ __forceinline__ void put_parts(T* to, unsigned pitch, Cx<T> (&v)[E], Indices<I...>) {
  ((to[I * Stride * pitch] = Imaginary ? v[First + I * Step].im : v[First + I * Step].re), ...);
}
template <bool Imaginary, int First, int Step, int Stride, class T, int E, int... I>
__device__ __forceinline__ void get_parts(const T* from, unsigned pitch, Cx<T> (&v)[E], Indices<I...>) {
  (((Imaginary ? v[First + I * Step].im : v[First + I * Step].re) = from[I * Stride * pitch]), ...);
}

/// Writes one component of stage S's results to their sorted rows.
template <class C, int S, bool Imaginary, class T>
__device__ __forceinline__ void scatter(T* rows, const ThreadPlace& at, Cx<T> (&v)[C::E]) {
  using Stage = typename C::template Stage<S>;
  constexpr int R = Stage::radix, P = Stage::before, count = Stage::count;
  each_butterfly<C, S>(at.t, [&](auto b) {
    constexpr int bi = decltype(b)::value;
    const unsigned j = at.t + unsigned(bi * C::team);
    T* to = rows + C::row((j / P) * (P * R) + j % P) * at.width + at.lane;
    put_parts<Imaginary, bi, count, C::stride(P)>(to, at.width, v, typename MakeIndices<R>::Type{});
  });
}
/// Reads one component of stage S's points.
template <class C, int S, bool Imaginary, class T>
__device__ __forceinline__ void gather(const T* rows, const ThreadPlace& at, Cx<T> (&v)[C::E]) {
  using Stage = typename C::template Stage<S>;
  constexpr int R = Stage::radix, count = Stage::count;
  if constexpr (Stage::even && C::regular) {
    const T* from = rows + C::row(at.t) * at.width + at.lane;
    get_parts<Imaginary, 0, 1, C::stride(C::team)>(from, at.width, v, typename MakeIndices<R * count>::Type{});
  } else {
    each_butterfly<C, S>(at.t, [&](auto b) {
      constexpr int bi = decltype(b)::value;
      const T* from = rows + C::row(at.t + unsigned(bi * C::team)) * at.width + at.lane;
      get_parts<Imaginary, bi, count, C::stride(Stage::butterflies)>(from, at.width, v,
                                                                     typename MakeIndices<R>::Type{});
    });
  }
}

/// The results of stage S become the points of the next one. Begins with shared rows free and ends with them in use:
/// the caller's next exchange starts with a barrier. `between` runs once all threads have written one component.
template <class C, int S, class T, class Sync, class Between>
__device__ __forceinline__ void exchange(Cx<T> (&v)[C::E], T* rows, const ThreadPlace& at, Sync sync, Between between) {
  scatter<C, S, false>(rows, at, v);
  sync();
  between();
  gather<C, S + 1, false>(rows, at, v);
  sync();
  scatter<C, S, true>(rows, at, v);
  sync();
  gather<C, S + 1, true>(rows, at, v);
}

/// Barriers of line_fft().
template <class C>
inline constexpr int line_barriers = 4 * (C::stages - 1);

/// Forward FFT of the team's line, from the points of the first stage to those of the last one (each_point). `sync` is
/// a barrier of all threads that work on lines. `between` runs once, when bulk copies that are requested behind a fence
/// (TileBarrier::expect) may overwrite the threads' input. That is late on purpose: at the first barrier loads can
/// still be under way; at the second one, each load has arrived whose number was needed for a store.
template <class C, class T, class Sync, class Between>
__device__ __forceinline__ void line_fft(Cx<T> (&v)[C::E], T* rows, const ThreadPlace& at,
                                         const typename Traits<T>::Factor* table, Sync sync, Between between) {
  static_assert(C::stages > 1, "a line's input is given back in its first exchange");
  stage<C, 0>(v, at.t, table);
  each<C::stages - 1>([&](auto s) {
    constexpr int S = decltype(s)::value;
    sync();
    if constexpr (S == 0)
      exchange<C, S>(v, rows, at, sync, between);
    else
      exchange<C, S>(v, rows, at, sync, [] {});
    stage<C, S + 1>(v, at.t, table);
  });
}

}  // namespace shardfft::device::lines
