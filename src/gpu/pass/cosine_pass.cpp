// Cosine and sine transforms along one axis: two real lines as a complex one, butterflies, complex Fourier transforms
// of a work array by the best pass for its lines, butterflies (local/cosine_map.hpp). The work array keeps the order of
// the input in memory, so that strided lines stay strided and no pass transposes.
#include <algorithm>
#include <map>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "device/cosine.hpp"
#include "device/line_pass.hpp"
#include "gpu/pass/catalogue.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/pass/loop_pieces.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

constexpr std::size_t alignment = 256;
/// Memory for a piece beside its array, in pieces: its extension, cuFFT's work areas, copies.
constexpr std::int64_t pieces_in_work = 8;

class CosinePass : public FftPass {
 public:
  CosinePass(const FftSpec& spec, std::int64_t piece_bytes)
      : precision_(spec.precision),
        type_(spec.types.front()),
        line_(spec.transform.front()),
        loops_(merged(spec.batch)),
        scale_(spec.scale) {
    if (loops_.empty()) loops_.push_back({1, 1, 1});
    // The fastest loop counts pairs of lines: a complex number holds two real ones, its parts.
    const Loop lines = loops_.back();
    lines_ = lines.count;
    loops_.back() = {(lines.count + 1) / 2, 2 * lines.from, 2 * lines.to};
    in_second_ = lines.from;
    out_second_ = lines.to;
    const std::int64_t line_bytes = work_points() * complex_bytes();
    for (const LoopPiece& piece : cut_loops(loops_, line_bytes, piece_bytes)) add(piece);
  }

  void enqueue(const PassArrays& arrays, device::StreamHandle stream) const override {
    std::byte* const scratch = arrays.scratch;
    const auto bytes = static_cast<std::int64_t>(ElementType{precision_, false}.bytes());
    for (const Piece& piece : pieces_) {
      const Fourier& fourier = ffts_.at(piece.counts);
      device::before_fourier(arrays.from + piece.in * bytes, scratch, piece.before, precision_, stream);
      DeviceBuffers buffers{scratch, scratch, scratch + fourier.work_bytes};
      buffers.one_array = true;
      fourier.operation->enqueue(0, buffers, stream);
      device::after_fourier(scratch, arrays.to + piece.out * bytes, piece.after, precision_, stream);
    }
  }
  std::size_t scratch_bytes() const override {
    std::size_t most = 0;
    for (const auto& [counts, fourier] : ffts_)
      most = std::max(most, fourier.work_bytes + fourier.operation->scratch_bytes());
    return most;
  }
  RunnerMemory kept() const override {
    RunnerMemory sum;
    for (const auto& [counts, fourier] : ffts_) sum += fourier.operation->kept();
    return sum;
  }
  std::string name() const override {
    return "pairs of lines with " + (ffts_.empty() ? "nothing" : ffts_.begin()->second.operation->describe());
  }

 private:
  using Counts = std::vector<std::int64_t>;
  struct Piece {
    std::int64_t in = 0, out = 0;  ///< offsets in real numbers
    Counts counts;                 ///< of its loops
    device::CosineLines before, after;
  };
  /// The Fourier transform of pieces with the same counts.
  struct Fourier {
    std::unique_ptr<DeviceOperation> operation;
    std::size_t work_bytes = 0;
  };

  std::int64_t complex_bytes() const { return static_cast<std::int64_t>(ElementType{precision_, true}.bytes()); }
  /// Complex numbers that a pair of lines takes in the work area.
  std::int64_t work_points() const {
    return device::fourier_lines(type_, line_.count) * device::fourier_points(type_, line_.count);
  }

