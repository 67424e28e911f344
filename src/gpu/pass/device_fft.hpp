#pragma once
// Transforms of one member's data on its GPU.
#include <memory>

#include "gpu/operation.hpp"
#include "local/local_fft.hpp"

namespace shardfft::gpu {

/// Plans on the current device; transforms of several axes of large arrays by what is faster there, our own passes or
/// cuFFT, unless spec.effort is estimate; with the option `verify` by what is faster with its check. The input is left
/// unchanged if spec.preserve_input. Complex transforms whose strides are alike on both sides, and those with
/// spec.in_place, may run in place. Arrays begin at multiples of 16 bytes, and the output's loops fill it without gaps.
std::unique_ptr<DeviceOperation> make_device_fft(const FftSpec& spec, bool verify = false);
/// Whether it needs no dense copy of its arrays, so that it may be a part of a larger one, on the current device.
bool runs_where_it_lies(const FftSpec& spec);
/// With the option verify: whether it can be made of passes of our own, which all add up their lines themselves, on the
/// current device.
bool checks_itself(const FftSpec& spec);
/// Whether its factor spec.scale costs no pass over memory, on the current device.
bool scales_free(const FftSpec& spec);

}  // namespace shardfft::gpu
