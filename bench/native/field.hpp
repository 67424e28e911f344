// The field every library transforms, and its exact transform.
//
// f(i, j, k) = a1(i) b1(j) c1(k) + a2(i) b2(j) c2(k) with random 1-D factors. Each value of its 3-D transform
// is A1 B1 C1 + A2 B2 C2 at the same indices, where the capitals are the 1-D transforms of the factors, taken
// here in long double by definition. So any rank knows any value of the field and of its spectrum at once, at
// any size, without communication and without another FFT library. All values differ, and the factors differ
// per axis: a swapped sign, a wrong axis order, a wrong scale or a misplaced block cannot pass.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "box.hpp"
#include "case.hpp"

namespace shardfft::bench {

// One dimensionless error of a part, to be combined over ranks.
struct ErrorSums {
  double largest = 0;    // max |found - exact|; NaN when any value found is not finite
  double squares = 0;    // sum of |found - exact|^2
  double reference = 0;  // sum of |exact|^2
};

class Field {
 public:
  explicit Field(const Case& wanted);

  // Fill a rank's part with field values (T real or complex, as the case has it) or spectrum values, times `factor`.
  template <class T>
  void fill_field(const Part& part, T* data, double factor = 1) const;
  template <class T>
  void fill_spectrum(const Part& part, T* data, double factor = 1) const;
  // Compare a rank's part, divided by `scale`, with the exact values. The field is what comes back of the spectrum: the
  // given one, of its kept modes, times what the case applies.
  template <class T>
  ErrorSums compare_field(const Part& part, const T* data, double scale) const;
  template <class T>
  ErrorSums compare_spectrum(const Part& part, const T* data, double scale) const;

  using Value = std::complex<double>;
  using Factor = std::vector<Value>;
  static constexpr int terms = 2;
  // The factors themselves, for values made elsewhere than on the host.
  const Factor& field_factor(int term, int axis) const { return field_[term][axis]; }
  const Factor& spectrum_factor(int term, int axis) const { return spectrum_[term][axis]; }
  // What the case applies to each mode is the product of these.
  const std::vector<double>& gain(int axis) const { return gain_[axis]; }

 private:
  // [term][axis]
  Factor field_[terms][3];
  Factor spectrum_[terms][3];
  Factor returned_[terms][3];
  std::vector<double> gain_[3];
};

}  // namespace shardfft::bench
