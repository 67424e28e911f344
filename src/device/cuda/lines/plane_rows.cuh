#pragma once
// The rows of a plane pass: how those of a tile lie in memory, which of them make a line of the FFT, and what a thread
// takes from them and leaves in them. A thread holds the points t + team * i of its line.
#include "device/cuda/lines/kernel_planes.hpp"
#include "device/cuda/lines/line_fft.cuh"

namespace shardfft::device::lines {

/// Whether the second axis will read a point of a row.
__device__ __forceinline__ bool keeps(const KernelRows& rows, unsigned point) {
  return point - rows.kept_begin < rows.kept_count;
}

/// Points that wait for the second axis stay in the cache; if rows come last, none are left.
template <class V>
__device__ __forceinline__ void store(V* to, V value, bool keep) {
  if (keep)
    *to = value;
  else
    __stcs(to, value);
}

/// Rows of complex numbers: one to a line, two in single precision.
template <class Cut, class T, bool Backward>
struct ComplexRows {
  static constexpr unsigned in_line = Traits<T>::lines, bytes = Cut::N * 16 / in_line;
  static __device__ unsigned stride_in(const KernelRows&) { return bytes; }

  static __device__ __forceinline__ void take(Cx<double> (&v)[Cut::E], const double2* tile, unsigned t, unsigned lane) {
    each<Cut::E>([&](auto i) {
      v[i] = unpack<Backward>(tile[lane * Cut::N + t + i * Cut::team], static_cast<double*>(nullptr));
    });
  }
  static __device__ __forceinline__ void take(Cx<Twin> (&v)[Cut::E], const double2* tile, unsigned t, unsigned lane) {
    const auto* line = reinterpret_cast<const float2*>(tile) + 2 * lane * Cut::N + t;
    each<Cut::E>([&](auto i) {
      const float2 a = line[i * Cut::team], b = line[Cut::N + i * Cut::team];
      v[i] = Backward ? Cx<Twin>{{a.y, b.y}, {a.x, b.x}} : Cx<Twin>{{a.x, b.x}, {a.y, b.y}};
    });
  }
  /// `line` counts from plane 0; `exchange` is the line's shared memory.
  template <class Sync>
  static __device__ __forceinline__ void leave(const Cx<double> (&v)[Cut::E], const KernelRows& rows, std::size_t line,
                                               unsigned t, double* /*exchange*/, Sync /*sync*/) {
    auto* to = reinterpret_cast<double2*>(rows.out) + line * Cut::N;
    each<Cut::E>([&](auto i) {
      const unsigned point = t + i * Cut::team;
      store(to + point, pack<Backward>(v[i]), !Backward && keeps(rows, point));
    });
  }
  template <class Sync>
  static __device__ __forceinline__ void leave(const Cx<Twin> (&v)[Cut::E], const KernelRows& rows, std::size_t line,
                                               unsigned t, Twin* /*exchange*/, Sync /*sync*/) {
    auto* to = reinterpret_cast<float2*>(rows.out) + 2 * line * Cut::N;
    each<Cut::E>([&](auto i) {
      const unsigned point = t + i * Cut::team;
      const bool keep = !Backward && keeps(rows, point);
      const auto &re = v[i].re, &im = v[i].im;
      store(to + point, Backward ? float2{im.a, re.a} : float2{re.a, im.a}, keep);
      store(to + Cut::N + point, Backward ? float2{im.b, re.b} : float2{re.b, im.b}, keep);
    });
  }
};

/// The number of a real row in a point of its line: two rows are the parts of a complex line, two more those of its
/// twin.
__device__ __forceinline__ double& number(Cx<double>& v, int row) { return row == 0 ? v.re : v.im; }
__device__ __forceinline__ float& number(Cx<Twin>& v, int row) {
  Twin& part = row % 2 == 0 ? v.re : v.im;
  return row < 2 ? part.a : part.b;
}

/// Rows of N real numbers, and of the N / 2 + 1 complex ones of their half spectra: two real rows a and b to a complex
/// line a + i b, whose spectrum V has those of both: 2 A[k] = V[k] + conj V[N - k], 2 i B[k] = V[k] - conj V[N - k].
template <class Cut, class T, bool Backward>
struct RealRows {
  using Real = typename Traits<T>::Scalar;
  using Complex = typename Traits<T>::Factor;
  static constexpr int half = Cut::N / 2, mine = Cut::E / 2;  ///< points below the middle: of a line, of a thread
  static_assert(Cut::E % 2 == 0);
  static constexpr unsigned in_line = 2 * Traits<T>::lines;
  static constexpr unsigned real_bytes = Cut::N * sizeof(Real);
  /// Of a row in a tile; half spectra are fetched in whole units of 16 bytes.
  static constexpr unsigned bytes = Backward ? ((half + 1) * sizeof(Complex) + 15) / 16 * 16 : real_bytes;
  static __device__ unsigned stride_in(const KernelRows& rows) { return Backward ? rows.spectrum_stride : real_bytes; }

