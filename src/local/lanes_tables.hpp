#pragma once
// The tables of kernels for SIMD batches of lines: factors and places, computed once for a length.
#include <cstdint>
#include <deque>
#include <vector>

#include "local/lanes_plan.hpp"

namespace shardfft::lanes {

/// How lines of n points are transformed; `real` lines, here and below, have odd n.
enum class Way { passes, rader, bluestein };
Way way_of(std::int64_t n, int registers, bool real = false);
/// The scratch for lines of n points, in points of all lanes.
std::int64_t scratch_points_of(std::int64_t n, int registers, bool real);

/// exp(-2 pi i k / n) times `factor` for k up to n / 2, n even: exact if a part is zero.
template <class Real>
std::vector<Real> half_roots(std::int64_t n, double factor);

/// A forward transform of n points, without prime factors above most_radix.
template <class Real>
class PassTables {
 public:
  /// `registers`: vectors that the processor holds. The first pass of real lines computes half the results.
  PassTables(std::int64_t n, int registers, bool real);
  PassTables(const PassTables&) = delete;
  PassTables& operator=(const PassTables&) = delete;
  RadixPasses<Real> passes() const {
    return {points_, passes_.data(), static_cast<int>(passes_.size()), place_.data()};
  }
  const std::vector<std::int32_t>& places() const { return place_; }

 private:
  std::int64_t points_;
  std::vector<RadixPass<Real>> passes_;
  std::deque<std::vector<Real>> twiddles_;
  std::vector<std::int32_t> place_;
};

/// The tables of lines of n points, also of other lengths. If n is a prime and n - 1 has small factors, or if n is a
/// prime and lines are real: C. M. Rader, Discrete Fourier transforms when the number of data samples is prime (1968).
/// Else: L. I. Bluestein, A linear filtering approach to the computation of discrete Fourier transform (1970).
template <class Real>
class LineTables {
 public:
  LineTables(std::int64_t n, int registers, bool real);
  LineTables(const LineTables&) = delete;
  LineTables& operator=(const LineTables&) = delete;
  RadixPasses<Real> passes() const { return tables_.passes(); }
  /// Null if passes alone transform the lines.
  const Convolution<Real>* convolution() const { return spectrum_.empty() ? nullptr : &convolution_; }
  /// The place of each point of the result.
  const std::vector<std::int32_t>& places() const { return place_; }

 private:
  void make_rader(std::int64_t n, bool real);
  void make_bluestein(std::int64_t n);
  PassTables<Real> tables_;
  Convolution<Real> convolution_;
  std::vector<std::int32_t> gather_, results_, place_;
  std::vector<Real> chirp_, spectrum_;
};

}  // namespace shardfft::lanes
