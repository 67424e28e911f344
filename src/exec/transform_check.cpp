#include "exec/transform_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "exec/check_weights.hpp"

namespace shardfft {

namespace {

using Complex = std::complex<double>;

template <class T>
T load(const std::byte* at) {
  T number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

/// CheckSums over one array, by transform of the batch; reads every number once from memory.
template <class T, bool is_complex>
class Walk {
 public:
  Walk(const CheckSide& side, CheckSums& sums) : loops_(side.loops), sums_(sums) {}

  std::uint64_t run(const std::byte* array) {
    bits_ = 0;
    visit(0, array, 0, 1);
    return bits_;
  }

 private:
  static constexpr std::int64_t parts = is_complex ? 2 : 1;
  static constexpr std::size_t element_bytes = sizeof(T) * static_cast<std::size_t>(parts);
  /// Numbers added up before they join a sum: long sums of doubles would lose as much as a transform does. They stay in
  /// cache between the sums of numbers and of bits.
  static constexpr std::int64_t block = 64;
  /// CheckSums at the same time, for vector instructions.
  static constexpr std::int64_t lanes = 4;

  Complex number(const std::byte* at) {
    bits_ += bit_sum(at, element_bytes);
    return {static_cast<double>(load<T>(at)), is_complex ? static_cast<double>(load<T>(at + element_bytes / 2)) : 0.0};
  }

  void visit(std::size_t level, const std::byte* at, std::int64_t unit, Complex weight) {
    if (level == loops_.size()) {
      const Complex x = number(at);
      return add(x * weight, std::norm(x), unit);
    }
    const CheckLoop& loop = loops_[level];
    const std::int64_t step = loop.stride * static_cast<std::int64_t>(element_bytes);
    if (level + 1 == loops_.size() && loop.stride == 1 && loop.unit_stride <= 1)
      return loop.unit_stride == 0 ? line(loop, at, unit, weight) : batch(loop, at, unit, weight);
    for (std::int64_t i = 0; i < loop.n; ++i)
      visit(level + 1, at + i * step, unit + i * loop.unit_stride,
            loop.unit_stride == 0 ? weight * loop.weight[static_cast<std::size_t>(i)] : weight);
  }

  /// A contiguous line along a transformed axis.
  void line(const CheckLoop& loop, const std::byte* at, std::int64_t unit, Complex weight) {
    for (std::int64_t first = 0; first < loop.n; first += block) {
      const std::int64_t count = parts * std::min(block, loop.n - first);
      const std::byte* const x = at + first * static_cast<std::int64_t>(element_bytes);
      const double* const to_real = loop.to_real.data() + parts * first;
      const double* const to_imag = loop.to_imag.data() + parts * first;
      double real[lanes] = {}, imag[lanes] = {}, squares[lanes] = {};
      const auto add_part = [&](std::int64_t i, std::int64_t lane) {
        const auto part = static_cast<double>(load<T>(x + i * static_cast<std::int64_t>(sizeof(T))));
        real[lane] += part * to_real[i];
        imag[lane] += part * to_imag[i];
        squares[lane] += part * part;
      };
      std::int64_t i = 0;
      for (; i + lanes <= count; i += lanes)
        for (std::int64_t lane = 0; lane < lanes; ++lane) add_part(i + lane, lane);
      for (; i < count; ++i) add_part(i, 0);
      bits_ += bit_sum(x, static_cast<std::size_t>(count) * sizeof(T));
      for (std::int64_t lane = 1; lane < lanes; ++lane) {
        real[0] += real[lane];
        imag[0] += imag[lane];
        squares[0] += squares[lane];
      }
      add(Complex(real[0], imag[0]) * weight, squares[0], unit);
    }
  }

  /// Neighbours of a batch, which have one weight.
  void batch(const CheckLoop& loop, const std::byte* at, std::int64_t unit, Complex weight) {
    const double a = weight.real(), b = weight.imag();
    for (std::int64_t first = 0; first < loop.n; first += block) {
      const std::int64_t count = std::min(block, loop.n - first);
      const std::byte* const x = at + first * static_cast<std::int64_t>(element_bytes);
      double* const __restrict real = sums_.real.data() + unit + first;
      double* const __restrict imag = sums_.imag.data() + unit + first;
      double* const __restrict squares = sums_.squares.data() + unit + first;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::byte* const element = x + i * static_cast<std::int64_t>(element_bytes);
        const auto re = static_cast<double>(load<T>(element));
        const double im = is_complex ? static_cast<double>(load<T>(element + element_bytes / 2)) : 0.0;
        real[i] += re * a - im * b;
        imag[i] += re * b + im * a;
        squares[i] += re * re + im * im;
      }
      bits_ += bit_sum(x, static_cast<std::size_t>(count) * element_bytes);
    }
  }

  void add(Complex weighted, double squares, std::int64_t unit) {
    const auto u = static_cast<std::size_t>(unit);
    sums_.real[u] += weighted.real();
    sums_.imag[u] += weighted.imag();
    sums_.squares[u] += squares;
  }

  const std::vector<CheckLoop>& loops_;
  CheckSums& sums_;
  std::uint64_t bits_ = 0;
};

/// The numbers of an axis by their parts.
void split_weights(CheckLoop& loop, bool is_complex) {
  for (const Complex& w : loop.weight) {
    loop.to_real.push_back(w.real());
    loop.to_imag.push_back(w.imag());
    if (!is_complex) continue;
    loop.to_real.push_back(-w.imag());
    loop.to_imag.push_back(w.real());
  }
}

}  // namespace

void CheckSums::clear() {
  for (auto* list : {&real, &imag, &squares}) std::fill(list->begin(), list->end(), 0.0);
}

TransformCheck::TransformCheck(const FftSpec& spec, Rounding rounding) : precision_(spec.precision) {
  std::int64_t units = 1;
  // Neighbours in memory are neighbours among the transforms.
  auto batch = spec.batch;
  std::stable_sort(batch.begin(), batch.end(),
                   [](const FftDim& a, const FftDim& b) { return a.in_stride < b.in_stride; });
  for (const FftDim& d : batch) {
    if (limits_.run == 1) limits_.run = d.n;
    in_.loops.push_back({d.n, d.in_stride, units, {}});
    out_.loops.push_back({d.n, d.out_stride, units, {}});
    units *= d.n;
  }
  const bool real = spec.kind == Kind::c2r || spec.kind == Kind::r2r;
  double points = 1;
  double growth = 1;  // of the root of the sum of squares, at most
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
    growth *= spec.kind == Kind::r2r ? 2 : 1;
  }
  in_.is_complex = spec.kind == Kind::c2c || spec.kind == Kind::c2r;
  out_.is_complex = spec.kind == Kind::c2c || spec.kind == Kind::r2c;
  for (CheckSide* side : {&in_, &out_}) {
    for (CheckLoop& loop : side->loops) split_weights(loop, side->is_complex);
    std::stable_sort(side->loops.begin(), side->loops.end(),
                     [](const CheckLoop& a, const CheckLoop& b) { return a.stride > b.stride; });
  }
  growth *= std::sqrt(points) * std::abs(spec.scale) * (spec.kind == Kind::c2r ? std::sqrt(2.0) : 1.0);
  // Rounding of the transform, and of the sums: both grow as the root mean square of the result.
  const bool wide = spec.precision == Precision::f64;
  const double epsilon =
      wide ? std::numeric_limits<double>::epsilon() : static_cast<double>(std::numeric_limits<float>::epsilon());
  constexpr double safety = 20;
  limits_.part = safety * epsilon * (std::log2(points) + 2) * growth;
  limits_.floor = points * std::max(std::abs(spec.scale), 1.0) * (wide ? 1e-140 : 1e-36);
  limits_.real_sums = spec.kind == Kind::c2r;
  limits_.with_neighbours = rounding == Rounding::with_neighbours;
  before_ = after_ = CheckSums(static_cast<std::size_t>(units));
}