  static __device__ __forceinline__ void take(Cx<T> (&v)[Cut::E], const double2* tile, unsigned t, unsigned lane) {
    const char* const line = reinterpret_cast<const char*>(tile) + lane * (in_line * bytes);
    const auto row = [&](int r) { return line + r * bytes; };
    if constexpr (!Backward) {
      each<Cut::E>([&](auto i) {
        each<in_line>([&](auto r) { number(v[i], r) = reinterpret_cast<const Real*>(row(r))[t + i * Cut::team]; });
      });
    } else {
      each<Cut::E>([&](auto i) {
        constexpr bool mirrored = decltype(i)::value >= mine;
        const unsigned k = t + i * Cut::team, from = mirrored ? Cut::N - k : k;
        const bool is_real = decltype(i)::value % mine == 0 && t == 0;  // the first point and the middle one
        each<in_line / 2>([&](auto pair) {
          Complex a = reinterpret_cast<const Complex*>(row(2 * pair))[from];
          Complex b = reinterpret_cast<const Complex*>(row(2 * pair + 1))[from];
          if (is_real) a.y = b.y = 0;
          // Parts exchanged, as unpack<true>() does.
          number(v[i], 2 * pair + 1) = mirrored ? a.x + b.y : a.x - b.y;
          number(v[i], 2 * pair) = mirrored ? b.x - a.y : b.x + a.y;
        });
      });
    }
  }

  template <class Sync>
  static __device__ __forceinline__ void leave(const Cx<T> (&v)[Cut::E], const KernelRows& rows, std::size_t line,
                                               unsigned t, T* exchange, Sync sync) {
    const std::size_t first = line * in_line;
    if constexpr (Backward) {
      Real* const to = reinterpret_cast<Real*>(rows.out) + first * Cut::N + t;
      each<Cut::E>([&](auto i) {
        Cx<T> x = v[i];
        each<in_line>([&](auto r) { __stcs(to + r * Cut::N + i * Cut::team, number(x, r ^ 1)); });
      });
    } else {
      sync();
      each<mine>([&](auto i) {  // the upper half of the spectrum, for the threads that have the mirrored points
        exchange[t + i * Cut::team] = v[mine + i].re;
        exchange[half + t + i * Cut::team] = v[mine + i].im;
      });
      sync();
      const auto put = [&](unsigned k, Cx<T> a, Cx<T> b) {
        const bool keep = keeps(rows, k);
        each<in_line>([&](auto r) {
          Cx<T>& x = r % 2 == 0 ? a : b;  // a, b of the first pair, then of the second one
          store(reinterpret_cast<Complex*>(rows.out + (first + r) * rows.spectrum_stride) + k,
                Complex{number(x, r & 2), number(x, (r & 2) + 1)}, keep);
        });
      };
      each<mine>([&](auto i) {
        const unsigned k = t + i * Cut::team, mirror = half - k;
        Cx<T> m{exchange[mirror], exchange[half + mirror]};
        if (decltype(i)::value == 0 && t == 0) m = v[0];
        put(k, {Real(0.5) * (v[i].re + m.re), Real(0.5) * (v[i].im - m.im)},
            {Real(0.5) * (v[i].im + m.im), Real(0.5) * (m.re - v[i].re)});
      });
      if (t == 0) put(half, {v[mine].re, T{}}, {v[mine].im, T{}});
    }
  }
};

}  // namespace shardfft::device::lines
