#pragma once
// The check of passes that all add up their lines themselves (option verify), one behind the other. Each pass must read
// the data that the pass before it wrote.
#include <utility>
#include <vector>

#include "device/line_checks.hpp"
#include "gpu/check/device_check.hpp"

namespace shardfft::gpu {

/// The facts about a pass that its check needs.
struct CheckedPass {
  /// The meaning of its bits between two axes, if it leaves one of them to another pass. 1: bits that it wrote and the
  /// next pass reads. -1: minus the bits that it read and the pass before wrote. 0: it leaves no axis.
  int between_are = 0;
  std::size_t out_bytes = 0;  ///< bytes that it writes, for hooks of tests
};

class PassesCheck : public DeviceCheck {
 public:
  explicit PassesCheck(std::vector<CheckedPass> passes) : passes_(std::move(passes)) {}

  /// The address for the results of this pass.
  std::uint64_t* results_of(std::size_t pass) const { return device_ + first_result(pass); }
  /// This pass is enqueued, and writes to `to`.
  void ran(std::size_t pass, std::byte* to, device::StreamHandle stream) const;

  std::size_t results() const override { return device::lines::pass_results * passes_.size(); }
  bool looks_around() const override { return false; }
  std::uint64_t input_bits() const override;
  std::uint64_t output_bits() const override;
  Finding finding() const override;

 private:
  /// Bits that a pass took from the pass before it or the input, and bits that it left to the next one or the output.
  std::uint64_t read(std::size_t pass) const;
  std::uint64_t written(std::size_t pass) const;
  std::uint64_t told(std::size_t pass, device::lines::PassResult result) const {
    return DeviceCheck::told(first_result(pass) + result);
  }
  static std::size_t first_result(std::size_t pass) { return pass * device::lines::pass_results; }

  std::vector<CheckedPass> passes_;
};

}  // namespace shardfft::gpu
