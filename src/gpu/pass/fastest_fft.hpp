#pragma once
// Which of several ways to make a transform is the fastest on this device: how many of its axes passes of our own take
// and how many are left to the vendor's library cannot be told from the sizes alone.
#include <functional>
#include <memory>
#include <vector>

#include "gpu/operation.hpp"
#include "local/local_fft.hpp"

namespace shardfft::gpu {

/// Makes one way; it may throw Error(out_of_memory), if it is not the first one.
using MakeFft = std::function<std::unique_ptr<DeviceOperation>()>;

/// The number of the way that is the fastest on the current device, in arrays of its own that are as large as those of
/// the transform; with `verify` with its check. The first way, which is expected to win, is taken if the device has no
/// room for arrays or for others. Each way is made, timed and forgotten.
std::size_t fastest_fft(const FftSpec& spec, bool verify, const std::vector<MakeFft>& ways);

}  // namespace shardfft::gpu
