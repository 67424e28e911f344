#pragma once
// Transforms of the lines of a batch: as many at once as there are lanes, of real ones twice as many.
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
    const std::int64_t at_once = plan.ends == Ends::complex ? W : 2 * W;
    for (std::int64_t line = 0; line < plan.lines; line += at_once) {
      const std::int64_t left = plan.lines - line;
      const Group group{
          in, out, line, static_cast<int>(left < at_once ? left : at_once), reinterpret_cast<Point*>(scratch), &ahead};
      if (plan.ends == Ends::real_in)
        real_to_half(plan, group);
      else if (plan.ends == Ends::real_out)
        half_to_real(plan, group);
      else if (plan.convolution == nullptr && plan.passes.count > 1)
        complex_lines(plan, group);
      else
        complex_by_scratch(plan, group);
    }
  }

 private:
  /// Lines that are transformed at once, `count` from number `first` on.
  struct Group {
    const T* in;
    T* out;
    std::int64_t first;
    int count;
    Point* scratch;
    ReadAhead* ahead;
  };
  /// Those of the real parts of complex lines, or all, and those of their imaginary parts.
  static Places first_lines(const Plan<T>& plan, const Lines& lines, const Group& g) {
    return {lines, plan.row, g.first, g.count < W ? g.count : W};
  }
  static Places second_lines(const Plan<T>& plan, const Lines& lines, const Group& g) {
    return {lines, plan.row, g.first + W, g.count < W ? 0 : g.count - W};
  }

  /// Lines that lie side by side are read by the first pass, and written by the last one.
  static void complex_lines(const Plan<T>& plan, const Group& g) {
    const Places in = first_lines(plan, plan.in, g), out = first_lines(plan, plan.out, g);
    const bool reads = in.all_beside(), writes = out.all_beside();
    const Inside inside{g.scratch};
    if (!reads) read_all(plan, g, in);
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
    if (!writes) write_all(plan, g, out, g.scratch);
  }

  static void complex_by_scratch(const Plan<T>& plan, const Group& g) {
    read_all(plan, g, first_lines(plan, plan.in, g));
    write_all(plan, g, first_lines(plan, plan.out, g), transform(plan, g.scratch, *g.ahead));
  }

  static void read_all(const Plan<T>& plan, const Group& g, const Places& lines) {
    Base::read_complex(g.in, lines, plan.n, [&](std::int64_t k, const Point& a) { g.scratch[k] = a; });
  }
  static void write_all(const Plan<T>& plan, const Group& g, const Places& lines, const Point* data) {
    Base::write_complex(g.out, lines, plan.n, [&](std::int64_t k) {
      const Point& a = data[plan.place[k]];
      return Point{a.re * plan.scale, a.im * plan.scale};
    });
  }

  /// The first W lines are the real parts of complex lines, the others their imaginary parts.
  static void real_to_half(const Plan<T>& plan, const Group& g) {
    Base::read_real(g.in, first_lines(plan, plan.in, g), plan.n, [&](std::int64_t k, const V& a) {
      g.scratch[k] = {a, V{}};
    });
    if (g.count > W)
      Base::read_real(g.in, second_lines(plan, plan.in, g), plan.n,
                      [&](std::int64_t k, const V& a) { g.scratch[k].im = a; });
    const Point* const z = transform(plan, g.scratch, *g.ahead);
    const T half = plan.scale / 2;
    const auto mirrored = [&](std::int64_t k) -> const Point& { return z[plan.place[k == 0 ? 0 : plan.n - k]]; };
    Base::write_complex(g.out, first_lines(plan, plan.out, g), plan.n / 2 + 1, [&](std::int64_t k) {
      const Point &a = z[plan.place[k]], &b = mirrored(k);
      return Point{(a.re + b.re) * half, (a.im - b.im) * half};
    });
    if (g.count <= W) return;
    Base::write_complex(g.out, second_lines(plan, plan.out, g), plan.n / 2 + 1, [&](std::int64_t k) {
      const Point &a = z[plan.place[k]], &b = mirrored(k);
      return Point{(a.im + b.im) * half, (b.re - a.re) * half};
    });
  }

  /// The other way: spectra A and B of real lines are A + i B of complex ones. Imaginary parts that must vanish are
  /// not looked at.
  static void half_to_real(const Plan<T>& plan, const Group& g) {
    const std::int64_t n = plan.n;
    Point* const z = g.scratch;
    Base::read_complex(g.in, first_lines(plan, plan.in, g), n / 2 + 1,
                       [&](std::int64_t k, const Point& a) { z[k] = a; });
    Base::read_complex(g.in, second_lines(plan, plan.in, g), n / 2 + 1, [&](std::int64_t k, const Point& b) {
      const Point a = z[k];
      if (k == 0 || 2 * k == n) {
        z[k] = {a.re, b.re};
      } else {
        z[k] = {a.re - b.im, a.im + b.re};
        z[n - k] = {a.re + b.im, b.re - a.im};
      }
    });
    const Point* const x = transform(plan, z, *g.ahead);
    Base::write_real(g.out, first_lines(plan, plan.out, g), n,
                     [&](std::int64_t k) { return x[plan.place[k]].re * plan.scale; });
    if (g.count > W)
      Base::write_real(g.out, second_lines(plan, plan.out, g), n,
                       [&](std::int64_t k) { return x[plan.place[k]].im * plan.scale; });
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
