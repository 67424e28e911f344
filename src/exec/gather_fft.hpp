#pragma once
// The fused step: a transform in bundles whose lines are read from the memory of their owners on this host.
#include "exec/bundled_fft.hpp"
#include "exec/host_reshape.hpp"

namespace shardfft {

/// Gathers and transforms; all members must be on this host.
std::unique_ptr<Operation> make_gather_fft(const HostReshapeSetup& setup, const BundledFftSetup& fft);

}  // namespace shardfft
