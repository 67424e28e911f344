#pragma once
// Operations for steps that touch every element once, and for the copy of programs that do nothing.
#include <complex>
#include <memory>
#include <vector>

#include "algorithm/program.hpp"
#include "gpu/operation.hpp"
#include "pack/spectral_factors.hpp"
#include "shardfft/types.hpp"

namespace shardfft::gpu {

/// The operation of such a step of `rank` between two states; null for steps of other kinds.
std::unique_ptr<DeviceOperation> make_pointwise(const Step& step, const State& before, const State& after, int rank,
                                                Precision precision);
std::unique_ptr<DeviceOperation> make_copy(std::size_t bytes);

/// The numbers of all terms along axes, one term behind the other.
std::vector<std::complex<double>> axis_numbers(const SpectralFactors& factors);

}  // namespace shardfft::gpu
