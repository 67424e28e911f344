#pragma once
// Transforms inside one array, with little memory beside it.
#include <memory>

#include "gpu/operation.hpp"
#include "local/local_fft.hpp"

namespace shardfft::gpu {

/// Plans on the current device. Axis by axis, by line passes and by cuFFT, a small piece at a time. Real transforms are
/// of one axis, the fastest in memory; all strides of the others are alike on both sides, and arrays without gaps.
std::unique_ptr<DeviceOperation> make_in_place_fft(const FftSpec& spec);
/// Whether its factor spec.scale costs no pass over memory, on the current device.
bool scales_free_in_place(const FftSpec& spec);

}  // namespace shardfft::gpu
