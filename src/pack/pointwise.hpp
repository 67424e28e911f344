#pragma once
// Loops that touch every element of a rank's part once.
#include <array>
#include <complex>
#include <cstddef>
#include <vector>

#include "geometry/factors.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// exp(-2 pi i m / n) for any m in two table look-ups: m = high * width + low.
class RootTable {
 public:
  explicit RootTable(std::int64_t n);
  std::size_t bytes() const { return (low_.size() + high_.size()) * sizeof(std::complex<double>); }
  std::complex<double> operator()(std::int64_t m) const {
    const std::int64_t r = m % n_;
    return high_[static_cast<std::size_t>(r / width_)] * low_[static_cast<std::size_t>(r % width_)];
  }

 private:
  std::complex<double> root(std::int64_t m) const;

  std::int64_t n_;
  std::int64_t width_;
  std::vector<std::complex<double>> low_;
  std::vector<std::complex<double>> high_;
};

/// Twiddle factors with their tables, which are made once.
class TwiddleTable {
 public:
  explicit TwiddleTable(TwiddleFactors factors);
  std::size_t bytes() const;
  /// The factor of the element at `index` in the forward direction.
  std::complex<double> operator()(const std::array<std::int64_t, max_axes>& index) const;

 private:
  TwiddleFactors factors_;
  std::vector<RootTable> roots_;
};

/// Multiplies the complex elements of `pieces` by their factors, conjugated if backward. in == out is allowed.
void twiddle(const std::byte* in, std::byte* out, const TwiddleTable& table, const std::vector<Piece>& pieces,
             Direction direction, Precision precision);
/// Copies `count` real elements to complex ones (forward), or the real parts of complex ones (backward). in != out.
void promote(const std::byte* in, std::byte* out, std::int64_t count, Direction direction, Precision precision);
/// Zeroes and doubles the modes of `pieces` as HalfSpectrum says. in == out is allowed.
void half_spectrum(const std::byte* in, std::byte* out, const HalfSpectrum& modes, const std::vector<Piece>& pieces,
                   Precision precision);

}  // namespace shardfft
