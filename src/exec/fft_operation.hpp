#pragma once
// Local transforms between two states.
#include "exec/operation.hpp"
#include "local/local_fft.hpp"
#include "shardfft/options.hpp"

namespace shardfft {

/// The local transform that leads from state `before` to state `after` on `rank`, in direction `direction`
/// (backward swaps the roles of the states).
FftSpec fft_spec(const FftStep& step, const State& before, const State& after, int rank, Direction direction,
                 Precision precision);

class FftOperation : public Operation {
 public:
  /// `aliased`: also plan for in == out. `first`: the input is the user's and must be preserved.
  FftOperation(const FftSpec& spec, const std::string& backend, bool in_place, bool out_of_place, Trace* trace);
  void run(const std::byte* in, std::byte* out, std::byte* scratch) override;
  bool runs_in_place() const override { return in_place_ != nullptr; }
  std::string describe() const override { return text_; }

 private:
  std::unique_ptr<LocalFft> in_place_;
  std::unique_ptr<LocalFft> out_of_place_;
  std::string text_;
  Trace* trace_;
};

}  // namespace shardfft
