#pragma once
// The check of a slab transform (option verify): its passes add up their lines themselves, and what one kind of them
// wrote, on all ranks, must be what the next one reads.
#include <vector>

#include "base/hooks.hpp"
#include "device/line_checks.hpp"
#include "geometry/schedule.hpp"
#include "gpu/check/device_check.hpp"
#include "gpu/check/line_weights.hpp"

namespace shardfft::gpu {

/// What the passes of one direction need.
struct SlabWeights {
  PlaneWeights planes;
  LineWeights y, x;
  std::size_t bytes() const { return planes.bytes() + y.bytes() + x.bytes(); }
};

class SlabCheck : public DeviceCheck {
 public:
  /// Plane passes; y lines of the columns that these leave out; x lines.
  enum class Lines { planes, y, x };

  /// `copied`: x lines and the spectrum are different arrays, with a copy between them.
  SlabCheck(Direction direction, int ranks, bool copied)
      : forward_(direction == Direction::forward), copied_(copied), told_(static_cast<std::size_t>(ranks)) {}

  /// Where passes tell what they found.
  std::uint64_t* results_of(Lines lines) const { return device_ + first(lines); }
  /// Adds up the bits of a part of the spectrum where that is copied.
  void add_spectrum(const std::byte* spectrum, const Box& box, std::size_t element_bytes,
                    device::StreamHandle stream) const;
  /// Tells a hook of tests of a run of numbers that a pass is about to read.
  void reached(DeviceStepHook::Moment moment, std::byte* numbers, std::size_t bytes, device::StreamHandle stream) const;

  std::size_t results() const override { return spectrum_bits + 1; }
  std::size_t table_bytes() const override { return told_.size() * sizeof told_.front(); }
  bool looks_around() const override { return false; }
  void enqueue_before(const DeviceBuffers&, device::StreamHandle) override {}
  void enqueue_after(const DeviceBuffers&, device::StreamHandle) override {}
  std::uint64_t input_bits() const override;
  std::uint64_t output_bits() const override;
  StepBits after(const std::byte* out) override;
  Finding finding() const override;
  std::span<const std::uint64_t> sent() const override { return told_; }

 private:
  static constexpr std::size_t kinds = 3, spectrum_bits = kinds * device::lines::pass_results;
  static std::size_t first(Lines lines) { return static_cast<std::size_t>(lines) * device::lines::pass_results; }
  std::uint64_t told(Lines lines, device::lines::PassResult result) const { return bits(first(lines) + result); }
  /// The bits of planes and y lines at their end next to the exchange; and those of x lines at theirs.
  std::uint64_t planes_bits() const;
  std::uint64_t rows_bits() const;
  std::uint64_t at_spectrum() const;

  bool forward_, copied_;
  std::vector<std::uint64_t> told_;  ///< to all ranks the same
};

}  // namespace shardfft::gpu
