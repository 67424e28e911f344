#pragma once
// Which of several ways to make a transform is the fastest on this device: how many of its axes passes of our own take
// and how many are left to the vendor's library cannot be told from the sizes alone. With the option verify each way is
// timed with its check.
#include <functional>
#include <memory>
#include <optional>

#include "device/handles.hpp"
#include "gpu/operation.hpp"
#include "local/local_fft.hpp"

namespace shardfft::gpu {

class DeviceFftTrial {
 public:
  using Make = std::function<std::unique_ptr<DeviceOperation>()>;

  /// On the current device, with arrays of its own until it ends: those of the transform.
  DeviceFftTrial(const FftSpec& spec, bool verify);

  /// Makes one way, times it and forgets it; the first one is taken where others are not clearly faster, or there is no
  /// room for them. False where the device has no room for a trial: the first way then stays the only one.
  bool add(const Make& make);
  /// The number of the fastest one, in the order in which they came.
  std::size_t fastest() const { return best_; }

 private:
  static bool has_room(std::size_t bytes);
  std::unique_ptr<DeviceOperation> made(const Make& make) const;
  double milliseconds(DeviceOperation& fft);

  FftSpec spec_;
  bool verify_;
  std::size_t in_bytes_, out_bytes_;
  device::Memory in_, out_;
  std::size_t tried_ = 0, best_ = 0;
  std::optional<double> best_ms_;
  bool runs_in_place_ = false;  ///< the first way does
};

}  // namespace shardfft::gpu
