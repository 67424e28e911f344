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

  /// One complex number of each of W lines. Copied part by part: GCC copies trivially copyable types through memory.
  struct Point {
    V re, im;
    Point() = default;
    [[gnu::always_inline]] Point(const V& real, const V& imaginary) : re(real), im(imaginary) {}
    [[gnu::always_inline]] explicit Point(const V& real) : re(real), im(V{}) {}
    [[gnu::always_inline]] Point(const Point& a) : re(a.re), im(a.im) {}
    [[gnu::always_inline]] Point& operator=(const Point& a) { return re = a.re, im = a.im, *this; }
  };

  [[gnu::always_inline]] static Point add(const Point& a, const Point& b) { return {a.re + b.re, a.im + b.im}; }
  [[gnu::always_inline]] static Point sub(const Point& a, const Point& b) { return {a.re - b.re, a.im - b.im}; }
  [[gnu::always_inline]] static V add(const V& a, const V& b) { return a + b; }
  [[gnu::always_inline]] static V sub(const V& a, const V& b) { return a - b; }
  [[gnu::always_inline]] static V all(T number) { return number - V{}; }
  /// a b + c. These files are compiled with contraction off: compilers would join products and sums in some places and
  /// not in others, and change the bits of results.
  [[gnu::always_inline]] static V fma(const V& a, T b, const V& c) { return Isa::fma(a, all(b), c); }
  [[gnu::always_inline]] static Point fma(const Point& a, T b, const Point& c) {
    return {fma(a.re, b, c.re), fma(a.im, b, c.im)};
  }
  [[gnu::always_inline]] static Point times(const V& a, T re, T im) { return {a * re, a * im}; }
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
        y[a * B + b] = a * b == 0           ? part[a]
                       : 4 * a * b == A * B ? turned(part[a])
                                            : times(part[a], roots.re[a * b], roots.im[a * b]);
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

  /// Points in the order of the passes.
  struct Inside {
    Point* data;
    [[gnu::always_inline]] Point get(std::int64_t at) const { return data[at]; }
    [[gnu::always_inline]] void put(std::int64_t at, const Point& a) const { data[at] = a; }
  };
  /// Writes the results of the last pass by their numbers.
  template <class To>
  struct Placed {
    To to;
    T scale;
    const std::int32_t* index;
    [[gnu::always_inline]] void put(std::int64_t at, const Point& a) const {
      to.put(index[at], {a.re * scale, a.im * scale});
    }
  };

  /// Blocks of R m points: transforms of R points that are m apart, then the twiddles of the transforms that follow.
  /// The last pass, with m = 1, has none. Memory is prefetched between the results: many requests at once would delay
  /// the points.
  template <int R, bool last, bool asks, class From, class To>
  static void run_pass(const RadixPass<T>& p, From from, To to, ReadAhead& ahead) {
    const std::int64_t blocks = p.blocks;
    const T* const twiddles = p.twiddles;
    const std::int64_t m = last ? 1 : p.m;
    std::int64_t first = 0;
    for (std::int64_t block = 0; block < blocks; ++block, first += R * m) {
      const T* w = twiddles;
      for (std::int64_t j = first; j < first + m; ++j) {
        Point x[R];
        ReadAhead::CacheLines part{nullptr, 0};
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
  static void run_pass(const RadixPass<T>& p, const From& from, const To& to, ReadAhead& ahead) {
    ahead.next == nullptr ? run_radix<last, false>(p, from, to, ahead) : run_radix<last, true>(p, from, to, ahead);
  }

  /// Passes with many points need many registers. Ends of lines come in many forms, so they have fewer radices.
  template <int R, bool last, bool asks, class From, class To>
  static bool try_radix(const RadixPass<T>& p, const From& from, const To& to, ReadAhead& ahead) {
    constexpr bool ends = !(__is_same(From, Inside) && __is_same(To, Inside));
    if constexpr (takes(R, ends)) {
      if (p.radix == R) {
        run_pass<R, last, asks>(p, from, to, ahead);
        return true;
      }
    }
    return false;
  }
  static constexpr bool takes(int radix, bool ends) {
    return radix <= 10 || (Isa::registers == 32 ? radix % 4 == 0 || !ends : radix % 2 == 1 && !ends);
  }
  template <bool last, bool asks, class From, class To>
  static void run_radix(const RadixPass<T>& p, const From& from, const To& to, ReadAhead& ahead) {
    const auto any = [&](auto... radix) {
      (void)(try_radix<decltype(radix)::value, last, asks>(p, from, to, ahead) || ...);
    };
    any(Number<4>{}, Number<8>{}, Number<6>{}, Number<5>{}, Number<3>{}, Number<2>{}, Number<7>{}, Number<9>{},
        Number<10>{}, Number<16>{}, Number<12>{}, Number<11>{}, Number<13>{});
  }

  /// Keeps it in registers: compilers would load it again for each operation.
  [[gnu::always_inline]] static V held(V a) {
    if constexpr (sizeof(V) > 16) asm("" : "+v"(a));
    return a;
  }
  [[gnu::always_inline]] static Point held(const Point& a) { return {held(a.re), held(a.im)}; }
  /// A pass of an odd radix by the definition, for two numbers k at once, so that each loaded number is used twice. If
  /// the numbers are real (Number is V), half the results are conjugates of the others, and are left out.
  template <int known = 0, class Number>
  static void run_odd(const RadixPass<T>& pass, const Number* from, Point* to, ReadAhead& ahead) {
    constexpr bool real = sizeof(Number) == sizeof(V);
    const int R = known > 0 ? known : pass.radix, half = R / 2, twiddles = real ? half : R - 1;
    const std::int64_t m = pass.m;
    Number plus[most_radix / 2], minus[most_radix / 2];
    for (std::int64_t block = 0; block < pass.blocks; ++block, from += R * m, to += R * m)
      for (std::int64_t at = 0; at < m; ++at) {
        const Number* const x = from + at;
        const ReadAhead::CacheLines part = ahead.take(R * static_cast<int>(sizeof(Number)) / ReadAhead::line_bytes, R);
        for (int i = 0; i < part.lines; ++i) __builtin_prefetch(part.at + i * ReadAhead::line_bytes, 0, 1);
        const Number first = x[0];
        Number sum = first;
        for (int j = 0; j < half; ++j) {
          const Number a = x[(j + 1) * m], b = x[(R - 1 - j) * m];
          plus[j] = add(a, b);
          minus[j] = sub(a, b);
          sum = add(sum, plus[j]);
        }
        to[at] = Point(sum);
        const T* const w = pass.twiddles + 2 * twiddles * at;
        const auto put = [&](int k, const Point& a) {
          to[at + k * m] = m == 1 ? a : times(a, w[2 * k - 2], w[2 * k - 1]);
        };
        const auto put_both = [&](int k, const Number& a, const Number& b) {
          if constexpr (real) {
            if (k <= half) put(k, {a, -b});
          } else {
            put(k, {a.re + b.im, a.im - b.re});
            put(R - k, {a.re - b.im, a.im + b.re});
          }
        };
        const T* root = pass.roots;
        for (int k = 1; k <= half; k += 2) {
          Number a = first, b = first, c(V{}), d(V{});
          for (int j = 0; j < half; ++j, root += 4) {
            const Number p = held(plus[j]), q = held(minus[j]);
            a = fma(p, root[0], a);
            b = fma(p, root[2], b);
            c = fma(q, root[1], c);
            d = fma(q, root[3], d);
          }
          put_both(k, a, c);
          put_both(k + 1, b, d);
        }
      }
  }

  /// Lines with no larger radix begin with one of these: it takes a large part of their time, and has code of its own.
  static void run_real(const RadixPass<T>& p, const V* from, Point* to, ReadAhead& ahead) {
    const auto run = [&](auto radix) {
      return p.radix == radix.value && (run_odd<radix.value>(p, from, to, ahead), true);
    };
    if (!run(Number<5>{}) && !run(Number<7>{}) && !run(Number<9>{})) run_odd(p, from, to, ahead);
  }

  static void run_inside(const RadixPass<T>& p, Point* data, ReadAhead& ahead) {
    const Inside inside{data};
    if (p.roots != nullptr) return run_odd(p, data, data, ahead);
    p.m > 1 ? run_pass<false>(p, inside, inside, ahead) : run_pass<true>(p, inside, inside, ahead);
  }
  static void run_all(const RadixPasses<T>& passes, Point* data, ReadAhead& ahead) {
    for (int i = 0; i < passes.count; ++i) run_inside(passes.pass[i], data, ahead);
  }
};

}  // namespace shardfft::lanes
