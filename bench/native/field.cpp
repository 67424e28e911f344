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

// The transform by definition: sum over j of x(j) exp(-2 pi i j k / n), for the first `count` values of k.
std::vector<Value> transform(const std::vector<Value>& x, std::int64_t count) {
  const auto n = std::int64_t(x.size());
  std::vector<std::complex<long double>> root(n);
  for (std::int64_t j = 0; j < n; ++j) {
    const long double angle = -2 * std::acos(-1.0L) * (long double)(j) / (long double)(n);
    root[j] = {std::cos(angle), std::sin(angle)};
  }
  std::vector<Value> out(count);
  for (std::int64_t k = 0; k < count; ++k) {
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
      const Value row1 = f[0][0][part.lower[0] + i] * f[0][1][part.lower[1] + j];
      const Value row2 = f[1][0][part.lower[0] + i] * f[1][1][part.lower[1] + j];
      const auto row = i * part.stride[0] + j * part.stride[1];
      const Value* last1 = f[0][2].data() + part.lower[2];
      const Value* last2 = f[1][2].data() + part.lower[2];
      for (std::int64_t k = 0; k < part.count[2]; ++k)
        visit(row + k * part.stride[2], row1 * last1[k] + row2 * last2[k]);
    }
}

template <class Factors, class T>
void fill(const Factors& factors, const Part& part, T* data) {
  each_point(factors, part, [&](std::int64_t at, const Value& exact) { data[at] = cast<T>(exact); });
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
  for (int term = 0; term < terms; ++term)
    for (int axis = 0; axis < 3; ++axis) {
      field_[term][axis] = random_factor(wanted.seed, term, axis, wanted.shape[axis], wanted.real());
      spectrum_[term][axis] = transform(field_[term][axis], spectrum[axis]);
    }
}

template <class T>
void Field::fill_field(const Part& part, T* data) const {
  fill(field_, part, data);
}

template <class T>
void Field::fill_spectrum(const Part& part, T* data) const {
  fill(spectrum_, part, data);
}

template <class T>
ErrorSums Field::compare_field(const Part& part, const T* data, double scale) const {
  return compare(field_, part, data, scale);
}

template <class T>
ErrorSums Field::compare_spectrum(const Part& part, const T* data, double scale) const {
  return compare(spectrum_, part, data, scale);
}

#define SHARDFFT_BENCH_FIELD(T)                              \
  template void Field::fill_field<T>(const Part&, T*) const; \
  template ErrorSums Field::compare_field<T>(const Part&, const T*, double) const;
#define SHARDFFT_BENCH_SPECTRUM(T)                              \
  template void Field::fill_spectrum<T>(const Part&, T*) const; \
  template ErrorSums Field::compare_spectrum<T>(const Part&, const T*, double) const;
SHARDFFT_BENCH_FIELD(float)
SHARDFFT_BENCH_FIELD(double)
SHARDFFT_BENCH_FIELD(std::complex<float>)
SHARDFFT_BENCH_FIELD(std::complex<double>)
SHARDFFT_BENCH_SPECTRUM(std::complex<float>)
SHARDFFT_BENCH_SPECTRUM(std::complex<double>)

}  // namespace shardfft::bench
