#pragma once
// Transforms of lines by kernels of our own; local/lanes.cpp says how.
#include <memory>
#include <vector>

#include "local/lanes_plan.hpp"
#include "local/local_fft.hpp"

namespace shardfft {

namespace lanes {

/// Those that this processor can run, the longest vectors first.
const std::vector<Kernels>& all_kernels();

}  // namespace lanes

/// c2c, forward r2c or backward c2r of one axis, with two batch loops at most.
std::unique_ptr<LocalFft> make_lanes(const FftSpec& spec, const lanes::Kernels& kernels);

}  // namespace shardfft
