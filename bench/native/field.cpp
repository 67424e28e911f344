#include "field.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace shardfft::bench {
namespace {

using Value = std::complex<double>;

std::uint64_t mix(std::uint64_t x) {
  // The finaliser of splitmix64: consecutive inputs give independent looking outputs.
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Uniform in [-1, 1), the same on every machine and in every language: 53 bits of the hash.
double uniform(std::uint64_t seed, int term, int axis, int component, std::int64_t index) {
  const std::uint64_t stream = mix(seed * 64 + std::uint64_t(term * 16 + axis * 4 + component));
  return double(mix(stream ^ std::uint64_t(index)) >> 11) * 0x1p-52 - 1.0;
}

std::vector<Value> random_factor(std::uint64_t seed, int term, int axis, std::int64_t n, bool real) {
  std::vector<Value> factor(n);
  for (std::int64_t i = 0; i < n; ++i)
    factor[i] = {uniform(seed, term, axis, 0, i), real ? 0.0 : uniform(seed, term, axis, 1, i)};
  return factor;
}

using Long = std::complex<long double>;
constexpr long double pi = 3.141592653589793238462643383279502884L;

// exp(sign 2 pi i j / n) for all j.
std::vector<Long> roots(std::int64_t n, int sign) {
  std::vector<Long> root(n);
  for (std::int64_t j = 0; j < n; ++j) {
    const long double angle = sign * 2 * pi * (long double)(j) / (long double)(n);
    root[j] = {std::cos(angle), std::sin(angle)};
  }
  return root;
}

// The transform by definition: sum over j of x(j) exp(sign 2 pi i j k / n).
std::vector<Value> fourier(const std::vector<Value>& x, int sign) {
  const auto n = std::int64_t(x.size());
  const auto root = roots(n, sign);
  std::vector<Value> out(n);
  for (std::int64_t k = 0; k < n; ++k) {
    long double re = 0, im = 0;
    std::int64_t at = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      re += x[j].real() * root[at].real() - x[j].imag() * root[at].imag();
      im += x[j].real() * root[at].imag() + x[j].imag() * root[at].real();
      at += k;
      if (at >= n) at -= n;
    }
    out[k] = {double(re), double(im)};
  }
  return out;
}

// Weight of x(j) in y(k), by the definitions of FFTW and SciPy.
long double weight(AxisKind kind, std::int64_t n, std::int64_t j, std::int64_t k) {
  const auto half = [](std::int64_t i) { return (long double)(i) + 0.5L; };
  const auto sign = [](std::int64_t i) { return i % 2 ? -1.0L : 1.0L; };
  switch (kind) {
    case AxisKind::dct1:
      return j == 0 ? 1 : j == n - 1 ? sign(k) : 2 * std::cos(pi * j * k / (n - 1));
    case AxisKind::dct2:
      return 2 * std::cos(pi * half(j) * k / n);
    case AxisKind::dct3:
      return j == 0 ? 1 : 2 * std::cos(pi * j * half(k) / n);
    case AxisKind::dct4:
      return 2 * std::cos(pi * half(j) * half(k) / n);
    case AxisKind::dst1:
      return 2 * std::sin(pi * (j + 1) * (k + 1) / (n + 1));
    case AxisKind::dst2:
      return 2 * std::sin(pi * half(j) * (k + 1) / n);
    case AxisKind::dst3:
      return j == n - 1 ? sign(k) : 2 * std::sin(pi * (j + 1) * half(k) / n);
    case AxisKind::dst4:
      return 2 * std::sin(pi * half(j) * half(k) / n);
    default:
      return j == k ? 1 : 0;
  }
}

std::vector<Value> cosines(const std::vector<Value>& x, AxisKind kind, double scale) {
  const auto n = std::int64_t(x.size());
  std::vector<Value> out(n);
  for (std::int64_t k = 0; k < n; ++k) {
    long double re = 0, im = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const long double w = weight(kind, n, j, k);
      re += w * x[j].real();
      im += w * x[j].imag();
    }
    out[k] = {double(re / scale), double(im / scale)};
  }
  return out;
}

AxisKind inverse(AxisKind kind) {
  if (kind == AxisKind::dct2) return AxisKind::dct3;
  if (kind == AxisKind::dct3) return AxisKind::dct2;
  if (kind == AxisKind::dst2) return AxisKind::dst3;
  if (kind == AxisKind::dst3) return AxisKind::dst2;
  return kind;
}

// One axis of a case: its modes in the spectrum, and its part of what is applied.
struct Axis {
  std::int64_t n = 0, modes = 0;  // modes: of the whole spectrum, before it is halved
  AxisKind kind = AxisKind::fft;
  bool halved = false;
  double sigma = 0;

  std::int64_t extent() const { return halved ? modes / 2 + 1 : modes; }
  // Where mode k of the spectrum stands in a transform of all points; negative where it has no partner and is left out.
  std::int64_t place(std::int64_t k) const {
    if (kind != AxisKind::fft || modes == n) return k;
    const bool alone = modes % 2 == 0 && k == modes / 2;
    if (alone) return -1;
    return k <= (modes - 1) / 2 ? k : n - modes + k;
  }
  double gain(std::int64_t k) const {
    if (kind == AxisKind::none) return 1;
    const bool sines = kind >= AxisKind::dst1;
    const double wave = kind == AxisKind::fft ? double(k <= modes / 2 ? k : k - modes) : double(sines ? k + 1 : k);
    return std::exp(-0.5 * sigma * sigma * wave * wave);
  }
  std::vector<Value> forward(const std::vector<Value>& x) const {
    return kind == AxisKind::fft ? fourier(x, -1) : cosines(x, kind, 1);
  }
  std::vector<Value> backward(std::vector<Value> x) const {
    if (kind != AxisKind::fft) {
      const double count = double(kind == AxisKind::dct1 ? n - 1 : kind == AxisKind::dst1 ? n + 1 : n);
      return cosines(x, inverse(kind), kind == AxisKind::none ? 1 : 2 * count);
    }
    for (Value& value : x) value /= double(n);
    return fourier(x, 1);
  }
};

