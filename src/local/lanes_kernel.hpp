#pragma once
// Transforms of the lines of a batch, one SIMD batch after the other.
#include "local/lanes_lines.hpp"

namespace shardfft::lanes {

template <class Isa>
struct Kernel : LaneLines<Isa> {
  using Base = LaneLines<Isa>;
  using Base::W, Base::add, Base::sub, Base::times;
  using typename Base::Beside, typename Base::Inside;
  using DenseRows = typename Base::template Rows<true, typename Base::Dense>;
  using typename Base::Places, typename Base::Point, typename Base::T, typename Base::V;

  static void run(const Plan<T>& plan, const T* in, T* out, std::byte* scratch, ReadAhead& ahead) {
    const int count = plan.convolution == nullptr ? plan.passes.count : 2 * plan.convolution->passes.count;
    ahead.passes = count > 0 ? count : 1;
    ahead.idle = reinterpret_cast<const char*>(scratch);
    Point* const points = reinterpret_cast<Point*>(scratch);
    for (std::int64_t line = 0; line < plan.lines; line += W) {
      const int lines = static_cast<int>(plan.lines - line < W ? plan.lines - line : W);
      const Group group{
          const_cast<T*>(in), out, {plan.in, plan.row, line, lines}, {plan.out, plan.row, line, lines}, points, &ahead};
      if (plan.ends == Ends::complex)
        complex_lines(plan, group);
      else if (plan.factors == nullptr)
        odd_lines(plan, group);
      else
        plan.ends == Ends::real_in ? even_to_half(plan, group) : half_to_even(plan, group);
    }
  }

 private:
  /// W lines that are transformed at once, or the remaining ones.
  struct Group {
    T *in, *out;
    Places from, to;
    Point* scratch;
    ReadAhead* ahead;
  };

  /// If the first pass can read the lines itself, runs it and returns true; `parts` numbers a point.
  template <int parts>
  static bool begin(const Plan<T>& plan, const Group& g) {
    const RadixPass<T>* const first = plan.passes.pass;
    if (plan.convolution != nullptr || plan.passes.count < 2 || !Base::takes(first->radix, true)) return false;
    const auto run = [&](const auto& from) {
      Base::template run_pass<false>(*first, from, Inside{g.scratch}, *g.ahead);
      return true;
    };
    if (parts == 2 && g.from.all_beside()) return run(Beside(g.in, g.from));
    if constexpr (Base::has_pairs)
      if (Base::are_rows(g.from) && Base::in_pairs(plan.n, Base::most_read_in_pairs))
        return run(DenseRows(g.in, g.from, parts, {}));
    return false;
  }
  /// If the last pass can write the lines itself, runs it and returns true.
  template <int parts>
  static bool end(const Plan<T>& plan, const Group& g, const RadixPass<T>& last, std::int64_t offset) {
    if (plan.passes.count < 2 || g.to.count < W || !Base::takes(last.radix, true)) return false;
    const auto run = [&](const auto& to) {
      const typename Base::template Placed<std::remove_cvref_t<decltype(to)>> placed{to, plan.scale,
                                                                                     plan.index + offset};
      Base::template run_pass<true>(last, Inside{g.scratch + offset}, placed, *g.ahead);
      return true;
    };
    if (parts == 2 && g.to.all_beside()) return run(Beside(g.out, g.to));
    if constexpr (Base::has_pairs)
      if (Base::are_rows(g.to) && Base::in_pairs(plan.n, Base::most_written_in_pairs))
        return run(DenseRows(g.out, g.to, parts, {}));
    return false;
  }

  static void complex_lines(const Plan<T>& plan, const Group& g) {
    Point* const points = g.scratch;
    const bool begun = begin<2>(plan, g);
    if (!begun) read_points(g, plan.n, [&](std::int64_t k, const Point& a) { points[k] = a; });
    const Point* const z = transform(plan, points, *g.ahead, begun, [&](const RadixPass<T>& last, std::int64_t at) {
      return end<2>(plan, g, last, at);
    });
    if (z == nullptr) return;
    write_points(g, plan.n, [&](std::int64_t k) { return scaled(z[plan.place[k]], plan.scale); });
  }
  template <class Put>
  static void read_points(const Group& g, std::int64_t n, const Put& put) {
    if (Base::has_blocks && Base::are_rows(g.from)) return Base::read_rows(g.in, g.from, 2, 2 * n, put);
    Base::template with_points<false>(g.in, g.from, [&](const auto& from) {
      for (std::int64_t k = 0; k < n; ++k) put(k, from.get(k));
    });
  }
  template <class Get>
  static void write_points(const Group& g, std::int64_t n, const Get& get) {
    if (Base::has_blocks && Base::are_rows(g.to)) return Base::write_rows(g.out, g.to, 2, 2 * n, get);
    Base::template with_points<true>(g.out, g.to, [&](const auto& to) {
      for (std::int64_t k = 0; k < n; ++k) to.put(k, get(k));
    });
  }
  /// Real lines into scratch and back, two numbers a point; get(k) returns such a point.
  static void read_pairs(const Plan<T>& plan, const Group& g) {
    const auto put = [&](std::int64_t k, const Point& a) { g.scratch[k] = a; };
    if (Base::has_blocks && Base::are_rows(g.from)) return Base::read_rows(g.in, g.from, 1, plan.numbers, put);
    Base::template with_numbers<false>(g.in, g.from, [&](const auto& from) {
      for (std::int64_t k = 0; k < plan.numbers / 2; ++k) put(k, from.get(k));
      if (plan.numbers % 2 != 0) put(plan.numbers / 2, Point(from.number(plan.numbers - 1)));
    });
  }
  template <class Get>
  static void write_pairs(const Plan<T>& plan, const Group& g, const Get& get) {
    if (Base::has_blocks && Base::are_rows(g.to)) return Base::write_rows(g.out, g.to, 1, plan.numbers, get);
    Base::template with_numbers<true>(g.out, g.to, [&](const auto& to) {
      for (std::int64_t k = 0; k < plan.numbers / 2; ++k) to.put(k, get(k));
      if (plan.numbers % 2 != 0) to.put_number(plan.numbers - 1, get(plan.numbers / 2).re);
    });
  }
  [[gnu::always_inline]] static Point scaled(const Point& a, T by) { return {a.re * by, a.im * by}; }
  [[gnu::always_inline]] static V scaled(const V& a, T by) { return a * by; }

