#include "pack/pointwise.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "base/compute.hpp"
#include "pack/for_each_element.hpp"

namespace shardfft {
namespace {

template <class T>
void twiddle_all(const std::byte* in, std::byte* out, const TwiddleTable& table, const std::vector<Piece>& pieces,
                 bool backward) {
  const auto* source = reinterpret_cast<const std::complex<T>*>(in);
  auto* target = reinterpret_cast<std::complex<T>*>(out);
  for (const Piece& piece : pieces)
    for_each_element(piece, [&](std::int64_t offset, const auto& index) {
      const std::complex<double> factor = table(index);
      const std::complex<double> value(source[offset]);
      target[offset] = std::complex<T>(value * (backward ? std::conj(factor) : factor));
    });
}

template <class T>
void promote_all(const std::byte* in, std::byte* out, std::int64_t count, Direction direction) {
  if (direction == Direction::backward) {
    const auto* source = reinterpret_cast<const std::complex<T>*>(in);
    auto* target = reinterpret_cast<T*>(out);
    for (std::int64_t i = 0; i < count; ++i) target[i] = source[i].real();
  } else {
    const auto* source = reinterpret_cast<const T*>(in);
    auto* target = reinterpret_cast<std::complex<T>*>(out);
    for (std::int64_t i = 0; i < count; ++i) target[i] = source[i];
  }
}

template <class T>
void halve_all(const std::byte* in, std::byte* out, const HalfSpectrum& modes, const std::vector<Piece>& pieces) {
  const auto* source = reinterpret_cast<const std::complex<T>*>(in);
  auto* target = reinterpret_cast<std::complex<T>*>(out);
  const std::int64_t half = modes.n / 2;
  for (const Piece& piece : pieces)
    for_each_element(piece, [&](std::int64_t offset, const auto& index) {
      const std::int64_t k =
          index[static_cast<std::size_t>(modes.k1_axis)] + modes.n1 * index[static_cast<std::size_t>(modes.k2_axis)];
      const bool alone = k == 0 || (modes.n % 2 == 0 && k == half);
      // Above the half nothing was received: that memory may not hold numbers, so it is not multiplied.
      target[offset] = k > half ? std::complex<T>(0) : source[offset] * static_cast<T>(alone ? 1 : 2);
    });
}

/// Reads and writes every element once, with `flops` operations each.
Work complex_work(const std::vector<Piece>& pieces, Precision precision, double flops) {
  double elements = 0;
  for (const Piece& piece : pieces) elements += static_cast<double>(piece.set.count());
  return {2 * elements * static_cast<double>(ElementType{precision, true}.bytes()), flops * elements};
}

}  // namespace

RootTable::RootTable(std::int64_t n) : n_(n), width_(static_cast<std::int64_t>(std::sqrt(static_cast<double>(n))) + 1) {
  for (std::int64_t i = 0; i < width_; ++i) low_.push_back(root(i));
  for (std::int64_t i = 0; i * width_ < n; ++i) high_.push_back(root(i * width_));
}

std::complex<double> RootTable::root(std::int64_t m) const {
  const long double angle =
      -2 * std::numbers::pi_v<long double> * static_cast<long double>(m) / static_cast<long double>(n_);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

TwiddleTable::TwiddleTable(TwiddleFactors factors) : factors_(std::move(factors)) {
  for (const TwiddleFactors::Pair& pair : factors_.pairs) roots_.emplace_back(pair.n);
}

std::size_t TwiddleTable::bytes() const {
  std::size_t sum = 0;
  for (const RootTable& roots : roots_) sum += roots.bytes();
  return sum;
}

std::complex<double> TwiddleTable::operator()(const std::array<std::int64_t, max_axes>& index) const {
  std::complex<double> factor = 1;
  for (std::size_t i = 0; i < roots_.size(); ++i)
    factor *= roots_[i](index[static_cast<std::size_t>(factors_.pairs[i].s_axis)] *
                        index[static_cast<std::size_t>(factors_.pairs[i].k_axis)]);
  return factor;
}

void twiddle(const std::byte* in, std::byte* out, const TwiddleTable& table, const std::vector<Piece>& pieces,
             Direction direction, Precision precision) {
  const auto all = precision == Precision::f64 ? twiddle_all<double> : twiddle_all<float>;
  compute(complex_work(pieces, precision, 6), [&] { all(in, out, table, pieces, direction == Direction::backward); });
}

void promote(const std::byte* in, std::byte* out, std::int64_t count, Direction direction, Precision precision) {
  const auto all = precision == Precision::f64 ? promote_all<double> : promote_all<float>;
  const auto number = static_cast<double>(ElementType{precision, false}.bytes());
  compute({3 * number * static_cast<double>(count), 0}, [&] { all(in, out, count, direction); });
}

void half_spectrum(const std::byte* in, std::byte* out, const HalfSpectrum& modes, const std::vector<Piece>& pieces,
                   Precision precision) {
  const auto all = precision == Precision::f64 ? halve_all<double> : halve_all<float>;
  compute(complex_work(pieces, precision, 2), [&] { all(in, out, modes, pieces); });
}

}  // namespace shardfft
