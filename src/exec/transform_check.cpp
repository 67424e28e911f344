// The linearity checksum of local transforms.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "exec/check_weights.hpp"
#include "exec/step_check.hpp"

namespace shardfft {

namespace {

using Complex = std::complex<double>;

/// One loop over an array: along a transformed axis, with weights, or over the transforms of a batch.
struct Loop {
  std::int64_t n;
  std::int64_t stride;          ///< elements
  std::int64_t unit_stride;     ///< transforms; 0 along a transformed axis
  std::vector<Complex> weight;  ///< along a transformed axis
};

/// Of one transform of the batch.
struct Sums {
  Complex weighted;
  double squares = 0;
};

/// One side of the transform: the loops over its array, the widest stride first.
struct Side {
  std::vector<Loop> loops;
  bool is_complex = true;
};

/// Sums over one array, by transform of the batch; reads every number once.
template <class T, bool is_complex>
class Walk {
 public:
  Walk(const Side& side, std::vector<Sums>& sums) : loops_(side.loops), sums_(sums) {}

  std::uint64_t run(const std::byte* array) {
    bits_ = 0;
    visit(0, array, 0, 1);
    return bits_;
  }

 private:
  static constexpr std::size_t element_bytes = sizeof(T) * (is_complex ? 2 : 1);
  /// Numbers added up before they join a sum: long sums of doubles would lose as much as a transform does.
  static constexpr std::int64_t block = 64;

  Complex number(const std::byte* at) {
    T parts[2] = {};
    std::memcpy(parts, at, element_bytes);
    bits_ += bit_sum(at, element_bytes);
    return {static_cast<double>(parts[0]), is_complex ? static_cast<double>(parts[1]) : 0.0};
  }

  void visit(std::size_t level, const std::byte* at, std::int64_t unit, Complex weight) {
    if (level == loops_.size()) {
      const Complex x = number(at);
      return add(x * weight, std::norm(x), unit);
    }
    const Loop& loop = loops_[level];
    const std::int64_t step = loop.stride * static_cast<std::int64_t>(element_bytes);
    if (level + 1 == loops_.size())
      return loop.unit_stride == 0 ? line(loop, at, step, unit, weight) : batch(loop, at, step, unit, weight);
    for (std::int64_t i = 0; i < loop.n; ++i)
      visit(level + 1, at + i * step, unit + i * loop.unit_stride,
            loop.unit_stride == 0 ? weight * loop.weight[static_cast<std::size_t>(i)] : weight);
  }

  void line(const Loop& loop, const std::byte* at, std::int64_t step, std::int64_t unit, Complex weight) {
    for (std::int64_t first = 0; first < loop.n; first += block) {
      Complex part = 0;
      double squares = 0;
      const std::int64_t last = std::min(first + block, loop.n);
      for (std::int64_t i = first; i < last; ++i) {
        const Complex x = number(at + i * step);
        const Complex w = loop.weight[static_cast<std::size_t>(i)];
        part += Complex(x.real() * w.real() - x.imag() * w.imag(), x.real() * w.imag() + x.imag() * w.real());
        squares += x.real() * x.real() + x.imag() * x.imag();
      }
      add(part * weight, squares, unit);
    }
  }

  void batch(const Loop& loop, const std::byte* at, std::int64_t step, std::int64_t unit, Complex weight) {
    for (std::int64_t i = 0; i < loop.n; ++i) {
      const Complex x = number(at + i * step);
      add(Complex(x.real() * weight.real() - x.imag() * weight.imag(),
                  x.real() * weight.imag() + x.imag() * weight.real()),
          x.real() * x.real() + x.imag() * x.imag(), unit + i * loop.unit_stride);
    }
  }

  void add(Complex weighted, double squares, std::int64_t unit) {
    Sums& sums = sums_[static_cast<std::size_t>(unit)];
    sums.weighted += weighted;
    sums.squares += squares;
  }

