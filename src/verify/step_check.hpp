#pragma once
// Whether a step did what it should (option verify): sums over its input that its output must have too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardfft {

/// What a check of one run found on this rank.
struct Finding {
  std::int64_t checks = 0;  ///< sums that were compared
  double residual = 0;      ///< the largest difference, as a part of what rounding explains; more than 1 is an error
  std::string what;         ///< of an error: what is wrong

  /// With those of another part of the step; of errors the first one counts.
  void add(const Finding& part) {
    checks += part.checks;
    residual = std::max(residual, part.residual);
    if (what.empty()) what = part.what;
  }
};

/// What a second run of a step found.
inline Finding repeat_finding(bool same) {
  return {1, same ? 0.0 : 2.0, same ? "" : "a second run gives another result"};
}

/// Sums of all bits of the arrays that a step read and wrote (word_sum of pack/block_sums): what one step writes is
/// what the next one must read. None where they are compared in parts, with those of other ranks.
struct StepBits {
  std::optional<std::uint64_t> read, written;
};

/// What is known of one step of one rank in its last run: a flipped bit in its input, in what it does, or in its
/// output, shows in the sums. Loops add them up (HostCheck), or kernels (gpu/check); the Verifier judges both alike.
class StepCheck {
 public:
  virtual ~StepCheck() = default;
  virtual StepBits bits() = 0;
  virtual Finding finding() const = 0;
  /// Steps that move data: the sums of what goes to, and what came from, every rank, equal where all is well. Or none
  /// of what came: each rank tells all others the same, and the lower 32 bits of that add up to 0 over the ranks.
  virtual std::span<const std::uint64_t> sent() const { return {}; }
  virtual std::span<const std::uint64_t> received() const { return {}; }
  /// Memory of its tables and sums.
  virtual std::size_t table_bytes() const { return 0; }
};

/// One whose sums are made here, around the step.
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
