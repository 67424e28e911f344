#pragma once
// Transforms of the lines of a batch: as many at once as there are lanes.
#include "local/lanes_lines.hpp"

namespace shardfft::lanes {

template <class Isa>
struct Kernel : LaneLines<Isa> {
  using Base = LaneLines<Isa>;
  using Base::W, Base::add, Base::times;
  using typename Base::BesideIn, typename Base::BesideOut, typename Base::Inside;
  using typename Base::Places, typename Base::Point, typename Base::T, typename Base::V;

  static void run(const Plan<T>& plan, const T* in, T* out, std::byte* scratch, ReadAhead& ahead) {
    const int count = plan.convolution == nullptr ? plan.passes.count : 2 * plan.convolution->passes.count;
    ahead.passes = count > 0 ? count : 1;
    ahead.idle = reinterpret_cast<const char*>(scratch);
    for (std::int64_t line = 0; line < plan.lines; line += W) {
      const int lines = static_cast<int>(plan.lines - line < W ? plan.lines - line : W);
      const Group group{in,
                        out,
                        {plan.in, plan.row, line, lines},
                        {plan.out, plan.row, line, lines},
                        reinterpret_cast<Point*>(scratch),
                        &ahead};
      if (plan.ends != Ends::complex)
        real_lines(plan, group);
      else if (plan.convolution == nullptr && plan.passes.count > 1)
        complex_lines(plan, group);
      else
        complex_by_scratch(plan, group);
    }
  }

 private:
  /// W lines that are transformed at once, or those that are left.
  struct Group {
    const T* in;
    T* out;
    Places from, to;
    Point* scratch;
    ReadAhead* ahead;
  };

  /// Lines that lie side by side are read by the first pass, and written by the last one.
  static void complex_lines(const Plan<T>& plan, const Group& g) {
    const Places &in = g.from, &out = g.to;
    const bool reads = in.all_beside(), writes = out.all_beside();
    const Inside inside{g.scratch};
    if (!reads) read_all(plan, g);
    for (int i = 0; i < plan.passes.count; ++i) {
      const Pass<T>& p = plan.passes.pass[i];
      if (reads && i == 0)
        Base::template run_pass<false>(p, BesideIn{g.in + 2 * in.begin[0], 2 * in.stride}, inside, *g.ahead);
      else if (p.m > 1)
        Base::template run_pass<false>(p, inside, inside, *g.ahead);
      else if (writes)
        Base::template run_pass<true>(
            p, inside, BesideOut{g.out + 2 * out.begin[0], 2 * out.stride, plan.scale, plan.index}, *g.ahead);
      else
        Base::template run_pass<true>(p, inside, inside, *g.ahead);
    }
    if (!writes) write_all(plan, g, g.scratch);
  }

  static void complex_by_scratch(const Plan<T>& plan, const Group& g) {
    read_all(plan, g);
    write_all(plan, g, transform(plan, g.scratch, *g.ahead));
  }

  static void read_all(const Plan<T>& plan, const Group& g) {
    Base::read_complex(g.in, g.from, plan.n, [&](std::int64_t k, const Point& a) { g.scratch[k] = a; });
  }
  static void write_all(const Plan<T>& plan, const Group& g, const Point* data) {
    Base::write_complex(g.out, g.to, plan.n, [&](std::int64_t k) {
      const Point& a = data[plan.place[k]];
      return Point{a.re * plan.scale, a.im * plan.scale};
    });
  }

  static void real_lines(const Plan<T>& plan, const Group& g) {
    const bool even = plan.factors != nullptr;
    if (plan.ends == Ends::real_in)
      even ? even_to_half(plan, g) : odd_to_half(plan, g);
    else
      even ? half_to_even(plan, g) : half_to_odd(plan, g);
  }

  /// Numbers 2 j and 2 j + 1 of a line are a complex point z(j). With the spectra E and O of the even and the odd ones,
  /// Z is E + i O, and the spectrum of the line E + O exp(-pi i k / n).
  static void even_to_half(const Plan<T>& plan, const Group& g) {
    V* const numbers = &g.scratch->re;
    Base::read_real(g.in, g.from, plan.numbers, [&](std::int64_t k, const V& a) { numbers[k] = a; });
    const Point* const z = transform(plan, g.scratch, *g.ahead);
    const T half = plan.scale / 2;
    Base::write_complex(g.out, g.to, plan.n + 1, [&](std::int64_t k) {
      const Point &a = z[plan.place[k < plan.n ? k : 0]], &b = z[plan.place[k > 0 ? plan.n - k : 0]];
      const Point odd = times({a.im + b.im, b.re - a.re}, plan.factors[2 * k], plan.factors[2 * k + 1]);
      return Point{Base::fma(a.re + b.re, half, odd.re), Base::fma(a.im - b.im, half, odd.im)};
    });
  }

