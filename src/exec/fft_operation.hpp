#pragma once
// Local transforms between two states.
#include "exec/local_ffts.hpp"
#include "exec/operation.hpp"
#include "shardfft/options.hpp"

namespace shardfft {

/// The local transform that leads from state `before` to state `after` on `rank`.
FftSpec fft_spec(const TransformStep& step, const State& before, const State& after, int rank, Precision precision);

/// The same between two pieces whose index sets belong together. Batch loops take their counts from `in`. Cosine and
/// sine transforms are of real numbers: those of complex ones (`is_complex`, of the input) are a batch of their parts.
FftSpec fft_spec_between(const TransformStep& step, const Piece& in, const Piece& out, Precision precision,
                         bool is_complex);

/// The name of a transform that leads on from `before`, for LocalFfts: the same on all ranks, and for steps of which a
/// library makes the one as fast as the other. "c2c 64 32 forward", "c2c 64 backward, side by side".
std::string name_fft(const TransformStep& step, const State& before);

/// "fft c2c 64 32", "r2r dct2 64 dst1 32".
std::string describe_fft(const FftSpec& spec);

class FftOperation : public Operation {
 public:
  /// `in_place`, `out_of_place`: the ways it will be run, at least one.
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
