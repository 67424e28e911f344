#pragma once
// Transforms of lines by kernels of our own; local/lanes.cpp explains them.
#include <memory>
#include <string>
#include <vector>

#include "local/lanes_plan.hpp"
#include "local/local_fft.hpp"

namespace shardfft {

namespace lanes {

/// The kernels that this processor can run, those of the longest vectors first. SHARDFFT_LANES in the environment
/// (avx512, avx2 or baseline) limits the vectors, so that tests and benchmarks see kernels of other processors.
const std::vector<Kernels>& all_kernels();
/// Those among `kernels` for these instructions or fewer; throws Error(invalid_argument) for unknown ones.
std::vector<Kernels> no_longer_than(std::vector<Kernels> kernels, const std::string& instructions);

}  // namespace lanes

/// c2c, forward r2c or backward c2r of one axis, with two batch loops at most.
std::unique_ptr<LocalFft> make_lanes(const FftSpec& spec, const lanes::Kernels& kernels);

}  // namespace shardfft
