#pragma once
// The FFT of one line by a team of threads: Stockham stages in registers, exchanged through shared memory one
// component at a time (half the shared memory of a whole complex exchange).
#include "device/cuda/lines/butterfly.cuh"

namespace shardfft::device::lines {

/// How a line of N points is cut: every thread holds E points; the radices multiply to N and each divides E.
template <int N_, int E_, int R0, int R1, int R2 = 1>
struct Recipe {
  static constexpr int N = N_, E = E_, team = N / E;
  static constexpr int radix0 = R0, radix1 = R1, radix2 = R2;
  static_assert(R0 * R1 * R2 == N && E % R0 == 0 && E % R1 == 0 && E % R2 == 0 && N % E == 0);
  static_assert(team % R0 == 0, "steps of a team must be whole groups of rows");
  /// One unused row after every R0 rows keeps the first exchange free of bank conflicts.
  static __host__ __device__ constexpr int padded(int rows) { return rows + rows / R0; }
  static constexpr int padded_rows = padded(N);
  static __device__ unsigned row(unsigned position) { return position + position / R0; }
  /// Rows between points that are `step` apart, where step is 1 inside a group of R0 or a multiple of R0.
  static __host__ __device__ constexpr int stride(int step) { return step == 1 ? 1 : padded(step); }
  /// Twiddle table: (R1-1) x R0 factors of the second stage, then (R2-1) x R0 R1 of the third.
  static constexpr int second_table = 0, third_table = (R1 - 1) * R0;
  static constexpr int table_size = third_table + (R2 - 1) * R0 * R1;
};

/// A thread's place: `t` in the team of its line, `lane` the line's column in the shared rows of `width` columns.
struct Place {
  unsigned t, lane, width;
};

/// Twiddles, then butterflies of radix R over what earlier stages (of product P) left. v[i] is the point t + team*i.
template <class Cut, int R, int P, class T>
__device__ __forceinline__ void stage(Cx<T> (&v)[Cut::E], unsigned t, const typename Traits<T>::Factor* table) {
  constexpr int count = Cut::E / R;
  each<count>([&](auto b) {
    Cx<T> u[R];
    [[maybe_unused]] const unsigned column = (t + unsigned(b * Cut::team)) % P;
    each<R>([&](auto r) {
      u[r] = v[b + r * count];
      if constexpr (P > 1 && decltype(r)::value > 0) {
        const auto w = table[(r - 1) * P + column];
        u[r] = times(u[r], w.x, w.y);
      }
    });
    dft<R>(u);
    each<R>([&](auto r) { v[b + r * count] = u[r]; });
  });
}

/// Writes one component of the stage's results to their sorted rows / reads the next stage's points.
template <class Cut, int R, int P, class T, class Get>
__device__ __forceinline__ void scatter(T* rows, const Place& at, Get get) {
  constexpr int count = Cut::E / R;
  each<count>([&](auto b) {
    const unsigned j = at.t + unsigned(b * Cut::team);
    T* to = rows + Cut::row((j / P) * (P * R) + j % P) * at.width + at.lane;
    each<R>([&](auto r) { to[r * Cut::stride(P) * at.width] = get(b + r * count); });
  });
}
template <class Cut, class T, class Put>
__device__ __forceinline__ void gather(const T* rows, const Place& at, Put put) {
  const T* from = rows + Cut::row(at.t) * at.width + at.lane;
  each<Cut::E>([&](auto i) { put(i, from[i * Cut::stride(Cut::team) * at.width]); });
}

/// Stage results of radix R (product of earlier radices P) become the next stage's inputs. Begins with shared rows
/// free and ends with them in use: the caller's next exchange starts with a barrier. `between` runs once all threads
/// have written one component.
template <class Cut, int R, int P, class T, class Sync, class Between>
__device__ __forceinline__ void exchange(Cx<T> (&v)[Cut::E], T* rows, const Place& at, Sync sync, Between between) {
  scatter<Cut, R, P>(rows, at, [&](int i) { return v[i].re; });
  sync();
  between();
  gather<Cut>(rows, at, [&](int i, T x) { v[i].re = x; });
  sync();
  scatter<Cut, R, P>(rows, at, [&](int i) { return v[i].im; });
  sync();
  gather<Cut>(rows, at, [&](int i, T x) { v[i].im = x; });
}

/// Forward FFT of the team's line: v[i] is the point t + team*i before and after. `sync` is a barrier of all threads
/// that work on lines. `between` runs once, when bulk copies that are asked for behind a fence (TileBarrier::expect)
/// may overwrite what the threads took their input from. That is late on purpose: loads can still be under way at the
/// first barrier; at the second one all have arrived of which a stored number was made.
template <class Cut, class T, class Sync, class Between>
__device__ __forceinline__ void line_fft(Cx<T> (&v)[Cut::E], T* rows, const Place& at,
                                         const typename Traits<T>::Factor* table, Sync sync, Between between) {
  stage<Cut, Cut::radix0, 1>(v, at.t, table);
  sync();
  exchange<Cut, Cut::radix0, 1>(v, rows, at, sync, between);
  stage<Cut, Cut::radix1, Cut::radix0>(v, at.t, table + Cut::second_table);
  if constexpr (Cut::radix2 > 1) {
    sync();
    exchange<Cut, Cut::radix1, Cut::radix0>(v, rows, at, sync, [] {});
    stage<Cut, Cut::radix2, Cut::radix0 * Cut::radix1>(v, at.t, table + Cut::third_table);
  }
}

}  // namespace shardfft::device::lines
