#pragma once
// Real transforms inside one array. Lines that grow are transformed from the last to the first, lines that shrink from
// the first to the last, some at a time through scratch: no line is overwritten before it was read.
#include "exec/fft_operation.hpp"
#include "lower/in_place.hpp"

namespace shardfft {

/// A real transform inside one array, along one halved axis that is the fastest in memory on both sides.
class RealInPlace : public Operation {
 public:
  /// About the bytes of lines that are transformed at once; at least one line.
  static constexpr std::int64_t block_bytes = std::int64_t{256} << 10;

  /// Throws like require_real_in_place().
  RealInPlace(const TransformStep& step, const State& before, const State& after, const FftSpec& spec,
              const StepFfts& ffts, Trace* trace);
  void run(const std::byte* in, std::byte* out, std::byte* scratch) override;
  std::size_t scratch_bytes() const override;
  bool runs_in_place() const override { return true; }
  std::string describe() const override { return text_ + " in place, line by line"; }

 private:
  void run_block(std::byte* array, std::int64_t first, std::int64_t lines, std::byte* scratch) const;

  std::int64_t lines_ = 0;
  std::int64_t block_ = 1;    ///< lines transformed at once
  std::size_t in_bytes_ = 0;  ///< of a line
  std::size_t out_bytes_ = 0;
  std::shared_ptr<PlannedFft> whole_, tail_;
  std::string text_;
  Trace* trace_;
};

}  // namespace shardfft
