// Strided lines in three passes over one piece of the array after another: made contiguous, transformed by cuFFT, put
// back. In double precision, cuFFT's own strided transforms cost more if the length is no power of two
// (docs/gpu-design.md).
#include <algorithm>
#include <map>

#include "device/copy_box.hpp"
#include "device/vendor_fft.hpp"
#include "gpu/pass/catalogue.hpp"
#include "gpu/pass/loop_pieces.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

class TransposedPass : public FftPass {
 public:
  TransposedPass(const FftSpec& spec, std::int64_t piece_bytes)
      : direction_(spec.direction), element_{spec.precision, true}, line_(spec.transform.front()) {
    const auto bytes = static_cast<std::int64_t>(element_.bytes());
    for (const LoopPiece& piece : cut_loops(merged(spec.batch), line_.count * bytes, piece_bytes)) add(piece);
    for (const auto& [lines, shape] : plans_) most_lines_ = std::max(most_lines_, lines);
  }
  void enqueue(const PassArrays& arrays, device::StreamHandle stream) const override {
    std::byte* const scratch = arrays.scratch;
    for (const LoopPiece& piece : pieces_) {
      const Box dense = dense_box(piece.loops);
      device::copy_box(arrays.from, box(piece, &Loop::from, piece.in), scratch, dense, element_.bytes(), stream);
      plans_.at(lines_of(piece)).execute(scratch, scratch, direction_, stream);
      device::copy_box(scratch, dense, arrays.to, box(piece, &Loop::to, piece.out), element_.bytes(), stream);
    }
  }
  RunnerMemory kept() const override {
    RunnerMemory sum;
    for (const auto& [lines, plan] : plans_) sum.library += plan.work_bytes();
    return sum;
  }
  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(most_lines_ * line_.count) * element_.bytes();
  }
  std::string name() const override { return "transposed cufft"; }

 private:
  static std::int64_t lines_of(const LoopPiece& piece) { return points(piece.loops); }

  void add(const LoopPiece& piece) {
    pieces_.push_back(piece);
    const std::int64_t lines = lines_of(piece);
    if (plans_.contains(lines)) return;
    const device::VendorFftSide side{{line_.count}, 1, line_.count};
    plans_.emplace(lines, device::VendorFft({Kind::c2c, element_.precision, {line_.count}, lines, side, side}));
  }

  /// The points of a piece in the array; the last axis is the line.
  Box box(const LoopPiece& piece, std::int64_t Loop::*stride, std::int64_t offset) const {
    Loops loops = piece.loops;
    loops.push_back(line_);
    Box result = box_of(loops, stride);
    result.offset = offset;
    return result;
  }
  Box dense_box(const Loops& batch) const {
    Box result;
    result.axes = 1;
    result.count[0] = points(batch) * line_.count;
    result.stride[0] = 1;
    return result;
  }

  Direction direction_;
  ElementType element_;
  Loop line_;
  std::vector<LoopPiece> pieces_;
  std::map<std::int64_t, device::VendorFft> plans_;  ///< by lines of a piece
  std::int64_t most_lines_ = 0;
};

bool is_power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

/// Whether this takes less time than cuFFT's strided calls.
bool pays(const FftSpec& spec) {
  const Loop& line = spec.transform.front();
  const bool strided = line.from != 1 || line.to != 1;
  return spec.precision == Precision::f64 && strided && line.count > gpu_defaults().longest_strided_line &&
         !is_power_of_two(line.count) && points(input_loops(spec)) >= gpu_defaults().elements_worth_passes;
}

}  // namespace

extern const PassRecord transposed_pass{
    .name = "transposed cufft",
    .in_one_array = true,
    .fits =
        [](const FftSpec& spec, const PassUse& use) {
          return spec.kind == Kind::c2c && spec.transform.size() == 1 && (use.piece_bytes > 0 || pays(spec));
        },
    .make = [](const FftSpec& spec, const PassUse& use) -> PassPointer {
      return std::make_unique<TransposedPass>(
          spec, use.piece_bytes > 0 ? use.piece_bytes : gpu_defaults().transposed_piece_bytes);
    }};

}  // namespace shardfft::gpu
