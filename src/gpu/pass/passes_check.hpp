#pragma once
// The check of a transform that is made of passes which all add up their lines themselves (option verify). What a pass
// reads must be what the one before it wrote.
#include <vector>

#include "device/line_checks.hpp"
#include "gpu/check/device_check.hpp"

namespace shardfft::gpu {

struct PlacedPass;

class PassesCheck : public DeviceCheck {
 public:
  /// The passes live as long.
  explicit PassesCheck(const std::vector<PlacedPass>& passes);
  /// Whether all can, and gain by it: kernels that read the arrays of one pass would cost no less than those that read
  /// what all together read and write.
  static bool gains(const std::vector<PlacedPass>& passes);

  /// Where the pass of that number tells what it found.
  std::uint64_t* results_of(std::size_t pass) const { return device_ + first_result(pass); }
  /// The pass of that number is enqueued, and writes to `to`.
  void ran(std::size_t pass, std::byte* to, device::StreamHandle stream) const;

  std::size_t results() const override { return device::lines::pass_results * passes_.size(); }
  std::size_t table_bytes() const override { return 0; }
  bool looks_around() const override { return false; }
  void enqueue_before(const DeviceBuffers&, device::StreamHandle) override {}
  void enqueue_after(const DeviceBuffers&, device::StreamHandle) override {}
  std::uint64_t input_bits() const override;
  std::uint64_t output_bits() const override;
  Finding finding() const override;

 private:
  struct Checked {
    std::size_t out_bytes;
    int between_are;  ///< FftPass::bits_between_are()
  };
  /// Bits of a pass.
  std::uint64_t read(std::size_t pass) const;
  std::uint64_t written(std::size_t pass) const;
  static std::size_t first_result(std::size_t pass) { return pass * device::lines::pass_results; }

  std::vector<Checked> passes_;
};

}  // namespace shardfft::gpu
