// Cosine and sine transforms along one axis for libraries that have none: butterflies of real numbers, Fourier
// transforms of as many points (type I: of the extension), butterflies. The butterflies are those of cosine_map.hpp,
// whose complex line carries one real line here: half of each spectrum determines the rest, and no two lines mix.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/aligned.hpp"
#include "local/backend.hpp"
#include "local/cosine_map.hpp"
#include "local/stages.hpp"

namespace shardfft {
namespace {

using namespace cosine_map;
using Exact = long double;

/// One result of a round of butterflies: a sum of two inputs times factors, at offsets in real numbers.
template <class Real>
struct Term {
  std::int64_t in[2] = {0, 0};
  Real factor[2] = {0, 0};
};

/// The factor of input `i` in output `o`.
std::complex<Exact> factor_of(const CosineUnit& unit, int o, int i) {
  TwoReals<Exact> in[2];
  in[i].re = 1;
  const Exact angle = std::numbers::pi_v<Exact> * static_cast<Exact>(unit.angle) / static_cast<Exact>(unit.half_turn);
  const TwoReals<Exact> z = output_of(unit, o, in, {std::cos(angle), std::sin(angle)});
  return {z.re, z.im};
}

/// The numbers of a side of the Fourier transforms.
struct Side {
  bool is_complex = false;
  std::int64_t points = 0;  ///< of a line
  Loop line, lines;         ///< strides in points, both of them in `from`

  std::int64_t parts() const { return is_complex ? 2 : 1; }
};

template <class Real>
class CosineFft : public LocalFft {
 public:
  CosineFft(const FftSpec& spec, const SubFactory& make)
      : type_(spec.types.front()),
        n_(spec.transform.front().count),
        line_(spec.transform.front()),
        lines_(spec.batch.empty() ? Loop{1, 1, 1} : spec.batch.front()),
        beside_(lines_.from < line_.from) {
    FftSpec fourier = fourier_spec(spec);
    const Kind kind = fourier.kind;
    const std::int64_t points = fourier.transform.front().count;
    before_ = side_of(kind != Kind::r2c, kind == Kind::c2r ? points / 2 + 1 : points);
    after_ = side_of(kind != Kind::c2r, kind == Kind::r2c ? points / 2 + 1 : points);
    fourier.transform = {{points, before_.line.from, after_.line.from}};
    fourier.batch = {{lines_.count, before_.lines.from, after_.lines.from}};
    fourier.in_place = fourier.preserve_input = false;
    fourier.scale = 1;
    fourier.aligned = true;
    fft_ = make(fourier);
    add_before();
    add_after(spec.scale);
  }

  std::size_t scratch_bytes() const override { return bytes(before_) + bytes(after_) + fft_->scratch_bytes(); }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    std::byte* const spectra = scratch + bytes(before_);
    run(to_fourier_, static_cast<const Real*>(in), lines_.from, reinterpret_cast<Real*>(scratch),
        before_.line.from * before_.parts(), before_.parts(), before_.lines.from * before_.parts());
    fft_->execute(scratch, spectra, spectra + bytes(after_), ahead);
    run(from_fourier_, reinterpret_cast<const Real*>(spectra), after_.lines.from * after_.parts(),
        static_cast<Real*>(out), line_.to, 1, lines_.to);
  }

 private:
  using Terms = std::vector<Term<Real>>;

  /// Lines that are neighbours in the input are neighbours here too.
  Side side_of(bool is_complex, std::int64_t points) const {
    Side side{is_complex, points, {points, 1, 1}, {lines_.count, points, points}};
    if (beside_) side.line.from = lines_.count, side.lines.from = 1;
    return side;
  }
  std::size_t bytes(const Side& side) const {
    const std::int64_t numbers = side.points * side.parts() * lines_.count;
    return round_up(static_cast<std::size_t>(numbers) * sizeof(Real), cache_line);
  }

