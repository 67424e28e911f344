#include "support/serial_dft.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>

#include "local/cosine_matrix.hpp"

namespace shardfft::test {

namespace {

struct Extended {
  long double re = 0;
  long double im = 0;
  friend Extended operator+(Extended a, Extended b) { return {a.re + b.re, a.im + b.im}; }
  friend Extended operator*(Extended a, Extended b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
};

/// exp(2 pi i sign k / n) for all k.
std::vector<Extended> roots(std::int64_t n, int sign) {
  std::vector<Extended> table;
  for (std::int64_t k = 0; k < n; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(sign * k) / static_cast<long double>(n);
    table.push_back({std::cos(angle), std::sin(angle)});
  }
  return table;
}

/// Calls visit(first element, stride) for every line along `axis`.
template <class Visit>
void for_lines(const Shape& shape, int axis, const Visit& visit) {
  std::int64_t stride = 1;
  for (std::size_t a = shape.size(); a-- > to_size(axis + 1);) stride *= shape[a];
  const std::int64_t block = stride * shape[to_size(axis)];
  for (std::int64_t outer = 0; outer < product(shape); outer += block)
    for (std::int64_t inner = 0; inner < stride; ++inner) visit(outer + inner, stride);
}

/// The least prime factor of n; n itself where it has no other.
std::size_t least_factor(std::size_t n) {
  for (std::size_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

/// out[k] = sum over j of in[j stride] root[jk stride], for j and k below n. For a prime factor p of n, the sums over
/// every p-th j are such transforms of n/p numbers; a prime length goes by the definition. `sums`: room for n numbers.
void line_dft(const Extended* in, std::size_t stride, std::size_t n, const std::vector<Extended>& root, Extended* out,
              Extended* sums) {
  if (n == 2) {  // half of the work of powers of two; root[stride] is -1
    const Extended first = in[0], second = in[stride];
    out[0] = first + second;
    out[1] = {first.re - second.re, first.im - second.im};
    return;
  }
  const std::size_t p = least_factor(n), part = n / p;
  // The sum over q < count of x[q step] root[qk stride].
  const auto sum = [&](const Extended* x, std::size_t step, std::size_t count, std::size_t k) {
    Extended result = x[0];
    for (std::size_t q = 1, at = k; q < count; ++q) {
      result = result + x[q * step] * root[at * stride];
      at += k;
      if (at >= n) at -= n;
    }
    return result;
  };
  if (part == 1) {
    for (std::size_t k = 0; k < n; ++k) out[k] = sum(in, stride, n, k);
    return;
  }
  for (std::size_t q = 0; q < p; ++q) line_dft(in + q * stride, p * stride, part, root, out + q * part, sums);
  if (p == 2) {  // root[part stride] is -1: both sums have the same product
    for (std::size_t k = 0; k < part; ++k) {
      const Extended even = out[k], odd = out[part + k] * root[k * stride];
      out[k] = even + odd;
      out[part + k] = {even.re - odd.re, even.im - odd.im};
    }
    return;
  }
  for (std::size_t k = 0; k < part; ++k) {
    for (std::size_t r = 0; r < p; ++r) sums[r] = sum(out + k, part, p, r * part + k);
    for (std::size_t r = 0; r < p; ++r) out[r * part + k] = sums[r];
  }
}

/// Lines of one length, one after the other.
class LineDft {
 public:
  LineDft(std::int64_t n, int sign) : root_(roots(n, sign)), line_(to_size(n)), transformed_(line_), sums_(line_) {}

  /// `get(j)` reads the numbers of a line, put(k, number) takes those of its transform.
  template <class Get, class Put>
  void run(const Get& get, const Put& put) {
    for (std::size_t j = 0; j < line_.size(); ++j) {
      const Value v = get(static_cast<std::int64_t>(j));
      line_[j] = {v.real(), v.imag()};
    }
    line_dft(line_.data(), 1, line_.size(), root_, transformed_.data(), sums_.data());
    for (std::size_t k = 0; k < line_.size(); ++k)
      put(static_cast<std::int64_t>(k),
          Value(static_cast<double>(transformed_[k].re), static_cast<double>(transformed_[k].im)));
  }

 private:
  std::vector<Extended> root_, line_, transformed_, sums_;
};

Shape with_extent(Shape shape, int axis, std::int64_t extent) {
  shape[to_size(axis)] = extent;
  return shape;
}

/// The first n/2 + 1 planes along `axis`.
std::vector<Value> half_of(const std::vector<Value>& full, const Shape& shape, int axis) {
  const Shape half = with_extent(shape, axis, shape[to_size(axis)] / 2 + 1);
  std::vector<Value> result(to_size(product(half)));
  for (std::int64_t i = 0; i < product(half); ++i)
    result[to_size(i)] = full[to_size(number_of(index_of(i, half), shape))];
  return result;
}

/// The real lines whose half spectra are given: conjugate partners are added, imaginary parts that must vanish ignored.
std::vector<Value> serial_c2r(const std::vector<Value>& half, const Shape& shape, int axis) {
  const std::int64_t n = shape[to_size(axis)];
  const Shape half_shape = with_extent(shape, axis, n / 2 + 1);
  LineDft dft(n, +1);
  std::vector<Value> result(to_size(product(shape)));
  std::vector<std::int64_t> starts;
  for_lines(shape, axis, [&](std::int64_t first, std::int64_t) { starts.push_back(first); });
  std::size_t line_number = 0;
  for_lines(half_shape, axis, [&](std::int64_t first, std::int64_t stride) {
    const std::int64_t start = starts[line_number++];
    const auto get = [&](std::int64_t k) {
      if (k == 0 || 2 * k == n) return Value(half[to_size(first + k * stride)].real());
      if (2 * k < n) return half[to_size(first + k * stride)];
      return std::conj(half[to_size(first + (n - k) * stride)]);
    };
    dft.run(get, [&](std::int64_t j, Value v) { result[to_size(start + j * stride)] = v.real(); });
  });
  return result;
}

/// A cosine or sine transform along `axis`, unscaled.
void serial_cosine(std::vector<Value>& data, const Shape& shape, int axis, AxisTransform type) {
  const std::int64_t n = shape[to_size(axis)];
  const std::vector<long double> matrix = cosine_matrix(type, n);
  std::vector<Extended> line(to_size(n));
  for_lines(shape, axis, [&](std::int64_t first, std::int64_t stride) {
    for (std::int64_t j = 0; j < n; ++j) {
      const Value v = data[to_size(first + j * stride)];
      line[to_size(j)] = {v.real(), v.imag()};
    }
    for (std::int64_t k = 0; k < n; ++k) {
      Extended sum;
      for (std::int64_t j = 0; j < n; ++j) {
        const long double factor = matrix[to_size(k * n + j)];
        sum = sum + Extended{factor * line[to_size(j)].re, factor * line[to_size(j)].im};
      }
      data[to_size(first + k * stride)] = {static_cast<double>(sum.re), static_cast<double>(sum.im)};
    }
  });
}

AxisTransform inverse_of(AxisTransform type) {
  constexpr AxisTransform inverse[] = {AxisTransform::fft,  AxisTransform::dct1, AxisTransform::dct3,
                                       AxisTransform::dct2, AxisTransform::dct4, AxisTransform::dst1,
                                       AxisTransform::dst3, AxisTransform::dst2, AxisTransform::dst4};
  return inverse[static_cast<int>(type)];
}

/// Every line along `axis`, of `from` numbers, becomes one of `to`: change(source line, result line).
template <class Change>
std::vector<Value> change_lines(const std::vector<Value>& data, const Shape& shape, int axis, std::int64_t to,
                                const Change& change) {
  const std::int64_t from = shape[to_size(axis)];
  std::vector<Value> result(to_size(product(with_extent(shape, axis, to))));
  std::vector<std::int64_t> starts;
  for_lines(with_extent(shape, axis, to), axis, [&](std::int64_t first, std::int64_t) { starts.push_back(first); });
  std::size_t number = 0;
  for_lines(shape, axis, [&](std::int64_t first, std::int64_t stride) {
    std::vector<Value> line(to_size(from)), made(to_size(to));
    for (std::int64_t i = 0; i < from; ++i) line[to_size(i)] = data[to_size(first + i * stride)];
    change(line, made);
    for (std::int64_t i = 0; i < to; ++i) result[to_size(starts[number] + i * stride)] = made[to_size(i)];
    ++number;
  });
  return result;
}

/// The m modes of a whole spectrum along `axis`, both signs; of halved axes the lone mode that is kept is m/2.
std::vector<Value> serial_keep(const std::vector<Value>& data, const Shape& shape, int axis, std::int64_t m,
                               LoneMode rule, bool halved) {
  const std::int64_t n = shape[to_size(axis)];
  return change_lines(data, shape, axis, m, [&](const std::vector<Value>& line, std::vector<Value>& made) {
    const auto mode = [&](std::int64_t k) { return line[to_size(index_of_mode(k, n))]; };
    for (std::int64_t k = -(m / 2); k < (m + 1) / 2; ++k) made[to_size(index_of_mode(k, m))] = mode(k);
    if (m % 2 != 0 || m == n) return;
    const Value both[] = {mode(m / 2) + mode(-m / 2), halved ? mode(m / 2) : mode(-m / 2), 0};
    made[to_size(m / 2)] = both[static_cast<int>(rule)];
  });
}

/// The way back, to n modes.
std::vector<Value> serial_pad(const std::vector<Value>& data, const Shape& shape, int axis, std::int64_t n,
                              LoneMode rule) {
  const std::int64_t m = shape[to_size(axis)];
  return change_lines(data, shape, axis, n, [&](const std::vector<Value>& line, std::vector<Value>& made) {
    for (std::int64_t k = -(m / 2); k < (m + 1) / 2; ++k)
      made[to_size(index_of_mode(k, n))] = line[to_size(index_of_mode(k, m))];
    if (m % 2 != 0 || m == n || rule == LoneMode::keep) return;
    const Value half = rule == LoneMode::zero ? 0 : line[to_size(m / 2)] / 2.0;
    made[to_size(m / 2)] = made[to_size(n - m / 2)] = half;
  });
}

/// Half lines of a spectrum of m modes, to n modes. The other axes have their points already: only then is the
/// imaginary part of the lone mode what no real line has.
std::vector<Value> serial_pad_half(const std::vector<Value>& data, const Shape& shape, int axis, std::int64_t m,
                                   std::int64_t n, LoneMode rule) {
  return change_lines(data, shape, axis, n / 2 + 1, [&](const std::vector<Value>& line, std::vector<Value>& made) {
    std::copy(line.begin(), line.end(), made.begin());
    if (m % 2 != 0 || rule == LoneMode::keep) return;
    made[line.size() - 1] = rule == LoneMode::zero ? 0 : line.back().real() / 2;
  });
}

/// Lines without a mirror image: the first of one side are those of the other, and the rest is zero.
std::vector<Value> serial_resize(const std::vector<Value>& data, const Shape& shape, int axis, std::int64_t to) {
  return change_lines(data, shape, axis, to, [](const std::vector<Value>& line, std::vector<Value>& made) {
    std::copy_n(line.begin(), std::min(line.size(), made.size()), made.begin());
  });
}

/// What was computed last. Many plans are compared with one transform of the same numbers, by every rank.
class Remembered {
 public:
  template <class Compute>
  std::vector<Value> result(const SerialTransform& transform, std::vector<Value> data, const Compute& compute) {
    for (const Entry& entry : entries_)
      if (entry.transform == transform && entry.data == data) return entry.result;
    if (entries_.size() == 4) entries_.pop_front();
    std::vector<Value> made = compute(data);
    entries_.push_back({transform, std::move(data), made});
    return made;
  }

 private:
  struct Entry {
    SerialTransform transform;
    std::vector<Value> data, result;
  };
  std::deque<Entry> entries_;
};

}  // namespace

void serial_dft(std::vector<Value>& data, const Shape& shape, int axis, int sign) {
  const std::int64_t n = shape[to_size(axis)];
  LineDft dft(n, sign);
  for_lines(shape, axis, [&](std::int64_t first, std::int64_t stride) {
    dft.run([&](std::int64_t j) { return data[to_size(first + j * stride)]; },
            [&](std::int64_t k, Value v) { data[to_size(first + k * stride)] = v; });
  });
}

int SerialTransform::halved() const {
  for (std::size_t i = axes.size(); (kind == Kind::r2c || kind == Kind::c2r) && i-- > 0;)
    if (type(i) == AxisTransform::fft) return axes[i];
  return -1;
}

std::vector<Value> SerialTransform::analyse(std::vector<Value> data) const {
  thread_local Remembered remembered;
  return remembered.result(*this, std::move(data), [this](const std::vector<Value>& x) { return analysis_of(x); });
}

std::vector<Value> SerialTransform::synthesise(std::vector<Value> data) const {
  thread_local Remembered remembered;
  return remembered.result(*this, std::move(data), [this](const std::vector<Value>& x) { return synthesis_of(x); });
}

std::vector<Value> SerialTransform::analysis_of(std::vector<Value> data) const {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (type(i) == AxisTransform::fft)
      serial_dft(data, shape, axes[i], -1);
    else
      serial_cosine(data, shape, axes[i], type(i));
  }
  Shape now = shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (kept(i) == now[to_size(axes[i])]) continue;
    data = type(i) == AxisTransform::fft ? serial_keep(data, now, axes[i], kept(i), lone_mode, axes[i] == halved())
                                         : serial_resize(data, now, axes[i], kept(i));
    now = with_extent(now, axes[i], kept(i));
  }
  return halved() < 0 ? data : half_of(data, now, halved());
}

std::vector<Value> SerialTransform::synthesis_of(std::vector<Value> data) const {
  Shape now = spectrum_shape();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t n = shape[to_size(axes[i])];
    if (kept(i) == n || axes[i] == halved()) continue;
    data = type(i) == AxisTransform::fft ? serial_pad(data, now, axes[i], n, lone_mode)
                                         : serial_resize(data, now, axes[i], n);
    now = with_extent(now, axes[i], n);
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (type(i) != AxisTransform::fft)
      serial_cosine(data, now, axes[i], inverse_of(type(i)));
    else if (axes[i] != halved())
      serial_dft(data, now, axes[i], +1);
  }
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] == halved() && kept(i) < shape[to_size(axes[i])])
      data = serial_pad_half(data, now, axes[i], kept(i), shape[to_size(axes[i])], lone_mode);
  return halved() < 0 ? data : serial_c2r(data, shape, halved());
}

Shape SerialTransform::spectrum_shape() const {
  Shape result = shape;
  for (std::size_t i = 0; i < axes.size(); ++i)
    result[to_size(axes[i])] = axes[i] == halved() ? kept(i) / 2 + 1 : kept(i);
  return result;
}

double SerialTransform::points() const {
  double n = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto extent = static_cast<double>(shape[to_size(axes[i])]);
    n *= type(i) == AxisTransform::fft    ? extent
         : type(i) == AxisTransform::dct1 ? 2 * (extent - 1)
         : type(i) == AxisTransform::dst1 ? 2 * (extent + 1)
                                          : 2 * extent;
  }
  return n;
}

}  // namespace shardfft::test
