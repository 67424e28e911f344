#pragma once
// Operators: the factors by which Plan::apply multiplies a spectrum, between a forward transform and a backward one.
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "shardfft/side.hpp"
#include "shardfft/typed_array.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// A rank's part of a spectrum, between the forward transform and the backward one, for a function of the caller's.
struct SpectrumPart {
  const Side& side;        ///< plan.output(): side.layout.pieces(side.rank) are its boxes, side.element its type
  void* data = nullptr;    ///< side.count() elements, one field behind the other, in memory of the GPU or of the host
  int device = -1;         ///< the GPU, which is current; -1 on CPUs
  void* stream = nullptr;  ///< of that GPU: a cudaStream_t
};

/// A factor for each mode of a spectrum. A small value: copies share their factors, and one operator serves many plans.
/// All ranks of a plan give the same operator: Plan::apply throws Error(mismatch) otherwise (the contents of arrays and
/// functions are not compared, nor numbers beyond the precision of a float).
///
/// `lengths` are those of the domain along the axes of the array, an entry an axis; empty means 2 pi along axes with a
/// Fourier transform and pi along those with a cosine or sine transform. Axes that the plan does not transform have no
/// wavenumbers: their lengths have no effect. The wavenumber of mode m along an axis of length L is k = 2 pi m / L, m
/// as NumPy's fftfreq and rfftfreq order them; of cosine and sine transforms it is pi m / L (Side::wavenumbers). Wrong
/// arguments (an axis that is not transformed, an array of another size) are errors of Plan::apply.
class Operator {
 public:
  using Lengths = std::vector<double>;  ///< An entry an axis, of the unit of positions.
  /// A factor from the global indices of a mode in the spectrum, one an axis.
  using OfIndices = std::function<std::complex<double>(std::span<const std::int64_t>)>;
  /// A factor from the wavenumbers of a mode, one an axis; 0 along axes that are not transformed.
  using OfWavenumbers = std::function<std::complex<double>(std::span<const double>)>;

  /// Real or complex factors, in the layout of the plan's output(): those of this rank's part of one field, which serve
  /// all fields, or those of all fields. They are copied. Factors of half spectra (r2c) must be the half spectrum of a
  /// real array; if they are not, the nearest ones that are take their place. Factors of real spectra (r2r) must be
  /// real. For plans of one member; a list of arrays is for plans over several devices.
  template <Element T>
  static Operator array(std::span<const T> factors) {
    return array(element_type<T>, factors.data(), static_cast<std::int64_t>(factors.size()));
  }
  template <detail::ElementRange Range>
  static Operator array(const Range& factors) {
    return array(std::span<const typename detail::SpanOf<const Range>::value_type>(std::span(factors)));
  }
  /// The same of `count` elements in memory.
  static Operator array(ElementType element, const void* factors, std::int64_t count) {
    const Part part{factors, count};
    return array(element, {&part, 1});
  }
  /// An array for each member of a plan.
  template <detail::ElementRange Range>
  static Operator array(const std::vector<Range>& factors) {
    using T = typename detail::SpanOf<const Range>::value_type;
    std::vector<Part> parts;
    for (const Range& one : factors) parts.push_back({std::data(one), static_cast<std::int64_t>(std::size(one))});
    return array(element_type<T>, parts);
  }
  struct Part {
    const void* factors = nullptr;
    std::int64_t count = 0;
  };
  static Operator array(ElementType element, std::span<const Part> parts);

  /// `factor` of each mode. A plan calls it once for each mode of this rank, when it first applies the operator.
  static Operator of_indices(OfIndices factor);
  static Operator of_wavenumbers(OfWavenumbers factor, Lengths lengths = {});

  using OnSpectrum = std::function<void(const SpectrumPart&)>;  ///< Changes a part in place.
  /// No factors, but a function that changes the spectrum in place: each apply calls it once for each member. Whatever
  /// the norm, the numbers are those that forward gives with the norm "backward". On GPUs it enqueues its work on the
  /// stream that it is given and does not wait for it; such calls are not replayed as CUDA graphs. On CPUs it is done
  /// when it returns. It must not use the plan. An exception from it is an error of apply on all ranks, after which
  /// plans of their communicator refuse further calls. With the option verify it is called twice, on two copies of the
  /// spectrum, which must become the same bit by bit. Such an operator cannot be joined with others.
  static Operator calling(OnSpectrum function);
  /// Factors by CUDA source text, for plans on GPUs: `__device__ complex factor(const double* k, const long long* i)`
  /// gives the factor of a mode from its wavenumbers and its global indices in the spectrum, one an axis. It may return
  /// a double too, and must if spectra are real (r2r). `complex` has parts re and im, arithmetic, conj() and exp().
  /// NVRTC compiles the text when a plan first applies the operator; its errors are errors of apply. It can be joined
  /// with other operators, but not with arrays and functions of the host.
  static Operator cuda(std::string text, Lengths lengths = {});

  /// The same factor for every mode. Real spectra (r2r) take real ones.
  static Operator constant(std::complex<double> factor);

  /// (i k)^order along `axis`: the order-th derivative; -1 is the last axis, -2 the one before it, ... For odd orders
  /// the factor of the mode that stands for both +k and -k (n/2 of an even extent n) is 0, because its derivative
  /// vanishes on the grid. Along axes with a cosine or sine transform orders must be even: an odd derivative of cosines
  /// is sines, and of sines cosines.
  static Operator derivative(int axis, int order = 1, Lengths lengths = {});
  /// -|k|^2 over the transformed axes.
  static Operator laplacian(Lengths lengths = {});
  /// -1 / |k|^2, and 0 for |k| = 0: the solution of Poisson's equation, the one whose mean is 0 if there are several.
  static Operator inverse_laplacian(Lengths lengths = {});
  /// exp(-sigma^2 |k|^2 / 2): convolution with the Gaussian of width sigma, in the unit of the lengths. Beyond the
  /// domain fields continue as their transforms do: periodically, or mirrored at walls.
  static Operator gaussian(double sigma, Lengths lengths = {});

  /// Products, sums, differences and quotients of the factors, in one pass. A quotient is 0 if its divisor is 0, as
  /// inverse_laplacian() is: 1 / (laplacian - constant(4)) solves Helmholtz's equation. Numbers stand for constant().
  friend Operator operator*(const Operator& a, const Operator& b);
  friend Operator operator+(const Operator& a, const Operator& b);
  friend Operator operator-(const Operator& a, const Operator& b);
  friend Operator operator/(const Operator& a, const Operator& b);
  friend Operator operator*(std::complex<double> a, const Operator& b) { return constant(a) * b; }
  friend Operator operator*(const Operator& a, std::complex<double> b) { return a * constant(b); }
  friend Operator operator+(const Operator& a, std::complex<double> b) { return a + constant(b); }
  friend Operator operator-(const Operator& a, std::complex<double> b) { return a - constant(b); }
  friend Operator operator/(std::complex<double> a, const Operator& b) { return constant(a) / b; }

  class Rep;
  explicit Operator(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  const std::shared_ptr<const Rep>& rep() const { return rep_; }  ///< For the library's own use.

 private:
  std::shared_ptr<const Rep> rep_;
};

}  // namespace shardfft
