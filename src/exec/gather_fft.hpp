#pragma once
// Fused steps: a transform in bundles that reads its lines from the memory of their owners on this host. Its results
// may be written to the memory of their owners.
#include "exec/bundled_fft.hpp"
#include "exec/host_reshape.hpp"

namespace shardfft {

/// Gathers and transforms, then scatters if `scatter` is not null. All members must be on this host.
std::unique_ptr<Operation> make_gather_fft(const HostReshapeSetup& gather, const BundledFftSetup& fft,
                                           const HostReshapeSetup* scatter);

}  // namespace shardfft