template <class T>
T cast(const Value& v) {
  if constexpr (std::is_floating_point_v<T>)
    return T(v.real());
  else
    return T(typename T::value_type(v.real()), typename T::value_type(v.imag()));
}

// Calls visit(offset in memory, exact value) for every point of the part.
template <class Factors, class Visit>
void each_point(const Factors& f, const Part& part, Visit visit) {
  for (std::int64_t i = 0; i < part.count[0]; ++i)
    for (std::int64_t j = 0; j < part.count[1]; ++j) {
      const auto at0 = part.lower[0] + i * part.step[0], at1 = part.lower[1] + j * part.step[1];
      const Value row1 = f[0][0][at0] * f[0][1][at1], row2 = f[1][0][at0] * f[1][1][at1];
      const auto row = i * part.stride[0] + j * part.stride[1];
      const Value* last1 = f[0][2].data() + part.lower[2];
      const Value* last2 = f[1][2].data() + part.lower[2];
      for (std::int64_t k = 0; k < part.count[2]; ++k)
        visit(row + k * part.stride[2], row1 * last1[k * part.step[2]] + row2 * last2[k * part.step[2]]);
    }
}

template <class Factors, class T>
void fill(const Factors& factors, const Part& part, T* data, double factor) {
  each_point(factors, part, [&](std::int64_t at, const Value& exact) { data[at] = cast<T>(factor * exact); });
}

template <class Factors, class T>
ErrorSums compare(const Factors& factors, const Part& part, const T* data, double scale) {
  ErrorSums sums;
  bool finite = true;
  each_point(factors, part, [&](std::int64_t at, const Value& exact) {
    const Value error = Value(data[at]) / scale - exact;
    const double square = std::norm(error);
    finite = finite && std::isfinite(square);
    sums.largest = std::max(sums.largest, square);
    sums.squares += square;
    sums.reference += std::norm(exact);
  });
  sums.largest = finite ? std::sqrt(sums.largest) : std::numeric_limits<double>::quiet_NaN();
  return sums;
}

}  // namespace

Field::Field(const Case& wanted) {
  const auto spectrum = wanted.spectrum();
  for (int axis = 0; axis < 3; ++axis) {
    const auto n = wanted.shape[axis];
    const auto modes = wanted.modes.empty() || wanted.modes[axis] == 0 ? n : wanted.modes[axis];
    const Axis one{n, modes, wanted.axis_kind(axis), wanted.halves() && axis == 2, wanted.apply.empty() ? 0 : 0.05};
    gain_[axis].resize(spectrum[axis]);
    for (std::int64_t k = 0; k < spectrum[axis]; ++k) gain_[axis][k] = one.gain(k);
    for (int term = 0; term < terms; ++term) {
      field_[term][axis] = random_factor(wanted.seed, term, axis, n, wanted.real());
      const Factor whole = one.forward(field_[term][axis]);
      Factor kept(n), found(spectrum[axis]);
      for (std::int64_t k = 0; k < modes; ++k) {
        const auto place = one.place(k);
        if (place < 0) continue;
        if (k < spectrum[axis]) found[k] = whole[place];
        kept[place] = whole[place] * one.gain(k);
      }
      spectrum_[term][axis] = std::move(found);
      returned_[term][axis] = modes == n && wanted.apply.empty() ? field_[term][axis] : one.backward(kept);
      // Of a real field the rest is what rounding left.
      for (Value& value : returned_[term][axis])
        if (wanted.real()) value = value.real();
    }
  }
}

template <class T>
void Field::fill_field(const Part& part, T* data, double factor) const {
  fill(field_, part, data, factor);
}

template <class T>
void Field::fill_spectrum(const Part& part, T* data, double factor) const {
  fill(spectrum_, part, data, factor);
}

template <class T>
ErrorSums Field::compare_field(const Part& part, const T* data, double scale) const {
  return compare(returned_, part, data, scale);
}

template <class T>
ErrorSums Field::compare_spectrum(const Part& part, const T* data, double scale) const {
  return compare(spectrum_, part, data, scale);
}

#define SHARDFFT_BENCH_FIELD(T)                                      \
  template void Field::fill_field<T>(const Part&, T*, double) const; \
  template ErrorSums Field::compare_field<T>(const Part&, const T*, double) const;
#define SHARDFFT_BENCH_SPECTRUM(T)                                      \
  template void Field::fill_spectrum<T>(const Part&, T*, double) const; \
  template ErrorSums Field::compare_spectrum<T>(const Part&, const T*, double) const;
SHARDFFT_BENCH_FIELD(float)
SHARDFFT_BENCH_FIELD(double)
SHARDFFT_BENCH_FIELD(std::complex<float>)
SHARDFFT_BENCH_FIELD(std::complex<double>)
SHARDFFT_BENCH_SPECTRUM(float)
SHARDFFT_BENCH_SPECTRUM(double)
SHARDFFT_BENCH_SPECTRUM(std::complex<float>)
SHARDFFT_BENCH_SPECTRUM(std::complex<double>)

}  // namespace shardfft::bench