  /// The other way. Imaginary parts that must vanish are not looked at.
  static void half_to_even(const Plan<T>& plan, const Group& g) {
    Point* const z = g.scratch;
    const std::int64_t n = plan.n;
    Base::read_complex(g.in, g.from, n + 1, [&](std::int64_t k, const Point& b) {
      const Point a = z[k > 0 ? n - k : 0];
      if (2 * k < n) {
        z[k] = b;
      } else if (2 * k == n) {
        z[k] = {b.re + b.re, -(b.im + b.im)};
      } else if (k == n) {
        z[0] = {a.re + b.re, a.re - b.re};
      } else {
        const Point odd = times({a.re - b.re, a.im + b.im}, plan.factors[2 * (n - k)], -plan.factors[2 * (n - k) + 1]);
        z[n - k] = {a.re + b.re - odd.im, a.im - b.im + odd.re};
        z[k] = {a.re + b.re + odd.im, b.im - a.im + odd.re};
      }
    });
    const Point* const x = transform(plan, z, *g.ahead);
    Base::write_real(g.out, g.to, plan.numbers, [&](std::int64_t k) {
      const Point& a = x[plan.place[k / 2]];
      return (k % 2 == 0 ? a.re : a.im) * plan.scale;
    });
  }

  static void odd_to_half(const Plan<T>& plan, const Group& g) {
    Base::read_real(g.in, g.from, plan.n, [&](std::int64_t k, const V& a) { g.scratch[k] = {a, V{}}; });
    const Point* const z = transform(plan, g.scratch, *g.ahead);
    Base::write_complex(g.out, g.to, plan.n / 2 + 1, [&](std::int64_t k) {
      const Point& a = z[plan.place[k]];
      return Point{a.re * plan.scale, k == 0 ? V{} : a.im * plan.scale};
    });
  }

  static void half_to_odd(const Plan<T>& plan, const Group& g) {
    Point* const z = g.scratch;
    Base::read_complex(g.in, g.from, plan.n / 2 + 1, [&](std::int64_t k, const Point& a) {
      z[k] = {a.re, k == 0 ? V{} : a.im};
      if (k > 0) z[plan.n - k] = {a.re, -a.im};
    });
    const Point* const x = transform(plan, z, *g.ahead);
    Base::write_real(g.out, g.to, plan.n, [&](std::int64_t k) { return x[plan.place[k]].re * plan.scale; });
  }

  /// Of what scratch begins with; where the results are.
  static Point* transform(const Plan<T>& plan, Point* data, ReadAhead& ahead) {
    if (plan.convolution == nullptr) {
      Base::run_all(plan.passes, data, ahead);
      return data;
    }
    Point* const work = data + scratch_points(plan);
    return plan.convolution->gather != nullptr ? by_rader(*plan.convolution, data, work, ahead)
                                               : by_bluestein(*plan.convolution, plan.n, data, work, ahead);
  }

  /// Point 0 is not part of the convolution; its result comes behind the others.
  static Point* by_rader(const Convolution<T>& c, Point* data, Point* work, ReadAhead& ahead) {
    const std::int64_t m = c.passes.n;
    const Point first = data[0];
    for (std::int64_t q = 0; q < m; ++q) work[q] = data[c.gather[q]];
    Base::run_all(c.passes, work, ahead);
    multiply(c, work, data);
    data[0] = add(data[0], first);
    Base::run_all(c.passes, data, ahead);
    data[m] = add(first, work[c.passes.place[0]]);
    return data;
  }

  static Point* by_bluestein(const Convolution<T>& c, std::int64_t n, Point* data, Point* work, ReadAhead& ahead) {
    const std::int64_t m = c.passes.n;
    for (std::int64_t j = 0; j < n; ++j) work[j] = times(data[j], c.chirp[2 * j], c.chirp[2 * j + 1]);
    for (std::int64_t j = n; j < m; ++j) work[j] = {V{}, V{}};
    Base::run_all(c.passes, work, ahead);
    multiply(c, work, data);
    Base::run_all(c.passes, data, ahead);
    for (std::int64_t k = 0; k < n; ++k)
      work[k] = times(data[c.passes.place[k == 0 ? 0 : m - k]], c.chirp[2 * k], c.chirp[2 * k + 1]);
    return work;
  }

  static void multiply(const Convolution<T>& c, const Point* from, Point* to) {
    for (std::int64_t q = 0; q < c.passes.n; ++q)
      to[q] = times(from[c.passes.place[q]], c.spectrum[2 * q], c.spectrum[2 * q + 1]);
  }
};

}  // namespace shardfft::lanes
