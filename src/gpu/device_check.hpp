#pragma once
// Checks of steps on GPUs (option verify): the GPU sums, what the sums say is judged as on CPUs.
#include <cstdint>
#include <memory>

#include "exec/step_check.hpp"
#include "gpu/operation.hpp"

namespace shardfft::gpu {

/// One step of one member. before() and after() come when a run has ended, and read what the GPU has summed; the arrays
/// that they are given count for nothing.
class DeviceCheck : public StepCheck {
 public:
  /// Numbers of 64 bits that a run's sums take.
  virtual std::size_t sums() const = 0;
  /// Where they are on the GPU, zero when a run begins, and where they come to on the host. Before the first run.
  void place(std::uint64_t* on_device, const std::uint64_t* on_host) {
    device_ = on_device;
    host_ = on_host;
  }
  /// Around the step, on its stream, with the member's device current.
  virtual void enqueue_before(const DeviceBuffers& buffers, device::StreamHandle stream) = 0;
  virtual void enqueue_after(const DeviceBuffers& buffers, device::StreamHandle stream) = 0;
  /// Device memory of its own: tables, and arrays of second runs.
  virtual std::size_t held_bytes() const { return 0; }

 protected:
  std::uint64_t* device_ = nullptr;
  const std::uint64_t* host_ = nullptr;
};

/// Its tables are on the current device.
std::unique_ptr<DeviceCheck> make_device_transform_check(const FftSpec& spec);
std::unique_ptr<DeviceCheck> make_device_move_check(const Layout& from, const Layout& to, int rank,
                                                    std::size_t element_bytes);
/// Allocates on the current device; the operation lives as long, and has one phase.
std::unique_ptr<DeviceCheck> make_device_repeat_check(DeviceOperation& operation, std::size_t in_bytes,
                                                      std::size_t out_bytes);

}  // namespace shardfft::gpu
