#pragma once
// Checks of steps on GPUs (option verify): the GPU adds the sums up, and they are judged as on CPUs.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/hooks.hpp"
#include "gpu/operation.hpp"
#include "local/local_fft.hpp"
#include "shardfft/layout.hpp"
#include "verify/step_check.hpp"

namespace shardfft::gpu {

/// One step of one member, or a part of it, as the GPU has summed it. The findings are known when a run has ended.
class DeviceCheck : public StepCheck {
 public:
  /// The count of 64-bit numbers that the results of a run take on the GPU and on the host. First come the sums of the
  /// bits of input and output. All are zero when a run begins.
  virtual std::size_t results() const = 0;
  /// The count that it needs on the GPU from enqueue_before() to enqueue_after(). Others use these before and after.
  virtual std::size_t sums() const { return 0; }
  /// Gives it its memory and the number of its step, before the first run.
  virtual void place(std::size_t step, std::uint64_t* on_device, const std::uint64_t* on_host, std::uint64_t* sums) {
    step_ = step;
    device_ = on_device;
    host_ = on_host;
    sums_ = sums;
  }
  /// The checks of the steps before and after this one, or null. Called for later checks first; all live equally long.
  virtual void stand_between(const DeviceCheck* /*previous*/, const DeviceCheck* /*next*/) {}
  /// Whether it takes the sum of its input's bits itself.
  virtual bool reads_input() const { return true; }
  /// Whether enqueue_before() and enqueue_after() read the arrays, instead of the step itself.
  virtual bool looks_around() const { return true; }
  /// Around the step, on its stream, with the member's device current.
  virtual void enqueue_before(const DeviceBuffers& /*buffers*/, device::StreamHandle /*stream*/) {}
  virtual void enqueue_after(const DeviceBuffers& /*buffers*/, device::StreamHandle /*stream*/) {}
  /// Device memory of its own: tables, and arrays of second runs.
  virtual std::size_t held_bytes() const { return 0; }
  /// The bits that the step read and wrote in its last run, which must have ended.
  virtual std::uint64_t input_bits() const { return told(0); }
  virtual std::uint64_t output_bits() const { return told(1); }
  StepBits bits() override { return {input_bits(), output_bits()}; }
  /// Shows a run of numbers to a test's hook that looks into the step.
  void reached(DeviceStepHook::Moment moment, std::byte* numbers, std::size_t bytes,
               device::StreamHandle stream) const {
    if (DeviceStepHook* const hook = installed<DeviceStepHook>()) hook->reached(step_, moment, numbers, bytes, stream);
  }

 protected:
  /// Sums of bits count modulo 2^32: kernels of lines add up 32 bits.
  std::uint64_t told(std::size_t result) const { return static_cast<std::uint32_t>(host_[result]); }

  std::size_t step_ = 0;
  std::uint64_t *device_ = nullptr, *sums_ = nullptr;
  const std::uint64_t* host_ = nullptr;
};

/// The checks of a transform's pieces, with their results one behind the other. A caller that runs a piece also
/// enqueues the piece's check around it.
class PieceChecks : public DeviceCheck {
 public:
  explicit PieceChecks(DeviceChecks pieces) : pieces_(std::move(pieces)) {}
  DeviceCheck& piece(int k) const { return *pieces_[static_cast<std::size_t>(k)]; }
  std::size_t results() const override { return of_all(&DeviceCheck::results); }
  std::size_t sums() const override {
    std::size_t most = 0;
    for (const auto& piece : pieces_) most = std::max(most, piece->sums());
    return most;
  }
  std::size_t held_bytes() const override { return of_all(&DeviceCheck::held_bytes); }
  std::size_t table_bytes() const override { return of_all(&DeviceCheck::table_bytes); }
  void place(std::size_t step, std::uint64_t* on_device, const std::uint64_t* on_host, std::uint64_t* sums) override;
  bool looks_around() const override { return false; }
  // The sums of an array, modulo 2^32.
  std::uint64_t input_bits() const override { return static_cast<std::uint32_t>(of_all(&DeviceCheck::input_bits)); }
  std::uint64_t output_bits() const override { return static_cast<std::uint32_t>(of_all(&DeviceCheck::output_bits)); }
  Finding finding() const override;

 private:
  template <class Number, class Check>
  Number of_all(Number (Check::*number)() const) const {
    Number sum = 0;
    for (const auto& piece : pieces_) sum += std::invoke(number, *piece);
    return sum;
  }

  DeviceChecks pieces_;
};

/// The check of a transform: its own one, or else separate kernels that read its arrays. Its tables are on the current
/// device.
std::unique_ptr<DeviceCheck> make_device_transform_check(DeviceOperation& fft, const FftSpec& spec);
std::unique_ptr<DeviceCheck> make_device_move_check(const Layout& from, const Layout& to, int rank,
                                                    std::size_t element_bytes);
/// Allocates on the current device. The operation lives as long as the check, and has one phase.
std::unique_ptr<DeviceCheck> make_device_repeat_check(DeviceOperation& operation, std::size_t in_bytes,
                                                      std::size_t out_bytes);

}  // namespace shardfft::gpu
