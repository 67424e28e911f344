#include "exec/fft_operation.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "local/loops.hpp"

namespace shardfft {

FftOperation::FftOperation(const FftSpec& spec, const StepFfts& ffts, bool in_place, bool out_of_place, Trace* trace)
    : empty_(is_empty(spec)), trace_(trace) {
  FftSpec s = spec;
  if (in_place) {
    s.in_place = true;
    in_place_ = ffts.add(s);
  }
  if (out_of_place) {
    s.in_place = false;
    out_of_place_ = ffts.add(s);
  }
  (in_place_ ? in_place_ : out_of_place_)->add_calls(1);
  text_ = describe_fft(spec);
}

std::size_t FftOperation::scratch_bytes() const {
  return std::max(in_place_ ? in_place_->scratch_bytes() : 0, out_of_place_ ? out_of_place_->scratch_bytes() : 0);
}

void FftOperation::run(const std::byte* in, std::byte* out, std::byte* scratch) {
  if (empty_) return;  // arrays without elements may have any addresses, even equal ones
  const Scope scope(trace_, Activity::fft);
  const auto& fft = in == out ? in_place_ : out_of_place_;
  if (!fft) fail(Status::internal, "a transform runs in a way it was not planned for");
  fft->execute(in, out, scratch);
}

}  // namespace shardfft
