#pragma once
// The weights of a linearity checksum along one axis.
#include <complex>
#include <vector>

#include "local/local_fft.hpp"

namespace shardfft {

/// Weights that check a transform y = T x along one axis: sum_j out[j] y[j] = sum_k in[k] x[k] holds for all x, or at
/// least for the real parts of these sums. The root mean square of the result's weights is 1. No weight is much smaller
/// than the others, so that a wrong number shows at any place.
struct CheckWeights {
  std::vector<std::complex<double>> in, out;
};

/// Weights for cosine and sine transforms. They are real, and none is less than about a third of the root mean square
/// of those of its side.
CheckWeights make_cosine_weights(AxisTransform type, std::int64_t n);

/// Real weights for c2c in either direction: sums along this axis keep the real and imaginary parts of numbers apart.
/// None is less than a third of the root mean square of those of its side.
CheckWeights make_real_weights(std::int64_t n);

/// Weights for c2c, r2c or c2r along the last axis that is transformed; `n` is the real length. No real or imaginary
/// part of a weight is less than about a third of the root mean square, so that comparing the real parts of the sums is
/// enough. The exception is input whose imaginary part c2r does not read.
CheckWeights make_last_axis_weights(Kind kind, Direction direction, std::int64_t n);

/// Weights for lines of a forward c2c on GPUs. Those of the result are (1 + i) times real numbers, `real`, whose root
/// mean square is about `size` and whose mantissas have no more than 20 bits behind the first one. `kind` is that of
/// the lines: real rows are transformed in pairs, so that one part of number k of a half spectrum is weighted by the
/// sum of the weights of the points k and n - k, and the other part by their difference. Neither is less than about 0.3
/// of the root mean square.
struct RealCheckWeights {
  std::vector<std::complex<double>> in;
  std::vector<double> real;
};
RealCheckWeights make_real_axis_weights(Kind kind, std::int64_t n, double size);

}  // namespace shardfft