Finding transform_finding(std::int64_t checks, double largest_square) {
  const double residual = std::sqrt(largest_square);
  return {checks, residual, residual > 1 ? "its result is not the transform of its input" : ""};
}

Finding TransformCheck::finding() const {
  std::int64_t checks = 0;
  const auto sums_of = [](const CheckSums& sums) {
    return LineSums{sums.real.data(), sums.imag.data(), sums.squares.data(), static_cast<std::int64_t>(sums.size())};
  };
  const LineSums before = sums_of(before_), after = sums_of(after_);
  double most = 0;
  for (std::int64_t line = 0; line < before.lines; ++line) {
    const double residual = line_residual(limits_, before, after, line);
    if (residual < 0) continue;
    ++checks;
    most = std::max(most, residual);
  }
  return transform_finding(checks, most);
}

std::size_t TransformCheck::table_bytes() const {
  std::size_t bytes = (before_.size() + after_.size()) * 3 * sizeof(double);
  for (const CheckSide* side : {&in_, &out_})
    for (const CheckLoop& loop : side->loops)
      bytes += loop.weight.size() * sizeof(Complex) + 2 * loop.to_real.size() * sizeof(double);
  return bytes;
}

std::uint64_t TransformCheck::walk(const CheckSide& side, const std::byte* array, CheckSums& sums) const {
  sums.clear();
  if (sums.size() == 0) return 0;
  if (precision_ == Precision::f64)
    return side.is_complex ? Walk<double, true>(side, sums).run(array) : Walk<double, false>(side, sums).run(array);
  return side.is_complex ? Walk<float, true>(side, sums).run(array) : Walk<float, false>(side, sums).run(array);
}

std::unique_ptr<StepCheck> make_transform_check(const FftSpec& spec) { return std::make_unique<TransformCheck>(spec); }

}  // namespace shardfft