  /// Numbers 2 j and 2 j + 1 of a line are a complex point z(j). With the spectra E and O of the even and the odd
  /// numbers, Z is E + i O, and the spectrum of the line is E + O exp(-pi i k / n).
  static void even_to_half(const Plan<T>& plan, const Group& g) {
    const bool begun = begin<1>(plan, g);
    if (!begun) read_pairs(plan, g);
    Point* const z =
        transform(plan, g.scratch, *g.ahead, begun, [](const RadixPass<T>&, std::int64_t) { return false; });
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
    if constexpr (W > 8)
      if (Base::are_rows(g.to)) {
        finish(Kept{z, place});
        return Base::write_rows(g.out, g.to, 2, 2 * n + 2, [&](std::int64_t k) -> const Point& { return z[place[k]]; });
      }
    Base::template with_points<true>(g.out, g.to, finish);
  }
  /// Stores half a spectrum in the places of its sources, if each point would otherwise be stored in many pieces.
  struct Kept {
    Point* z;
    const std::int32_t* place;
    [[gnu::always_inline]] void put(std::int64_t k, const Point& a) const { z[place[k]] = a; }
  };

  /// The other direction. Imaginary parts that must vanish are ignored.
  static void half_to_even(const Plan<T>& plan, const Group& g) {
    Point* const z = g.scratch;
    const std::int64_t n = plan.n;
    Base::template with_points<false>(g.in, g.from, [&](const auto& from) {
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
    const Point* const x = transform(
        plan, z, *g.ahead, false, [&](const RadixPass<T>& last, std::int64_t at) { return end<1>(plan, g, last, at); });
    if (x == nullptr) return;
    write_pairs(plan, g, [&](std::int64_t k) { return scaled(x[plan.place[k]], plan.scale); });
  }

  /// Uses half a spectrum F of real numbers in both directions. From a spectrum X the numbers are Re X - Im X at k and
  /// Re X + Im X at n - k, and the line with that spectrum is Re F - Im F. (That is the Hartley transform, its own
  /// inverse.)
  static void odd_lines(const Plan<T>& plan, const Group& g) {
    V* const x = reinterpret_cast<V*>(g.scratch);
    const bool in = plan.ends == Ends::real_in;
    const std::int64_t n = plan.n;
    if (in)
      read_pairs(plan, g);
    else
      read_points(g, n / 2 + 1, [&](std::int64_t k, const Point& a) {
        x[n - k] = a.re + a.im;
        x[k] = k == 0 ? a.re : a.re - a.im;
      });
    Point* const z = g.scratch + scratch_points(plan);
    if (plan.convolution == nullptr) {
      Base::run_real(plan.passes.pass[0], x, z, *g.ahead);
      transform(plan, z, *g.ahead, true, [](const RadixPass<T>&, std::int64_t) { return false; });
    } else if (plan.convolution->gather != nullptr) {
      by_real_rader(*plan.convolution, n, x, g.scratch, z, *g.ahead);
    } else {
      by_bluestein(*plan.convolution, n, n / 2 + 1, x, g.scratch, z, *g.ahead);
    }
    z[0].im = V{};
    const auto at = [&](std::int64_t k) -> const Point& {
      return z[plan.place[k] < 0 ? ~plan.place[k] : plan.place[k]];
    };
    const T scale = plan.scale, signs[2] = {scale, -scale};
    const auto sign = [&](std::int64_t k) { return signs[plan.place[k] < 0]; };
    if (in)
      return write_points(g, n / 2 + 1, [&](std::int64_t k) { return Point{at(k).re * scale, at(k).im * sign(k)}; });
    for (std::int64_t k = 0; k <= n / 2; ++k) {
      const V re = at(k).re * scale, im = at(k).im;
      x[n - k] = Base::fma(im, sign(k), re);
      x[k] = Base::fma(im, -sign(k), re);
    }
    write_pairs(plan, g, [&](std::int64_t k) -> const Point& { return g.scratch[k]; });
  }

  /// Transforms `data`, or the results of the first pass there. Returns the place of the results, or null if end() has
  /// run the last pass and written them.
  template <class End>
  static Point* transform(const Plan<T>& plan, Point* data, ReadAhead& ahead, bool begun, const End& end) {
    if (plan.convolution != nullptr) {
      Point* const work = data + scratch_points(plan);
      return plan.convolution->gather != nullptr
                 ? by_rader(*plan.convolution, data, work, ahead)
                 : by_bluestein(*plan.convolution, plan.n, plan.n, data, data, work, ahead);
    }
    const RadixPasses<T>& all = plan.passes;
    if (all.count <= int{begun}) return data;
    if (!begun && all.count > 1) Base::run_inside(all.pass[0], data, ahead);
    // After the first pass, separate transforms are left. If all of them are too large for the first-level cache, they
    // run one after the other.
    const std::int64_t parts =
        all.count > 2 && all.n * std::int64_t{sizeof(Point)} > 16 * 1024 ? all.n / all.pass[0].m : 1;
    bool written = false;
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t offset = part * (all.n / parts);
      for (int i = 1; i < all.count - 1; ++i) Base::run_inside(part_of(all.pass[i], parts), data + offset, ahead);
      const RadixPass<T> last = part_of(all.pass[all.count - 1], parts);
      written = end(last, offset);
      if (!written) Base::run_inside(last, data + offset, ahead);
    }
    return written ? nullptr : data;
  }
  static RadixPass<T> part_of(RadixPass<T> pass, std::int64_t parts) {
    pass.blocks /= parts;
    return pass;
  }

  /// Point 0 is not part of the convolution; its result follows the others.
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

  /// For a real line at the beginning of x, and so of data: the Hartley transform is a convolution of real numbers, two
  /// of which are a point. Its results are halved; work gets half a spectrum.
  static void by_real_rader(const Convolution<T>& c, std::int64_t n, const V* x, Point* data, Point* work,
                            ReadAhead& ahead) {
    const std::int64_t m = c.passes.n;
    const V first = x[0];
    V* const numbers = reinterpret_cast<V*>(work);
    for (std::int64_t q = 0; q < 2 * m; ++q) numbers[q] = q < n - 1 ? x[c.gather[q]] : V{};
    Base::run_all(c.passes, work, ahead);
    for (std::int64_t q = 0; q < m; ++q) {
      const Point &a = work[c.passes.place[q]], &b = work[c.passes.place[q == 0 ? 0 : m - q]];
      const T* const s = c.spectrum + 4 * q;
      data[q] = add(times(a, s[0], s[1]), times(Point{b.re, -b.im}, s[2], s[3]));
    }
    const Point sum = work[c.passes.place[0]];
    data[0] = add(data[0], Point{first * T(0.5), first * T(0.5)});
    Base::run_all(c.passes, data, ahead);
    work[0] = Point(first + sum.re + sum.im);
    const V* const hartley = reinterpret_cast<const V*>(data);
    for (std::int64_t k = 1; k <= n / 2; ++k) {
      const V &a = hartley[c.results[k]], &b = hartley[c.results[n - k]];
      work[k] = {a + b, b - a};
    }
  }

  /// The first `results` results of n points; data may be the memory of x. The convolution takes the points from 1 on
  /// without their mean. Its rounding errors depend on its largest input, while the results are far smaller if a line
  /// is nearly constant, or nearly zero except for its first point.
  template <class Number>
  static Point* by_bluestein(const Convolution<T>& c, std::int64_t n, std::int64_t results, const Number* x,
                             Point* data, Point* work, ReadAhead& ahead) {
    const std::int64_t m = c.passes.n;
    Number mean{V{}};
    for (std::int64_t j = 1; j < n; ++j) mean = add(mean, x[j]);
    mean = scaled(mean, T(1) / static_cast<T>(n - 1));
    const Number first = sub(x[0], mean);
    work[0] = {V{}, V{}};
    for (std::int64_t j = 1; j < n; ++j) work[j] = times(sub(x[j], mean), c.chirp[2 * j], c.chirp[2 * j + 1]);
    for (std::int64_t j = n; j < m; ++j) work[j] = {V{}, V{}};
    Base::run_all(c.passes, work, ahead);
    multiply(c, work, data);
    Base::run_all(c.passes, data, ahead);
    for (std::int64_t k = 0; k < results; ++k) {
      const Point rest = data[c.passes.place[k == 0 ? 0 : m - k]];
      work[k] = add(Point(first), times(rest, c.chirp[2 * k], c.chirp[2 * k + 1]));
    }
    work[0] = add(work[0], Point(scaled(mean, static_cast<T>(n))));
    return work;
  }

  static void multiply(const Convolution<T>& c, const Point* from, Point* to) {
    for (std::int64_t q = 0; q < c.passes.n; ++q)
      to[q] = times(from[c.passes.place[q]], c.spectrum[2 * q], c.spectrum[2 * q + 1]);
  }
};

}  // namespace shardfft::lanes
