#include "verify/transform_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "verify/check_weights.hpp"

namespace shardfft {

namespace {

using Complex = std::complex<double>;

/// Units of rounding by which a transform of such a length, and its sums, may be wrong: libraries lose more if the
/// length has a large prime factor (docs/reliability.md).
double safety_of(std::int64_t n) {
  constexpr std::int64_t small_prime = 13;
  for (std::int64_t prime = 2; prime <= small_prime; ++prime)
    while (n % prime == 0) n /= prime;
  return n > 1 ? 80 : 20;
}

/// The largest of the lines' sums of squares; infinite if one of them is not a finite number.
double largest_square(const LineSums& sums) {
  double largest = 0;
  for (std::int64_t line = 0; line < sums.lines; ++line)
    largest = std::max(largest, is_finite(sums.squares[line]) ? sums.squares[line] : HUGE_VAL);
  return largest;
}

}  // namespace

TransformCheck::TransformCheck(const FftSpec& spec, Rounding rounding) {
  std::int64_t units = 1;
  // Neighbours in memory are neighbours among the transforms.
  std::vector<std::size_t> batch(spec.batch.size());
  std::iota(batch.begin(), batch.end(), std::size_t{0});
  std::stable_sort(batch.begin(), batch.end(),
                   [&](std::size_t a, std::size_t b) { return spec.batch[a].from < spec.batch[b].from; });
  for (const std::size_t b : batch) {
    const Loop& d = spec.batch[b];
    if (limits_.run == 1) limits_.run = d.count;
    in_.loops.push_back({d.count, d.from, units, spec.transform.size() + b, {}});
    out_.loops.push_back({d.count, d.to, units, spec.transform.size() + b, {}});
    units *= d.count;
  }
  double points = 1;
  double safety = 1;
  double growth = 1;        // the most by which the root of the sum of squares grows
  double squares_part = 1;  // the most that the input's sum of squares is of the output's
  for (std::size_t i = 0; i < spec.transform.size(); ++i) {
    const Loop& d = spec.transform[i];
    const bool last = i + 1 == spec.transform.size();
    const Kind kind = last || spec.kind == Kind::r2r ? spec.kind : Kind::c2c;
    const AxisTransform type = spec.types.empty() ? AxisTransform::fft : spec.types[i];
    if (d.count == 0 || units == 0) {
      units = 0;
      continue;
    }
    CheckWeights weights = spec.kind == Kind::r2r ? make_cosine_weights(type, d.count)
                           : last                 ? make_last_axis_weights(kind, spec.direction, d.count)
                                                  : make_real_weights(d.count);
    const auto count = [](const std::vector<Complex>& list) { return static_cast<std::int64_t>(list.size()); };
    in_.loops.push_back({count(weights.in), d.from, 0, i, std::move(weights.in), last});
    out_.loops.push_back({count(weights.out), d.to, 0, i, std::move(weights.out), last});
    for (Complex& w : in_.loops.back().weight) w *= i == 0 ? spec.scale : 1;
    points *= static_cast<double>(d.count);
    safety = std::max(safety, safety_of(d.count));
    growth *= spec.kind == Kind::r2r ? 2 : 1;
    squares_part *= (spec.kind == Kind::r2r || kind == Kind::r2c ? 2 : 1) / static_cast<double>(d.count);
  }
  in_.is_complex = spec.kind == Kind::c2c || spec.kind == Kind::c2r;
  out_.is_complex = spec.kind == Kind::c2c || spec.kind == Kind::r2c;
  squares_part_ = squares_part / (spec.scale * spec.scale);
  for (CheckSide* side : {&in_, &out_}) {
    side->precision = spec.precision;
    std::stable_sort(side->loops.begin(), side->loops.end(),
                     [](const CheckLoop& a, const CheckLoop& b) { return a.stride > b.stride; });
    side->split_weights();
  }
  growth *= std::sqrt(points) * std::abs(spec.scale) * (spec.kind == Kind::c2r ? std::sqrt(2.0) : 1.0);
  // Rounding of the transform, and of the sums: both grow as the root mean square of the result.
  const bool wide = spec.precision == Precision::f64;
  const double epsilon =
      wide ? std::numeric_limits<double>::epsilon() : static_cast<double>(std::numeric_limits<float>::epsilon());
  limits_.part = safety * epsilon * (std::log2(points) + 2) * growth;
  limits_.floor = points * std::max(std::abs(spec.scale), 1.0) * (wide ? 1e-140 : 1e-36);
  limits_.real_sums = true;
  limits_.with_neighbours = rounding == Rounding::with_neighbours;
  with_any_ = rounding == Rounding::with_any;
  lines_ = static_cast<std::size_t>(units);
}

Finding transform_finding(std::int64_t checks, double largest_square) {
  const double residual = std::sqrt(largest_square);
  return {checks, residual, residual > 1 ? "its result is not the transform of its input" : ""};
}

double TransformCheck::input_squares(double output_squares) const {
  const double squares = squares_part_ * output_squares;
  return is_finite(squares) ? squares : std::numeric_limits<double>::max();
}

Finding TransformCheck::finding(const CheckSums& before, const CheckSums& after) const {
  const auto sums_of = [this](const CheckSums& sums) {
    return LineSums{sums.real.data(), sums.real.data(), sums.squares.data(), static_cast<std::int64_t>(lines_)};
  };
  const LineSums in = sums_of(before), out = sums_of(after);
  LineLimits limits = limits_;
  if (with_any_) limits.floor = std::hypot(limits.floor, limits.part * std::sqrt(largest_square(in)));
  std::int64_t checks = 0;
  double most = 0;
  for (std::int64_t line = 0; line < in.lines; ++line) {
    const double residual = line_residual(limits, in, out, line);
    if (residual < 0) continue;
    ++checks;
    most = std::max(most, residual);
  }
  return transform_finding(checks, most);
}

}  // namespace shardfft
