#pragma once
// The weights of a linearity checksum along one axis.
#include <complex>
#include <vector>

#include "local/local_fft.hpp"

namespace shardfft {

/// Of a transform y = T x along one axis: sum_j out[j] y[j] = sum_k in[k] x[k] for all x, or the real parts of these
/// sums are equal. The root mean square of the result's weights is 1; all are as even as they can be found, so that a
/// wrong number shows wherever it is.
struct CheckWeights {
  std::vector<std::complex<double>> in, out;
};

/// Of cosine and sine transforms: real ones. None is less than about a third of the root mean square of its side's.
CheckWeights make_cosine_weights(AxisTransform type, std::int64_t n);

/// Of c2c, in either direction: real ones, so that sums along this axis leave the parts of numbers apart. None is less
/// than a third of the root mean square of its side's.
CheckWeights make_real_weights(std::int64_t n);

/// Of c2c, r2c or c2r along the last axis that is transformed; `n` is the real length. The real and the imaginary parts
/// of these weights are even by themselves, so that the real part of the sums is enough: none is less than about a
/// third (but the imaginary ones of input whose imaginary part c2r does not read).
CheckWeights make_last_axis_weights(Kind kind, Direction direction, std::int64_t n);

/// The same of lines of a forward c2c, whose result's weights are (1 + i) times real numbers: `real`, about `size` in
/// the root mean square, with no more than 20 bits of mantissa behind the first one. What `kind` of rows the lines are:
/// real rows go in pairs, so that a part of number k of half a spectrum comes with the sum of the
/// weights of the points k and n - k, the other one with their difference. Neither is less than about 0.3 of the root
/// mean square.
struct RealCheckWeights {
  std::vector<std::complex<double>> in;
  std::vector<double> real;
};
RealCheckWeights make_real_axis_weights(Kind kind, std::int64_t n, double size);

}  // namespace shardfft
