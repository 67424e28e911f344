// The oracle: discrete Fourier, cosine and sine transforms by their definition, in long double. Slow and obvious on
// purpose.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/aligned.hpp"
#include "local/backend.hpp"
#include "local/cosine_matrix.hpp"
#include "local/loops.hpp"

namespace shardfft {
namespace {

using LongComplex = std::complex<long double>;

/// exp(sign 2 pi i k / n) for k = 0 .. n-1.
void put_roots(std::int64_t n, int sign, LongComplex* w) {
  for (std::int64_t k = 0; k < n; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    w[k] = {std::cos(angle), static_cast<long double>(sign) * std::sin(angle)};
  }
}

/// One line of n points, in place: every output is a sum over all inputs, times factor(k, j). `result` has room for n.
template <class Factor>
void transform_line(LongComplex* line, std::int64_t n, std::int64_t stride, LongComplex* result, const Factor& factor) {
  for (std::int64_t k = 0; k < n; ++k) {
    long double real = 0, imaginary = 0;  // not operator*, which checks every product for NaN
    for (std::int64_t j = 0; j < n; ++j) {
      const LongComplex x = line[j * stride], w = factor(k, j);
      real += x.real() * w.real() - x.imag() * w.imag();
      imaginary += x.real() * w.imag() + x.imag() * w.real();
    }
    result[k] = {real, imaginary};
  }
  for (std::int64_t k = 0; k < n; ++k) line[k * stride] = result[k];
}

/// The matrix of each axis; none for Fourier transforms.
using Matrices = std::vector<std::vector<long double>>;

Matrices cosine_matrices(const FftSpec& spec) {
  Matrices matrices;
  for (std::size_t a = 0; a < spec.types.size(); ++a)
    matrices.push_back(cosine_matrix(spec.types[a], spec.transform[a].count));
  return matrices;
}

/// The missing half of one line of a spectrum whose transform is real; imaginary parts that must vanish are dropped.
void complete_line(LongComplex* line, std::int64_t n) {
  line[0] = line[0].real();
  if (n % 2 == 0) line[n / 2] = line[n / 2].real();
  for (std::int64_t k = n / 2 + 1; k < n; ++k) line[k] = std::conj(line[n - k]);
}

std::int64_t longest_line(const FftSpec& spec) {
  std::int64_t longest = 1;
  for (const Loop& d : spec.transform) longest = std::max(longest, d.count);
  return longest;
}

/// A dense array of one transform, full in every axis. `lines` has room for two of the longest lines.
class Field {
 public:
  Field(const FftSpec& spec, const Matrices& cosines, LongComplex* values, LongComplex* lines)
      : axes_(spec.transform),
        cosines_(cosines),
        sign_(spec.direction == Direction::forward ? -1 : 1),
        values_(values),
        roots_(lines),
        result_(lines + longest_line(spec)) {
    std::int64_t stride = 1;
    for (std::size_t a = axes_.size(); a-- > 0;) {
      axes_[a].from = axes_[a].to = stride;
      stride *= axes_[a].count;
    }
  }

  void transform_axis(std::size_t a) {
    const std::int64_t n = axes_[a].count;
    const auto transform = [&](const auto& factor) {
      for_lines(a, [&](LongComplex* line) { transform_line(line, n, axes_[a].from, result_, factor); });
    };
    if (!cosines_.empty())
      return transform(
          [&](std::int64_t k, std::int64_t j) { return cosines_[a][static_cast<std::size_t>(k * n + j)]; });
    put_roots(n, sign_, roots_);
    transform([&](std::int64_t k, std::int64_t j) { return roots_[j * k % n]; });
  }

  void complete_last_axis() {
    for_lines(axes_.size() - 1, [&](LongComplex* line) { complete_line(line, axes_.back().count); });
  }

  /// Visits the points that one side has (a halved last axis when `halved`): visit(field value, offset on that side).
  template <class Visit>
  void for_points(const Loops& side, bool halved, std::int64_t Loop::*stride, const Visit& visit) {
    Loops loops = side;
    if (halved) loops.back().count = loops.back().count / 2 + 1;
    for (std::size_t a = 0; a < loops.size(); ++a) {
      loops[a].to = loops[a].*stride;
      loops[a].from = axes_[a].from;
    }
    walk(loops, [&](std::int64_t own, std::int64_t user, const Loop& line) {
      for (std::int64_t i = 0; i < line.count; ++i) visit(values_[own + i * line.from], user + i * line.to);
    });
  }

