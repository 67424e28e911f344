#pragma once
// The check of a reshape in chunks and of the transforms at its ends (option verify): each chunk's transform has one of
// its own, and what all chunks on one side of the reshape wrote, on all ranks, must be what those on the other side
// read.
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/check/device_check.hpp"

namespace shardfft::gpu {

/// Several checks of one step, whose results lie one behind the other.
class JoinedCheck : public DeviceCheck {
 public:
  std::size_t results() const override { return of_all(&DeviceCheck::results); }
  std::size_t sums() const override { return of_all(&DeviceCheck::sums); }
  std::size_t held_bytes() const override { return of_all(&DeviceCheck::held_bytes); }
  std::size_t table_bytes() const override { return of_all(&DeviceCheck::table_bytes); }
  void place(std::size_t step, std::uint64_t* on_device, const std::uint64_t* on_host, std::uint64_t* sums) override;
  Finding finding() const override;

 protected:
  explicit JoinedCheck(std::vector<std::unique_ptr<DeviceCheck>> parts) : parts_(std::move(parts)) {}
  DeviceCheck& part(std::size_t i) const { return *parts_[i]; }
  template <class Number, class Check>
  Number of_all(Number (Check::*number)() const) const {
    Number sum = 0;
    for (const auto& part : parts_) sum += std::invoke(number, *part);
    return sum;
  }

 private:
  std::vector<std::unique_ptr<DeviceCheck>> parts_;
};

/// Joins the checks of the transforms at one end of a reshape, one for each chunk. Whoever runs a chunk enqueues what
/// its check needs around it.
class EndCheck : public JoinedCheck {
 public:
  explicit EndCheck(std::vector<std::unique_ptr<DeviceCheck>> chunks) : JoinedCheck(std::move(chunks)) {}
  DeviceCheck& chunk(int k) const { return part(static_cast<std::size_t>(k)); }
  std::size_t step() const { return step_; }
  bool looks_around() const override { return false; }
  void enqueue_before(const DeviceBuffers&, device::StreamHandle) override {}
  void enqueue_after(const DeviceBuffers&, device::StreamHandle) override {}
  // As those of an array: 32 bits.
  std::uint64_t input_bits() const override { return static_cast<std::uint32_t>(of_all(&DeviceCheck::input_bits)); }
  std::uint64_t output_bits() const override { return static_cast<std::uint32_t>(of_all(&DeviceCheck::output_bits)); }
};

class PipelineCheck : public JoinedCheck {
 public:
  /// `before`, `after`: null where the reshape has no transform at that end. `move`: of the reshape, which takes all
  /// that there is where it stands beside a transform.
  static std::unique_ptr<PipelineCheck> make(std::unique_ptr<DeviceCheck> move, std::unique_ptr<EndCheck> before,
                                             std::unique_ptr<EndCheck> after);

  void stand_between(const DeviceCheck* previous, const DeviceCheck* next) override {
    move().stand_between(before_ != nullptr ? before_ : previous, after_ != nullptr ? after_ : next);
  }
  bool reads_input() const override { return before_ != nullptr || move().reads_input(); }
  bool looks_around() const override { return before_ == nullptr && after_ == nullptr; }
  void enqueue_before(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    if (before_ == nullptr) move().enqueue_before(buffers, stream);
  }
  void enqueue_after(const DeviceBuffers& buffers, device::StreamHandle stream) override {
    if (after_ == nullptr) move().enqueue_after(buffers, stream);
  }
  std::uint64_t input_bits() const override { return before_ != nullptr ? before_->input_bits() : move().input_bits(); }
  std::uint64_t output_bits() const override {
    return after_ != nullptr ? after_->output_bits() : move().output_bits();
  }
  StepBits after(const std::byte* out) override {
    move().after(out);
    return DeviceCheck::after(out);
  }
  std::span<const std::uint64_t> sent() const override { return move().sent(); }

 private:
  PipelineCheck(std::vector<std::unique_ptr<DeviceCheck>> parts, const EndCheck* before, const EndCheck* after)
      : JoinedCheck(std::move(parts)), before_(before), after_(after) {}
  DeviceCheck& move() const { return part(0); }

  const EndCheck *before_, *after_;
};

}  // namespace shardfft::gpu
