#pragma once
// Transforms of a whole array in extended precision, which every plan is compared with: by their definition, but that
// lengths are split into their prime factors first (serial_dft is compared with the plain sum in tests/local).
#include <complex>
#include <vector>

#include "shardfft/types.hpp"
#include "support/elements.hpp"

namespace shardfft::test {

using Value = std::complex<double>;

/// sum over j of x[j] exp(2 pi i sign jk / n) along `axis`, unscaled.
void serial_dft(std::vector<Value>& data, const Shape& shape, int axis, int sign);

/// Index of mode k among `extent` in the order of fftfreq.
inline std::int64_t index_of_mode(std::int64_t k, std::int64_t extent) { return k < 0 ? k + extent : k; }

/// The transform of a whole array, unscaled. `shape` is the real (or only) array's; the last axis with a Fourier
/// transform is the halved one.
struct SerialTransform {
  Kind kind;
  Shape shape;
  std::vector<int> axes;
  std::vector<AxisTransform> types = {};  ///< none: all fft
  Shape modes = {};                       ///< kept ones, 0 for all; none: all
  LoneMode lone_mode = LoneMode::split;

  AxisTransform type(std::size_t i) const { return types.empty() ? AxisTransform::fft : types[i]; }
  int halved() const;
  /// exp(-), real to half spectrum for r2c and c2r.
  std::vector<Value> analyse(std::vector<Value> data) const;
  std::int64_t kept(std::size_t i) const { return modes.empty() || modes[i] == 0 ? shape[to_size(axes[i])] : modes[i]; }
  /// exp(+), half spectrum to real for r2c and c2r.
  std::vector<Value> synthesise(std::vector<Value> data) const;
  Shape spectrum_shape() const;
  /// What a transform and its inverse multiply numbers by.
  double points() const;
  bool operator==(const SerialTransform&) const = default;

 private:
  std::vector<Value> analysis_of(std::vector<Value> data) const;
  std::vector<Value> synthesis_of(std::vector<Value> data) const;
};

}  // namespace shardfft::test
