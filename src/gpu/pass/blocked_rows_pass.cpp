// Contiguous lines, one behind the other, transformed by cuFFT inside their array, some at a time. Real lines change
// their length: they go through scratch, and from the last to the first if they become longer, so that no line is
// written over before it is read.
#include <algorithm>

#include "device/vendor_fft.hpp"
#include "gpu/pass/catalogue.hpp"
#include "local/loops.hpp"

namespace shardfft::gpu {

namespace {

class BlockedRowsPass : public FftPass {
 public:
  BlockedRowsPass(const FftSpec& spec, std::int64_t piece_bytes) : direction_(spec.direction), real_(is_halved(spec)) {
    const std::int64_t n = spec.transform.front().count;
    const std::int64_t in_points = spec.kind == Kind::c2r ? n / 2 + 1 : n;
    const std::int64_t out_points = spec.kind == Kind::r2c ? n / 2 + 1 : n;
    in_bytes_ = in_points * static_cast<std::int64_t>(input_element(spec).bytes());
    out_bytes_ = out_points * static_cast<std::int64_t>(output_element(spec).bytes());
    rows_ = points(spec.batch);
    block_ = std::clamp<std::int64_t>(piece_bytes / std::max(in_bytes_, out_bytes_), 1, rows_);
    // cuFFT needs real arrays to begin at an address for complex numbers.
    if (real_) block_ = std::min(block_ + block_ % 2, rows_);
    const auto plan = [&](std::int64_t rows) {
      return device::VendorFft(
          {spec.kind, spec.precision, {n}, rows, {{in_points}, 1, in_points}, {{out_points}, 1, out_points}});
    };
    whole_ = plan(block_);
    if (rows_ % block_ != 0) tail_ = plan(rows_ % block_);
  }

  void enqueue(const PassArrays& arrays, device::StreamHandle stream) const override {
    std::byte *const to = arrays.to, *const scratch = arrays.scratch;
    const std::int64_t blocks = (rows_ + block_ - 1) / block_;
    for (std::int64_t i = 0; i < blocks; ++i) {
      const std::int64_t first = (out_bytes_ > in_bytes_ ? blocks - 1 - i : i) * block_;
      const std::int64_t rows = std::min(block_, rows_ - first);
      const std::byte* source = to + first * in_bytes_;
      if (real_) {
        device::copy_bytes(scratch, source, static_cast<std::size_t>(rows * in_bytes_), stream);
        source = scratch;
      }
      (rows == block_ ? whole_ : tail_).execute(source, to + first * out_bytes_, direction_, stream);
    }
  }
  std::size_t scratch_bytes() const override { return real_ ? static_cast<std::size_t>(block_ * in_bytes_) : 0; }
  RunnerMemory kept() const override { return {.library = whole_.work_bytes() + tail_.work_bytes()}; }
  std::string name() const override { return "cufft in blocks of " + std::to_string(block_) + " lines"; }

 private:
  Direction direction_;
  bool real_;
  std::int64_t in_bytes_ = 0, out_bytes_ = 0;  ///< of a line
  std::int64_t rows_ = 1;
  std::int64_t block_ = 1;  ///< lines transformed at once
  device::VendorFft whole_, tail_;
};

bool are_rows(const FftSpec& spec) {
  if (is_empty(spec) || spec.kind == Kind::r2r || spec.transform.size() != 1) return false;
  const Loop& line = spec.transform.front();
  const Loops rows = merged(spec.batch);
  if (line.from != 1 || line.to != 1 || rows.size() > 1) return false;
  return rows.empty() || (rows.front().from == (spec.kind == Kind::c2r ? line.count / 2 + 1 : line.count) &&
                          rows.front().to == (spec.kind == Kind::r2c ? line.count / 2 + 1 : line.count));
}

}  // namespace

/// Only inside one array: between two arrays, one call of cuFFT takes all rows.
extern const PassRecord blocked_rows_pass{
    .name = "blocked rows",
    .in_one_array = true,
    .fits = [](const FftSpec& spec, const PassUse& use) { return use.piece_bytes > 0 && are_rows(spec); },
    .make = [](const FftSpec& spec, const PassUse& use) -> PassPointer {
      return std::make_unique<BlockedRowsPass>(spec, use.piece_bytes);
    }};

}  // namespace shardfft::gpu