  void add(const LoopPiece& piece) {
    Piece& made = pieces_.emplace_back();
    made.in = piece.in;
    made.out = piece.out;
    device::CosineLines& lines = made.before;
    if (piece.loops.size() > static_cast<std::size_t>(device::CosineLines::most_loops))
      fail(Status::internal, "cosine transforms over ", piece.loops.size(), " loops");
    lines.type = type_;
    lines.n = line_.count;
    lines.line.from = line_.from;
    lines.scale = scale_;
    for (const Loop& loop : piece.loops) {
      made.counts.push_back(loop.count);
      lines.loops[lines.depth++] = {loop.count, loop.from, 0};
      if (loop.count > 1 && loop.from > line_.from) lines.line_at = lines.depth;
    }
    lines.pair_loop = lines.depth - 1;
    lines.lines = std::min(2 * piece.loops.back().count, lines_ - 2 * piece.begin.back());
    lines.second = in_second_;
    const std::int64_t numbers = stride_work(lines);
    made.after = turned(lines, piece);
    if (ffts_.contains(made.counts)) return;
    ffts_[made.counts] = {make_device_fft(fourier_spec(lines)),
                          round_up(static_cast<std::size_t>(numbers * complex_bytes()), alignment)};
  }

  /// Gives the work array its strides, in the order of the input; returns the count of its numbers. Rows of
  /// neighbouring lines begin at places that line passes can read.
  std::int64_t stride_work(device::CosineLines& lines) const {
    std::int64_t stride = 1;
    for (int a = lines.depth; a >= 0; --a) {
      if (a == lines.line_at) {
        if (stride > 1)
          stride = static_cast<std::int64_t>(
              round_up(static_cast<std::size_t>(stride), static_cast<std::size_t>(device::lines::unit(precision_))));
        lines.line.to = stride;
        stride *= work_points();
      }
      if (a == 0) break;
      lines.loops[a - 1].to = stride;
      stride *= lines.loops[a - 1].count;
    }
    return stride;
  }

  /// The lines of the way back, to the other array.
  device::CosineLines turned(device::CosineLines lines, const LoopPiece& piece) const {
    lines.second = out_second_;
    lines.line = {1, lines.line.to, line_.to};
    for (std::size_t a = 0; a < piece.loops.size(); ++a)
      lines.loops[a] = {lines.loops[a].count, lines.loops[a].to, piece.loops[a].to};
    return lines;
  }

  FftSpec fourier_spec(const device::CosineLines& lines) const {
    const std::int64_t n = device::fourier_points(type_, line_.count), many = device::fourier_lines(type_, line_.count);
    FftSpec spec;
    spec.precision = precision_;
    spec.direction = device::fourier_direction(type_);
    spec.transform = {{n, lines.line.to, lines.line.to}};
    for (int a = 0; a < lines.depth; ++a)
      spec.batch.push_back({lines.loops[a].count, lines.loops[a].to, lines.loops[a].to});
    if (many > 1) spec.batch.push_back({many, n * lines.line.to, n * lines.line.to});
    spec.in_place = true;
    spec.preserve_input = false;
    spec.effort = Effort::estimate;
    return spec;
  }

  Precision precision_;
  AxisTransform type_;
  Loop line_;
  Loops loops_;  ///< the last one counts pairs of lines
  double scale_;
  std::int64_t lines_ = 1, in_second_ = 1, out_second_ = 1;
  std::vector<Piece> pieces_;
  std::map<Counts, Fourier> ffts_;
};

}  // namespace

/// Runs the batch piece by piece. Can run in place if the strides of both sides are alike.
extern const PassRecord cosine_pass{
    .name = "pairs of lines",
    .scales = true,
    .in_one_array = true,
    .fits =
        [](const FftSpec& spec, const PassUse&) {
          return spec.kind == Kind::r2r && spec.transform.size() == 1 && spec.types.size() == 1;
        },
    .make = [](const FftSpec& spec, const PassUse& use) -> PassPointer {
      return std::make_unique<CosinePass>(
          spec, use.piece_bytes > 0 ? use.piece_bytes / pieces_in_work : gpu_defaults().transposed_piece_bytes);
    }};

}  // namespace shardfft::gpu