  void add_before() {
    to_fourier_.resize(static_cast<std::size_t>(before_.points * before_.parts()));
    for (std::int64_t h = 0; h < units_before(type_, n_); ++h) {
      const CosineUnit unit = before_unit(type_, n_, h);
      // Complex lines need no second output: it is the conjugate of another point, or in a second line of conjugates.
      for (int o = 0; o < (before_.is_complex ? 1 : 2); ++o) {
        if (unit.out[o] < 0) continue;
        for (int i = 0; i < 2; ++i) {
          if (unit.in[i] < 0) continue;
          const std::complex<Exact> factor = factor_of(unit, o, i);
          for (std::int64_t part = 0; part < before_.parts(); ++part) {
            Term<Real>& term = to_fourier_[static_cast<std::size_t>(unit.out[o] * before_.parts() + part)];
            term.in[i] = unit.in[i] * line_.from;
            term.factor[i] = static_cast<Real>(part == 0 ? factor.real() : factor.imag());
          }
        }
      }
    }
  }

  void add_after(double scale) {
    from_fourier_.resize(static_cast<std::size_t>(n_));
    for (std::int64_t h = 0; h < units_after(type_, n_); ++h) {
      const CosineUnit unit = after_unit(type_, n_, h);
      // The second input is the conjugate of the first one. Spectra end in the middle, where conjugates begin.
      const bool other = unit.in[0] >= after_.points;
      const std::int64_t at = (other ? n_ - unit.in[0] : unit.in[0]) * after_.line.from * after_.parts();
      for (int o = 0; o < 2; ++o) {
        if (unit.out[o] < 0) continue;
        std::complex<Exact> factor = factor_of(unit, o, 0);
        if (unit.in[1] >= 0) factor += std::conj(factor_of(unit, o, 1));
        factor *= static_cast<Exact>(scale);
        Term<Real>& term = from_fourier_[static_cast<std::size_t>(unit.out[o])];
        term.in[0] = at;
        term.in[1] = after_.is_complex ? at + 1 : at;
        term.factor[0] = static_cast<Real>(factor.real());
        term.factor[1] = after_.is_complex ? static_cast<Real>(other ? factor.imag() : -factor.imag()) : Real(0);
      }
    }
  }

  /// The outputs are `stride` apart, or two parts side by side.
  void run(const Terms& terms, const Real* in, std::int64_t in_step, Real* out, std::int64_t stride, std::int64_t parts,
           std::int64_t out_step) const {
    const auto many = static_cast<std::int64_t>(terms.size());
    const auto place = [&](std::int64_t k) { return parts == 1 ? k * stride : k / 2 * stride + k % 2; };
    if (beside_) {
      for (std::int64_t k = 0; k < many; ++k) {
        const Term<Real>& term = terms[static_cast<std::size_t>(k)];
        const Real* const first = in + term.in[0];
        const Real* const second = in + term.in[1];
        Real* const result = out + place(k);
        for (std::int64_t l = 0; l < lines_.count; ++l)
          result[l * out_step] = term.factor[0] * first[l * in_step] + term.factor[1] * second[l * in_step];
      }
      return;
    }
    for (std::int64_t l = 0; l < lines_.count; ++l, in += in_step, out += out_step)
      for (std::int64_t k = 0; k < many; ++k) {
        const Term<Real>& term = terms[static_cast<std::size_t>(k)];
        out[place(k)] = term.factor[0] * in[term.in[0]] + term.factor[1] * in[term.in[1]];
      }
  }

  AxisTransform type_;
  std::int64_t n_;
  Loop line_, lines_;
  bool beside_;
  Side before_, after_;
  Terms to_fourier_, from_fourier_;
  std::unique_ptr<LocalFft> fft_;
};

}  // namespace

FftSpec fourier_spec(FftSpec spec) {
  for (std::size_t a = spec.transform.size(); a-- > 0;) {
    const AxisTransform type = spec.types[a];
    std::int64_t& n = spec.transform[a].count;
    spec.kind = is_type3(type) ? Kind::c2r : fourier_lines(type, n) == 2 ? Kind::c2c : Kind::r2c;
    spec.direction = fourier_direction(type);
    n = fourier_points(type, n);
  }
  spec.types.clear();
  return spec;
}

std::unique_ptr<LocalFft> make_cosine(const FftSpec& spec, const SubFactory& make) {
  if (spec.precision == Precision::f64) return std::make_unique<CosineFft<double>>(spec, make);
  return std::make_unique<CosineFft<float>>(spec, make);
}

}  // namespace shardfft
