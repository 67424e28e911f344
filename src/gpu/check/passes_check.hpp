#pragma once
// The check of passes that all add up their lines themselves (option verify), one behind the other. What a pass reads
// must be what the one before it wrote.
#include <utility>
#include <vector>

#include "device/line_checks.hpp"
#include "gpu/check/device_check.hpp"

namespace shardfft::gpu {

/// What the check of a pass must know.
struct CheckedPass {
  /// What its results tell as bits between two axes, where one of these is left to another pass: 1: those that it wrote
  /// and the next pass reads, -1: minus those that it read and the pass before wrote. 0: it leaves none.
  int between_are = 0;
  std::size_t out_bytes = 0;  ///< that it writes: for hooks of tests, where ran() tells them
};

class PassesCheck : public DeviceCheck {
 public:
  explicit PassesCheck(std::vector<CheckedPass> passes) : passes_(std::move(passes)) {}

  /// Where the pass of that number tells what it found.
  std::uint64_t* results_of(std::size_t pass) const { return device_ + first_result(pass); }
  /// The pass of that number is enqueued, and writes to `to`.
  void ran(std::size_t pass, std::byte* to, device::StreamHandle stream) const;

  std::size_t results() const override { return device::lines::pass_results * passes_.size(); }
  bool looks_around() const override { return false; }
  std::uint64_t input_bits() const override;
  std::uint64_t output_bits() const override;
  Finding finding() const override;

 private:
  /// Bits that a pass took from the one before it, or from the input; and that it left to the next one, or the output.
  std::uint64_t read(std::size_t pass) const;
  std::uint64_t written(std::size_t pass) const;
  std::uint64_t told(std::size_t pass, device::lines::PassResult result) const {
    return DeviceCheck::told(first_result(pass) + result);
  }
  static std::size_t first_result(std::size_t pass) { return pass * device::lines::pass_results; }

  std::vector<CheckedPass> passes_;
};

}  // namespace shardfft::gpu
