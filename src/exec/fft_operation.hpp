#pragma once
// One local transform, run as a whole.
#include "exec/local_ffts.hpp"
#include "exec/operation.hpp"
#include "lower/fft_spec.hpp"
#include "shardfft/options.hpp"

namespace shardfft {

class FftOperation : public Operation {
 public:
  /// `in_place`, `out_of_place`: the two ways of running it; at least one is true.
  FftOperation(const FftSpec& spec, const StepFfts& ffts, bool in_place, bool out_of_place, Trace* trace);
  void run(const std::byte* in, std::byte* out, std::byte* scratch) override;
  std::size_t scratch_bytes() const override;
  bool runs_in_place() const override { return in_place_ != nullptr; }
  std::string describe() const override { return text_; }

 private:
  std::shared_ptr<PlannedFft> in_place_;
  std::shared_ptr<PlannedFft> out_of_place_;
  bool empty_;
  std::string text_;
  Trace* trace_;
};

}  // namespace shardfft