  const std::vector<Loop>& loops_;
  std::vector<Sums>& sums_;
  std::uint64_t bits_ = 0;
};

class TransformCheck : public StepCheck {
 public:
  explicit TransformCheck(const FftSpec& spec) : precision_(spec.precision), real_sums_(spec.kind == Kind::c2r) {
    std::int64_t units = 1;
    for (const FftDim& d : spec.batch) {
      in_.loops.push_back({d.n, d.in_stride, units, {}});
      out_.loops.push_back({d.n, d.out_stride, units, {}});
      units *= d.n;
    }
    const bool real = spec.kind == Kind::c2r || spec.kind == Kind::r2r;
    double points = 1;
    for (std::size_t i = 0; i < spec.transform.size(); ++i) {
      const FftDim& d = spec.transform[i];
      const bool last = i + 1 == spec.transform.size();
      const Kind kind = last || spec.kind == Kind::r2r ? spec.kind : Kind::c2c;
      const AxisTransform type = spec.types.empty() ? AxisTransform::fft : spec.types[i];
      if (d.n == 0 || units == 0) {
        units = 0;
        continue;
      }
      CheckWeights weights = make_check_weights(kind, type, spec.direction, d.n, real);
      const auto count = [](const std::vector<Complex>& list) { return static_cast<std::int64_t>(list.size()); };
      in_.loops.push_back({count(weights.in), d.in_stride, 0, std::move(weights.in)});
      out_.loops.push_back({count(weights.out), d.out_stride, 0, std::move(weights.out)});
      for (Complex& w : in_.loops.back().weight) w *= i == 0 ? spec.scale : 1;
      points *= static_cast<double>(d.n);
      growth_ *= spec.kind == Kind::r2r ? 2 : 1;
    }
    in_.is_complex = spec.kind == Kind::c2c || spec.kind == Kind::c2r;
    out_.is_complex = spec.kind == Kind::c2c || spec.kind == Kind::r2c;
    for (Side* side : {&in_, &out_})
      std::stable_sort(side->loops.begin(), side->loops.end(),
                       [](const Loop& a, const Loop& b) { return a.stride > b.stride; });
    growth_ *= std::sqrt(points) * std::abs(spec.scale) * (spec.kind == Kind::c2r ? std::sqrt(2.0) : 1.0);
    log_points_ = std::log2(points) + 2;
    floor_ = points * std::max(std::abs(spec.scale), 1.0) * (precision_ == Precision::f64 ? 1e-140 : 1e-36);
    before_.resize(static_cast<std::size_t>(units));
    after_.resize(static_cast<std::size_t>(units));
  }

  std::uint64_t before(const std::byte* in) override { return walk(in_, in, before_); }
  std::uint64_t after(const std::byte* out) override { return walk(out_, out, after_); }

  /// Rounding of the transform, and of the sums: both grow as the root mean square of the result.
  Finding finding() const override {
    constexpr double safety = 20;
    const double epsilon = precision_ == Precision::f64 ? std::numeric_limits<double>::epsilon()
                                                        : static_cast<double>(std::numeric_limits<float>::epsilon());
    Finding found;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const double allowed = safety * epsilon * log_points_ * growth_ * std::sqrt(before_[i].squares) + floor_;
      if (!std::isfinite(allowed) || !std::isfinite(std::abs(before_[i].weighted))) continue;
      const Complex difference = before_[i].weighted - after_[i].weighted;
      const double residual = (real_sums_ ? std::abs(difference.real()) : std::abs(difference)) / allowed;
      ++found.checks;
      found.residual = std::isfinite(residual) ? std::max(found.residual, residual) : 1e300;
    }
    if (found.residual > 1) found.what = "its result is not the transform of its input";
    return found;
  }
  std::size_t table_bytes() const override {
    std::size_t bytes = (before_.size() + after_.size()) * sizeof(Sums);
    for (const Side* side : {&in_, &out_})
      for (const Loop& loop : side->loops) bytes += loop.weight.size() * sizeof(Complex);
    return bytes;
  }

 private:
  std::uint64_t walk(const Side& side, const std::byte* array, std::vector<Sums>& sums) const {
    std::fill(sums.begin(), sums.end(), Sums{});
    if (sums.empty()) return 0;
    if (precision_ == Precision::f64)
      return side.is_complex ? Walk<double, true>(side, sums).run(array) : Walk<double, false>(side, sums).run(array);
    return side.is_complex ? Walk<float, true>(side, sums).run(array) : Walk<float, false>(side, sums).run(array);
  }

  Precision precision_;
  bool real_sums_;
  Side in_, out_;
  double growth_ = 1;      ///< of the root of the sum of squares, at most
  double log_points_ = 1;  ///< rounding grows with it
  double floor_ = 0;       ///< below, squares and single precision underflow
  std::vector<Sums> before_, after_;
};

}  // namespace

std::unique_ptr<StepCheck> make_transform_check(const FftSpec& spec) { return std::make_unique<TransformCheck>(spec); }

}  // namespace shardfft
