#include "exec/real_in_place.hpp"

#include <algorithm>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "local/loops.hpp"
#include "pack/pack.hpp"

namespace shardfft {

RealInPlace::RealInPlace(const TransformStep& step, const State& before, const State& after, const FftSpec& spec,
                         const StepFfts& ffts, Trace* trace)
    : text_(describe_fft(spec)), trace_(trace) {
  require_real_in_place(step, before, after);
  lines_ = points(spec.batch);
  if (is_empty(spec)) lines_ = 0;
  if (lines_ == 0) return;
  const std::int64_t n = spec.transform.front().count;
  const std::int64_t in_points = step.kind() == Kind::r2c ? n : n / 2 + 1;
  const std::int64_t out_points = step.kind() == Kind::r2c ? n / 2 + 1 : n;
  in_bytes_ = static_cast<std::size_t>(in_points) * input_element(spec).bytes();
  out_bytes_ = static_cast<std::size_t>(out_points) * output_element(spec).bytes();
  block_ = std::clamp<std::int64_t>(block_bytes / static_cast<std::int64_t>(in_bytes_), 1, lines_);
  FftSpec lines = spec;
  lines.transform = {{n, 1, 1}};
  lines.batch = {{block_, in_points, out_points}};
  lines.in_place = false;
  lines.preserve_input = false;
  lines.aligned = out_bytes_ % 16 == 0;
  whole_ = ffts.add(lines);
  whole_->add_calls(lines_ / block_);
  if (lines_ % block_ == 0) return;
  lines.batch.front().count = lines_ % block_;
  tail_ = ffts.add(lines);
  tail_->add_calls(1);
}

std::size_t RealInPlace::scratch_bytes() const {
  if (!whole_) return 0;
  return round_up(static_cast<std::size_t>(block_) * in_bytes_, cache_line) +
         std::max(whole_->scratch_bytes(), tail_ ? tail_->scratch_bytes() : 0);
}

void RealInPlace::run_block(std::byte* array, std::int64_t first, std::int64_t lines, std::byte* scratch) const {
  const auto at = [first](std::size_t line_bytes) { return static_cast<std::size_t>(first) * line_bytes; };
  copy_bytes(array + at(in_bytes_), scratch, static_cast<std::size_t>(lines) * in_bytes_);
  const auto& fft = lines == block_ ? whole_ : tail_;
  fft->execute(scratch, array + at(out_bytes_),
               scratch + round_up(static_cast<std::size_t>(block_) * in_bytes_, cache_line));
}

void RealInPlace::run(const std::byte* in, std::byte* out, std::byte* scratch) {
  if (in != out && lines_ > 0) fail(Status::internal, "a transform in place was given two arrays");
  const Scope scope(trace_, Activity::fft);
  const std::int64_t blocks = lines_ == 0 ? 0 : (lines_ - 1) / block_ + 1;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t first = (out_bytes_ > in_bytes_ ? blocks - 1 - i : i) * block_;
    run_block(out, first, std::min(block_, lines_ - first), scratch);
  }
}

}  // namespace shardfft
