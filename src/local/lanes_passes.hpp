#pragma once
// Complex transforms of several lines at once, one in each lane of the processor's vectors. Included, as
// lanes_lines.hpp and lanes_kernel.hpp are, only by files that are compiled for one set of instructions each; `Isa`
// keeps their code apart.
#include <cstdint>

#include "local/lanes_plan.hpp"

namespace shardfft::lanes {

/// W numbers of type T.
template <class T, int W>
struct VectorOf {
  typedef T type __attribute__((vector_size(W * sizeof(T))));
};

template <class Isa>
struct LanePasses {
  using T = typename Isa::Real;
  static constexpr int W = Isa::width;
  using V = typename VectorOf<T, W>::type;

  /// One complex number of each of W lines.
  struct Point {
    V re, im;
  };

  [[gnu::always_inline]] static Point add(const Point& a, const Point& b) { return {a.re + b.re, a.im + b.im}; }
  [[gnu::always_inline]] static Point sub(const Point& a, const Point& b) { return {a.re - b.re, a.im - b.im}; }
  [[gnu::always_inline]] static V all(T number) { return number - V{}; }
  /// a b + c. These files are compiled with contraction off: where compilers join products and sums differs from one
  /// place to the next, and with it the bits.
  [[gnu::always_inline]] static V fma(const V& a, T b, const V& c) { return Isa::fma(a, all(b), c); }
  [[gnu::always_inline]] static Point times(const Point& a, T re, T im) {
    return {fma(a.re, re, -(a.im * im)), fma(a.im, re, a.re * im)};
  }
  /// -i a.
  [[gnu::always_inline]] static Point turned(const Point& a) { return {a.im, -a.re}; }

  /// Transforms of R points, forward, in registers.
  template <int R>
  [[gnu::always_inline]] static void dft(Point* x) {
    if constexpr (R == 2) {
      const Point a = x[0];
      x[0] = add(a, x[1]);
      x[1] = sub(a, x[1]);
    } else if constexpr (R == 4) {
      const Point a = add(x[0], x[2]), b = sub(x[0], x[2]), c = add(x[1], x[3]), d = turned(sub(x[1], x[3]));
      x[0] = add(a, c);
      x[1] = add(b, d);
      x[2] = sub(a, c);
      x[3] = sub(b, d);
    } else if constexpr (R % 2 == 1) {
      odd<R>(x);
    } else if constexpr (R % 4 == 0) {
      product<4, R / 4>(x);
    } else {
      product<2, R / 2>(x);
    }
  }

  template <int R>
  [[gnu::always_inline]] static void odd(Point* x) {
    constexpr Roots<T, R> roots{};
    constexpr int half = R / 2;
    Point plus[half], minus[half];
    for (int j = 0; j < half; ++j) {
      plus[j] = add(x[j + 1], x[R - 1 - j]);
      minus[j] = sub(x[j + 1], x[R - 1 - j]);
    }
    const Point first = x[0];
    for (int j = 0; j < half; ++j) x[0] = add(x[0], plus[j]);
    for (int k = 1; k <= half; ++k) {
      Point even = first, odd_part{V{}, V{}};
      for (int j = 0; j < half; ++j) {
        const T c = roots.re[(j + 1) * k % R], s = roots.im[(j + 1) * k % R];
        even.re = fma(plus[j].re, c, even.re);
        even.im = fma(plus[j].im, c, even.im);
        odd_part.re = j == 0 ? minus[j].im * -s : fma(minus[j].im, -s, odd_part.re);
        odd_part.im = j == 0 ? minus[j].re * s : fma(minus[j].re, s, odd_part.im);
      }
      x[k] = add(even, odd_part);
      x[R - k] = sub(even, odd_part);
    }
  }

  /// B transforms of A points, then A of B.
  template <int A, int B>
  [[gnu::always_inline]] static void product(Point* x) {
    constexpr Roots<T, A * B> roots{};
    Point y[A * B];
    for (int b = 0; b < B; ++b) {
      Point part[A];
      for (int a = 0; a < A; ++a) part[a] = x[b + B * a];
      dft<A>(part);
      for (int a = 0; a < A; ++a)
        y[a * B + b] = a * b == 0 ? part[a] : times(part[a], roots.re[a * b], roots.im[a * b]);
    }
    for (int a = 0; a < A; ++a) {
      dft<B>(y + a * B);
      for (int b = 0; b < B; ++b) x[a + A * b] = y[a * B + b];
    }
  }

  [[gnu::always_inline]] static V load(const T* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof(V));
    return v;
  }
  [[gnu::always_inline]] static void store(T* p, const V& v) { __builtin_memcpy(p, &v, sizeof(V)); }