 private:
  template <class Visit>
  void for_lines(std::size_t a, const Visit& visit) {
    Loops others = axes_;
    others[a].count = 1;
    walk(others, [&](std::int64_t offset, std::int64_t, const Loop& line) {
      for (std::int64_t i = 0; i < line.count; ++i) visit(values_ + offset + i * line.from);
    });
  }

  Loops axes_;
  const Matrices& cosines_;
  int sign_;
  LongComplex* values_;
  LongComplex* roots_;
  LongComplex* result_;
};

template <class Real>
LongComplex load(const void* data, std::int64_t i, bool is_complex) {
  if (is_complex) return LongComplex(static_cast<const std::complex<Real>*>(data)[i]);
  return static_cast<long double>(static_cast<const Real*>(data)[i]);
}

template <class Real>
void store(void* data, std::int64_t i, bool is_complex, LongComplex value) {
  if (is_complex)
    static_cast<std::complex<Real>*>(data)[i] = {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
  else
    static_cast<Real*>(data)[i] = static_cast<Real>(value.real());
}

template <class Real>
class ReferenceFft : public LocalFft {
 public:
  explicit ReferenceFft(const FftSpec& spec) : spec_(spec), cosines_(cosine_matrices(spec)) {}

  std::size_t scratch_bytes() const override {
    if (is_empty(spec_)) return 0;
    const std::int64_t numbers = points(spec_.batch) * points(spec_.transform) + 2 * longest_line(spec_);
    return round_up(static_cast<std::size_t>(numbers) * sizeof(LongComplex), cache_line);
  }

  /// All inputs are read before any output is written, so that any aliasing is allowed.
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead&) const override {
    if (is_empty(spec_)) return;
    auto* const lines = reinterpret_cast<LongComplex*>(scratch);
    LongComplex* const values = lines + 2 * longest_line(spec_);
    const auto field_of = [&](std::size_t b) {
      return Field(spec_, cosines_, values + static_cast<std::int64_t>(b) * points(spec_.transform), lines);
    };
    // The missing half is transformed along the other axes too, before it is completed. Uninitialised numbers there
    // might trap.
    if (spec_.kind == Kind::c2r) std::fill_n(values, points(spec_.batch) * points(spec_.transform), LongComplex());
    for_batch(&Loop::from, [&](std::size_t b, std::int64_t offset) {
      Field field = field_of(b);
      field.for_points(spec_.transform, spec_.kind == Kind::c2r, &Loop::from, [&](LongComplex& value, std::int64_t i) {
        value = load<Real>(in, offset + i, input_element(spec_).is_complex);
      });
      transform(field);
    });
    for_batch(&Loop::to, [&](std::size_t b, std::int64_t offset) {
      field_of(b).for_points(spec_.transform, spec_.kind == Kind::r2c, &Loop::to,
                             [&](LongComplex& value, std::int64_t i) {
                               store<Real>(out, offset + i, output_element(spec_).is_complex,
                                           value * static_cast<long double>(spec_.scale));
                             });
    });
  }

 private:
  void transform(Field& field) const {
    const std::size_t axes = spec_.transform.size();
    for (std::size_t a = 0; a + 1 < axes; ++a) field.transform_axis(a);
    if (spec_.kind == Kind::c2r) field.complete_last_axis();
    if (axes > 0) field.transform_axis(axes - 1);
  }

  /// visit(number of the transform, its offset on one side).
  template <class Visit>
  void for_batch(std::int64_t Loop::*stride, const Visit& visit) const {
    std::size_t number = 0;
    walk(spec_.batch, [&](std::int64_t in, std::int64_t out, const Loop& line) {
      const std::int64_t base = stride == &Loop::from ? in : out;
      for (std::int64_t i = 0; i < line.count; ++i) visit(number++, base + i * (line.*stride));
    });
  }

  FftSpec spec_;
  Matrices cosines_;
};

std::unique_ptr<LocalFft> make_reference(const FftSpec& spec) {
  if (spec.precision == Precision::f64) return std::make_unique<ReferenceFft<double>>(spec);
  return std::make_unique<ReferenceFft<float>>(spec);
}

}  // namespace

Backend reference_backend() {
  Backend backend;
  backend.name = "reference";
  backend.version = [] { return "shardfft's definition in long double"; };
  backend.make = make_reference;
  backend.complete = true;
  backend.cosines = true;
  return backend;
}

}  // namespace shardfft
