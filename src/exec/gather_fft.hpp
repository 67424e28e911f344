#pragma once
// Fused steps: a transform in bundles whose lines are read from the memory of their owners on this host, and whose
// results may be written into the memory of theirs.
#include "exec/bundled_fft.hpp"
#include "exec/host_reshape.hpp"

namespace shardfft {

/// Gathers and transforms, and then scatters if `scatter` is not null; all members must be on this host.
std::unique_ptr<Operation> make_gather_fft(const HostReshapeSetup& gather, const BundledFftSetup& fft,
                                           const HostReshapeSetup* scatter);

}  // namespace shardfft
