#pragma once
// Checks of steps (option verify): sums over a step's input that its output must have too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardfft {

/// The finding of a check in one run on this rank.
struct Finding {
  std::int64_t checks = 0;  ///< sums that were compared
  double residual = 0;      ///< the largest difference, as a part of the rounding bound; more than 1 is an error
  std::string what;         ///< the text of an error; else empty

  /// Adds the finding of another part of the step; the first error counts.
  void add(const Finding& part) {
    checks += part.checks;
    residual = std::max(residual, part.residual);
    if (what.empty()) what = part.what;
  }
};

/// The finding of a second run of a step.
inline Finding repeat_finding(bool same) {
  return {1, same ? 0.0 : 2.0, same ? "" : "a second run gives another result"};
}

/// Sums of all bits of the arrays that a step read and wrote (word_sum of pack/block_sums): the next step must read the
/// bits that a step wrote. None if they are compared in parts, with those of other ranks.
struct StepBits {
  std::optional<std::uint64_t> read, written;
};

/// The sums of one step of one rank in its last run: a bit that flips in its input, during its work, or in its output,
/// shows in them. Loops compute them (HostCheck), or kernels (gpu/check); the Verifier judges both alike.
class StepCheck {
 public:
  virtual ~StepCheck() = default;
  virtual StepBits bits() = 0;
  virtual Finding finding() const = 0;
  /// Steps that move data: the sums of the data sent to, and received from, every rank; equal without an error. If
  /// received() is empty, each rank tells all others one number, and its lower 32 bits add up to 0 over the ranks.
  virtual std::span<const std::uint64_t> sent() const { return {}; }
  virtual std::span<const std::uint64_t> received() const { return {}; }
  /// Memory of its tables and sums.
  virtual std::size_t table_bytes() const { return 0; }
};

/// A check whose sums are computed on the host, around the step.
class HostCheck : public StepCheck {
 public:
  /// `compares_bits`: the bits of the input will be compared.
  virtual void before(const std::byte* in, bool compares_bits) = 0;
  virtual void after(const std::byte* out) = 0;
  StepBits bits() final { return bits_; }

 protected:
  StepBits bits_;  ///< of this run
};

}  // namespace shardfft
