#pragma once
#include <complex>
#include <memory>
#include <vector>

#include "algorithm/program.hpp"
#include "gpu/operation.hpp"
#include "pack/spectral_factors.hpp"
#include "shardfft/types.hpp"

namespace shardfft::gpu {

/// Multiplies the spectrum of `rank` by an operator's factors, in place. `before`: the operation that wrote the
/// spectrum into the same array, or null. It multiplies in runs whose factors it can take.
std::unique_ptr<DeviceOperation> make_operator(const OperatorStep& step, const State& spectrum, int rank,
                                               Precision precision, DeviceOperation* before);

/// The numbers of all terms along axes, one term behind the other.
std::vector<std::complex<double>> axis_numbers(const SpectralFactors& factors);

}  // namespace shardfft::gpu
