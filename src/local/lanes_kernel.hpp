#pragma once
// Transforms of the lines of a batch: as many at once as there are lanes.
#include "local/lanes_lines.hpp"

namespace shardfft::lanes {

template <class Isa>
struct Kernel : LaneLines<Isa> {
  using Base = LaneLines<Isa>;
  using Base::W, Base::add, Base::times;
  using typename Base::BesideIn, typename Base::BesideOut, typename Base::Inside;
  using DenseIn = typename Base::template RowsIn<typename Base::Dense>;
  using DenseOut = typename Base::template RowsOut<true, typename Base::Dense>;
  using typename Base::Places, typename Base::Point, typename Base::T, typename Base::V;

  static void run(const Plan<T>& plan, const T* in, T* out, std::byte* scratch, ReadAhead& ahead) {
    const int count = plan.convolution == nullptr ? plan.passes.count : 2 * plan.convolution->passes.count;
    ahead.passes = count > 0 ? count : 1;
    ahead.idle = reinterpret_cast<const char*>(scratch);
    Point* const points = reinterpret_cast<Point*>(scratch);
    for (std::int64_t line = 0; line < plan.lines; line += W) {
      const int lines = static_cast<int>(plan.lines - line < W ? plan.lines - line : W);
      const Group group{in, out, {plan.in, plan.row, line, lines}, {plan.out, plan.row, line, lines}, points, &ahead};
      if (plan.ends == Ends::complex)
        complex_lines(plan, group);
      else if (plan.ends == Ends::real_in)
        plan.factors != nullptr ? even_to_half(plan, group) : odd_to_half(plan, group);
      else
        plan.factors != nullptr ? half_to_even(plan, group) : half_to_odd(plan, group);
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

  /// Whether the first pass reads the lines itself, and does; `parts` numbers a point.
  template <int parts>
  static bool begin(const Plan<T>& plan, const Group& g) {
    if (plan.convolution != nullptr || plan.passes.count < 2) return false;
    const Pass<T>& first = plan.passes.pass[0];
    if (!Base::takes(first.radix, true)) return false;
    const auto run = [&](const auto& from) {
      Base::template run_pass<false>(first, from, Inside{g.scratch}, *g.ahead);
      return true;
    };
    if (parts == 2 && g.from.all_beside()) return run(BesideIn(g.in, g.from));
    if constexpr (Base::has_pairs)
      if (Base::are_rows(g.from) && Base::in_pairs(plan.n, Base::most_read_in_pairs))
        return run(DenseIn(g.in, g.from, parts, {}));
    return false;
  }
  /// Whether the last pass writes them, and does.
  template <int parts>
  static bool end(const Plan<T>& plan, const Group& g, const Pass<T>& last, std::int64_t offset) {
    if (plan.passes.count < 2 || g.to.count < W || !Base::takes(last.radix, true)) return false;
    const auto run = [&](const auto& to) {
      Base::template run_pass<true>(last, Inside{g.scratch + offset}, Base::placed(to, plan.scale, plan.index + offset),
                                    *g.ahead);
      return true;
    };
    if (parts == 2 && g.to.all_beside()) return run(BesideOut(g.out, g.to));
    if constexpr (Base::has_pairs)
      if (Base::are_rows(g.to) && Base::in_pairs(plan.n, Base::most_written_in_pairs))
        return run(DenseOut(g.out, g.to, parts, {}));
    return false;
  }

  static void complex_lines(const Plan<T>& plan, const Group& g) {
    Point* const points = g.scratch;
    const bool begun = begin<2>(plan, g);
    if (!begun && Base::has_blocks && Base::are_rows(g.from))
      Base::read_rows(g.in, g.from, 2, plan.n, [&](std::int64_t k, const Point& a) { points[k] = a; });
    else if (!begun)
      Base::with_points(g.in, g.from, [&](const auto& from) {
        for (std::int64_t k = 0; k < plan.n; ++k) points[k] = from.get(k);
      });
    const Point* const z =
        transform(plan, g, begun, [&](const Pass<T>& last, std::int64_t at) { return end<2>(plan, g, last, at); });
    if (z == nullptr) return;
    const auto get = [&](std::int64_t k) { return scaled(z[plan.place[k]], plan.scale); };
    if (Base::has_blocks && Base::are_rows(g.to))
      Base::write_rows(g.out, g.to, 2, plan.n, get);
    else
      Base::with_places(g.out, g.to, [&](const auto& to) {
        for (std::int64_t k = 0; k < plan.n; ++k) to.put(k, get(k));
      });
  }
  [[gnu::always_inline]] static Point scaled(const Point& a, T by) { return {a.re * by, a.im * by}; }

  /// Numbers 2 j and 2 j + 1 of a line are a complex point z(j). With the spectra E and O of the even and the odd ones,
  /// Z is E + i O, and the spectrum of the line E + O exp(-pi i k / n).
  static void even_to_half(const Plan<T>& plan, const Group& g) {
    const bool begun = begin<1>(plan, g);
    if (!begun && Base::has_blocks && Base::are_rows(g.from))
      Base::read_rows(g.in, g.from, 1, plan.n, [&](std::int64_t k, const Point& a) { g.scratch[k] = a; });
    else if (!begun)
      Base::with_numbers(const_cast<T*>(g.in), g.from, [&](const auto& from) {
        for (std::int64_t k = 0; k < plan.n; ++k) g.scratch[k] = from.get(k);
      });
    Point* const z = transform(plan, g, begun, [](const Pass<T>&, std::int64_t) { return false; });
    const std::int64_t n = plan.n;
    const std::int32_t* const place = plan.place;
    const T scale = plan.scale, half = scale / 2;
    const auto finish = [&](const auto& to) {
      const Point first = z[place[0]];
      to.put(0, {(first.re + first.im) * scale, V{}});
      to.put(n, {(first.re - first.im) * scale, V{}});
      std::int64_t k = 1;
      for (; k < n - k; ++k) {
        const Point &a = z[place[k]], &b = z[place[n - k]];
        const V re = a.re + b.re, im = a.im - b.im;
        const Point odd = times({a.im + b.im, b.re - a.re}, plan.factors[2 * k], plan.factors[2 * k + 1]);
        to.put(k, {Base::fma(re, half, odd.re), Base::fma(im, half, odd.im)});
        to.put(n - k, {Base::fma(re, half, -odd.re), Base::fma(-im, half, odd.im)});
      }
      if (k == n - k) to.put(k, {z[place[k]].re * scale, z[place[k]].im * -scale});
    };
    if (W <= 8 || !Base::are_rows(g.to)) return Base::with_places(g.out, g.to, finish);
    Kept kept{z, place, n, Point{}};
    finish(kept);
    Base::write_rows(g.out, g.to, 2, n + 1, [&](std::int64_t k) { return k < n ? z[place[k]] : kept.last; });
  }
  /// Half a spectrum in the places of what it is made of (point n has none), where each would be stored in many pieces.
  struct Kept {
    Point* z;
    const std::int32_t* place;
    std::int64_t n;
    mutable Point last;
    [[gnu::always_inline]] void put(std::int64_t k, const Point& a) const { (k < n ? z[place[k]] : last) = a; }
  };

  /// The other way. Imaginary parts that must vanish are not looked at.
  static void half_to_even(const Plan<T>& plan, const Group& g) {
    Point* const z = g.scratch;
    const std::int64_t n = plan.n;
    Base::with_points(g.in, g.from, [&](const auto& from) {
      const V zero = from.get(0).re, middle = from.get(n).re;
      z[0] = {zero + middle, zero - middle};
      std::int64_t k = 1;
      for (; k < n - k; ++k) {
        const Point a = from.get(k), b = from.get(n - k);
        const V re = a.re + b.re, im = a.im - b.im;
        const Point odd = times({a.re - b.re, a.im + b.im}, plan.factors[2 * k], -plan.factors[2 * k + 1]);
        z[k] = {re - odd.im, im + odd.re};
        z[n - k] = {re + odd.im, odd.re - im};
      }
      if (k == n - k) {
        const Point a = from.get(k);
        z[k] = {a.re + a.re, -(a.im + a.im)};
      }
    });
    const Point* const x =
        transform(plan, g, false, [&](const Pass<T>& last, std::int64_t at) { return end<1>(plan, g, last, at); });
    if (x == nullptr) return;
    const auto get = [&](std::int64_t k) { return scaled(x[plan.place[k]], plan.scale); };
    if (Base::has_blocks && Base::are_rows(g.to))
      Base::write_rows(g.out, g.to, 1, n, get);
    else
      Base::write_numbers(g.out, g.to, plan.numbers, get);
  }

  static void odd_to_half(const Plan<T>& plan, const Group& g) {
    Point* const z = g.scratch;
    Base::with_numbers(const_cast<T*>(g.in), g.from, [&](const auto& from) {
      z[plan.n - 1] = {from.number(plan.n - 1), V{}};
      for (std::int64_t k = 0; k < plan.n / 2; ++k) {
        const Point a = from.get(k);
        z[2 * k] = {a.re, V{}};
        z[2 * k + 1] = {a.im, V{}};
      }
    });
    Point* const x = transform(plan, g, false, [](const Pass<T>&, std::int64_t) { return false; });
    Base::with_places(g.out, g.to, [&](const auto& to) {
      to.put(0, {x[plan.place[0]].re * plan.scale, V{}});
      for (std::int64_t k = 1; k <= plan.n / 2; ++k) to.put(k, scaled(x[plan.place[k]], plan.scale));
    });
  }

  static void half_to_odd(const Plan<T>& plan, const Group& g) {
    Point* const z = g.scratch;
    Base::with_points(g.in, g.from, [&](const auto& from) {
      z[0] = {from.get(0).re, V{}};
      for (std::int64_t k = 1; k <= plan.n / 2; ++k) {
        const Point a = from.get(k);
        z[k] = a;
        z[plan.n - k] = {a.re, -a.im};
      }
    });
    const Point* const x = transform(plan, g, false, [](const Pass<T>&, std::int64_t) { return false; });
    const auto number = [&](std::int64_t k) { return k < plan.n ? x[plan.place[k]].re * plan.scale : V{}; };
    Base::write_numbers(g.out, g.to, plan.n, [&](std::int64_t k) { return Point{number(2 * k), number(2 * k + 1)}; });
  }

  /// Of what scratch begins with, or of the results of the first pass; where the results are, or null where end() has
  /// run the last pass and written them.
  template <class End>
  static Point* transform(const Plan<T>& plan, const Group& g, bool begun, const End& end) {
    Point* const data = g.scratch;
    if (plan.convolution != nullptr) {
      Point* const work = data + scratch_points(plan);
      return plan.convolution->gather != nullptr ? by_rader(*plan.convolution, data, work, *g.ahead)
                                                 : by_bluestein(*plan.convolution, plan.n, data, work, *g.ahead);
    }
    const Passes<T>& all = plan.passes;
    if (all.count == 0) return data;
    if (!begun && all.count > 1) Base::run_inside(all.pass[0], data, *g.ahead);
    // What the first pass leaves are transforms of their own. They run one after the other where all are too many for
    // the first-level cache.
    const std::int64_t parts =
        all.count > 2 && plan.n * std::int64_t{sizeof(Point)} > 16 * 1024 ? all.pass[0].radix : 1;
    bool written = false;
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t offset = part * (plan.n / parts);
      for (int i = 1; i < all.count - 1; ++i) Base::run_inside(part_of(all.pass[i], parts), data + offset, *g.ahead);
      const Pass<T> last = part_of(all.pass[all.count - 1], parts);
      written = end(last, offset);
      if (!written) Base::run_inside(last, data + offset, *g.ahead);
    }
    return written ? nullptr : data;
  }
  static Pass<T> part_of(Pass<T> pass, std::int64_t parts) {
    pass.blocks /= parts;
    return pass;
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