  /// Even and odd entries of two vectors, and back.
  template <int... I>
  [[gnu::always_inline]] static Point parted(const V& a, const V& b, Sequence<I...>) {
    return {__builtin_shufflevector(a, b, 2 * I...), __builtin_shufflevector(a, b, 2 * I + 1 ...)};
  }
  template <int... I>
  [[gnu::always_inline]] static V low_joined(const Point& a, Sequence<I...>) {
    return __builtin_shufflevector(a.re, a.im, (I / 2 + (I % 2) * W)...);
  }
  template <int... I>
  [[gnu::always_inline]] static V high_joined(const Point& a, Sequence<I...>) {
    return __builtin_shufflevector(a.re, a.im, (W / 2 + I / 2 + (I % 2) * W)...);
  }

  /// Points where the passes have them.
  struct Inside {
    Point* data;
    [[gnu::always_inline]] Point get(std::int64_t at) const { return data[at]; }
    [[gnu::always_inline]] void put(std::int64_t at, const Point& a) const { data[at] = a; }
  };
  /// Points of W lines that lie side by side.
  struct BesideIn {
    const T* in;
    std::int64_t step;
    [[gnu::always_inline]] Point get(std::int64_t at) const {
      const T* const p = in + at * step;
      return parted(load(p), load(p + W), Lanes<W>{});
    }
  };
  struct BesideOut {
    T* out;
    std::int64_t step;
    T scale;
    const std::int32_t* index;
    [[gnu::always_inline]] void put(std::int64_t at, const Point& a) const {
      T* const p = out + index[at] * step;
      const Point b{a.re * scale, a.im * scale};
      store(p, low_joined(b, Lanes<W>{}));
      store(p + W, high_joined(b, Lanes<W>{}));
    }
  };

  /// Blocks of R m points: transforms of R points that are m apart, then the twiddles of the transforms that follow.
  /// The last pass, where m is 1, has none. Memory is asked for between the results: many requests at once would keep
  /// the points from coming.
  template <int R, bool last, bool asks, class From, class To>
  static void run_pass(const Pass<T>& p, const From& from, const To& to, ReadAhead& ahead) {
    const std::int64_t m = last ? 1 : p.m;
    std::int64_t first = 0;
    for (std::int64_t block = 0; block < p.blocks; ++block, first += R * m) {
      const T* w = p.twiddles;
      for (std::int64_t j = first; j < first + m; ++j) {
        Point x[R];
        ReadAhead::Part part{nullptr, 0};
        if constexpr (asks) part = ahead.take(2 * R * static_cast<int>(sizeof(V)) / ReadAhead::line_bytes, R);
        const std::int64_t step = std::int64_t{part.lines} * ReadAhead::line_bytes / R;
        for (int i = 0; i < R; ++i) x[i] = from.get(j + i * m);
        dft<R>(x);
        to.put(j, x[0]);
        if constexpr (asks) __builtin_prefetch(part.at, 0, 1);
        for (int i = 1; i < R; ++i, w += last ? 0 : 2) {
          to.put(j + i * m, last ? x[i] : times(x[i], w[0], w[1]));
          if constexpr (asks) __builtin_prefetch(part.at + i * step, 0, 1);
        }
      }
    }
  }

  template <bool last, class From, class To>
  static void run_pass(const Pass<T>& p, const From& from, const To& to, ReadAhead& ahead) {
    if (ahead.next == nullptr)
      run_radix<last, false>(p, from, to, ahead);
    else
      run_radix<last, true>(p, from, to, ahead);
  }

  template <bool last, bool asks, class From, class To>
  static void run_radix(const Pass<T>& p, const From& from, const To& to, ReadAhead& ahead) {
    switch (p.radix) {
      case 2:
        return run_pass<2, last, asks>(p, from, to, ahead);
      case 3:
        return run_pass<3, last, asks>(p, from, to, ahead);
      case 4:
        return run_pass<4, last, asks>(p, from, to, ahead);
      case 5:
        return run_pass<5, last, asks>(p, from, to, ahead);
      case 6:
        return run_pass<6, last, asks>(p, from, to, ahead);
      case 7:
        return run_pass<7, last, asks>(p, from, to, ahead);
      case 8:
        return run_pass<8, last, asks>(p, from, to, ahead);
      case 9:
        return run_pass<9, last, asks>(p, from, to, ahead);
      case 10:
        return run_pass<10, last, asks>(p, from, to, ahead);
      case 11:
        return run_pass<11, last, asks>(p, from, to, ahead);
      case 12:
        return run_pass<12, last, asks>(p, from, to, ahead);
      case 13:
        return run_pass<13, last, asks>(p, from, to, ahead);
      case 16:
        return run_pass<16, last, asks>(p, from, to, ahead);
    }
  }

  /// All passes, in place.
  static void run_all(const Passes<T>& passes, Point* data, ReadAhead& ahead) {
    const Inside inside{data};
    for (int i = 0; i < passes.count; ++i) {
      const Pass<T>& p = passes.pass[i];
      if (p.m > 1)
        run_pass<false>(p, inside, inside, ahead);
      else
        run_pass<true>(p, inside, inside, ahead);
    }
  }
};

}  // namespace shardfft::lanes
