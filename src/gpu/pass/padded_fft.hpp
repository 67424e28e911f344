#pragma once
// Transforms by passes of our own where rows of spectra begin within units of 16 bytes.
#include <memory>

#include "gpu/operation.hpp"
#include "local/local_fft.hpp"

namespace shardfft::gpu {

/// Three axes by a plane pass and a line pass; the spectra between both lie in padded rows, in as much scratch as the
/// spectrum has. Real transforms, and complex ones whose rows are no whole units. Null where there are no such passes
/// on the current device. Whether it is fast only a trial tells.
std::unique_ptr<DeviceOperation> make_padded_fft(const FftSpec& spec);

}  // namespace shardfft::gpu
