#pragma once
// Finds the fastest of several ways to make a transform on this device. Sizes alone cannot tell how many axes should go
// to passes of the library's own, and how many to the vendor's library.
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/operation.hpp"
#include "local/local_fft.hpp"

namespace shardfft::gpu {

/// Makes one way. Any but the first one may throw Error(out_of_memory) or Error(unsupported).
using MakeFft = std::function<std::unique_ptr<DeviceOperation>()>;

struct FftWay {
  template <class Make>
  FftWay(Make way, std::size_t kernels_of_way = 0, bool links_of_way = false)
      : make(std::move(way)), kernels(kernels_of_way), links(links_of_way) {}

  MakeFft make;
  std::size_t kernels;  ///< the number of kernels of the library's own that it needs
  /// It takes time to make, and is tried only if a way before it that needs no kernels may be the fastest.
  bool links;
};

/// The number of the fastest way on the current device, timed in arrays of its own that are as large as the
/// transform's; with `verify` including its check. Of ways that take the same time, it is the one with the least
/// memory, then the one with the fewest kernels. If the device has no room for the arrays or for other ways, the first
/// way is taken, which is expected to win. Each way is made, timed and released. `seconds`, if given, gets the least
/// time of each way; infinite for those that did not run. `made`, if given, gets the transform of that way if it takes
/// time to make, and null otherwise.
std::size_t fastest_fft(const FftSpec& spec, bool verify, const std::vector<FftWay>& ways,
                        std::vector<double>* seconds = nullptr, std::unique_ptr<DeviceOperation>* made = nullptr);

}  // namespace shardfft::gpu
