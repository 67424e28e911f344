#pragma once
// The weights of a linearity checksum along one axis.
#include <complex>
#include <vector>

#include "local/local_fft.hpp"

namespace shardfft {

/// Of a transform y = T x along one axis: sum_j out[j] y[j] = sum_k in[k] x[k] for all x. Weights of the result have
/// modulus 1; those of the input are as even as they can be found, so that a wrong number shows wherever it is. With
/// `real`, weights of the result are real, as where the result is; of a completed axis (c2r), the real parts of the
/// sums are equal.
struct CheckWeights {
  std::vector<std::complex<double>> in, out;
};

/// `n`: the real length of a halved or completed axis. `kind`: c2c, r2c, c2r or r2r; `type` says which of these.
CheckWeights make_check_weights(Kind kind, AxisTransform type, Direction direction, std::int64_t n, bool real);

/// The same of the only axis of a transform, c2c, r2c or c2r. The real and the imaginary parts of its weights are even
/// by themselves, so that the real part of the sums is enough: the root mean square of the result's is 1, and none is
/// less than about a third of that (but the imaginary ones of input whose imaginary part c2r does not read).
CheckWeights make_lone_axis_weights(Kind kind, Direction direction, std::int64_t n);

/// The same of a c2c, whose result's weights are (1 + i) times real numbers: `real`, about `size` in the root mean
/// square, with no more than 20 bits of mantissa behind the first one.
struct RealCheckWeights {
  std::vector<std::complex<double>> in;
  std::vector<double> real;
};
RealCheckWeights make_real_axis_weights(Direction direction, std::int64_t n, double size);

}  // namespace shardfft
