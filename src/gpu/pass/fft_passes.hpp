#pragma once
// What a transform on a GPU is made of: calls of cuFFT, line and plane passes, copies. One pass reads one array and
// writes one; a c2r of several axes writes both.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "device/runtime.hpp"
#include "geometry/schedule.hpp"
#include "local/local_fft.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

class FftPass {
 public:
  virtual ~FftPass() = default;
  /// `scratch`: scratch_bytes() bytes that belong to the pass while it runs.
  virtual void enqueue(const std::byte* from, std::byte* to, std::byte* scratch, device::StreamHandle stream) const = 0;
  virtual std::size_t scratch_bytes() const { return 0; }
  /// Device memory that it holds from planning on.
  virtual std::size_t held_bytes() const { return 0; }
  /// Work areas of the vendor's FFT library.
  virtual std::size_t library_bytes() const { return 0; }
  virtual std::string name() const = 0;
  /// With the option verify: whether it can add up its lines itself, and gains by it, on the current device.
  virtual bool checks_itself() const { return false; }
  /// Before the first enqueue_checked(), of passes that can: what it needs, on the current device.
  virtual void prepare_checks() {}
  /// What its results tell as bits between two axes, of a pass that has one of them: 1: those that it wrote, -1: minus
  /// those that it read.
  virtual int bits_between_are() const { return 0; }
  /// As enqueue(); `results`: device::lines::pass_results numbers in device memory.
  virtual void enqueue_checked(const std::byte* from, std::byte* to, std::byte* scratch, std::uint64_t* results,
                               device::StreamHandle stream) const;
  /// True when the pass multiplied its results by FftSpec::scale.
  virtual bool scales() const { return false; }
};

using PassPointer = std::unique_ptr<FftPass>;

/// When a line pass is taken. `speed`: where it is expected to be faster than cuFFT. `alone`: for the only axis of a
/// transform, also where cuFFT would need several calls. `trial`: wherever there is a kernel, because a trial decides.
/// The calls that `alone` spares and `trial` may have rows that begin within 16 bytes.
enum class LinesFor { speed, alone, trial };
/// Transforms along one strided axis by a line pass (device/line_pass.hpp); null where there is no such kernel for it.
PassPointer make_line_pass(const FftSpec& spec, LinesFor purpose = LinesFor::speed);
/// Whether make_line_pass() makes one, on the current device.
bool line_pass_fits(const FftSpec& spec, LinesFor purpose = LinesFor::speed);
/// Two axes of a large array, the second one contiguous in memory, in one pass over memory; null where there is no such
/// kernel. A c2r destroys its input.
PassPointer make_plane_pass(const FftSpec& spec);
/// A plane pass of real transforms whose half spectra have room behind each row, to make whole units of 16 bytes: its
/// output forward, its input backward. On the way back it destroys its input.
PassPointer make_padded_plane_pass(const FftSpec& spec);
/// Whether make_plane_pass() makes one, on the current device.
bool plane_pass_fits(const FftSpec& spec);
/// How a row pass is going to be run.
enum class RowsRun { with_checks, without_checks };
/// Contiguous lines of a large array by the kernel of a plane pass; null where there is no such kernel.
PassPointer make_row_pass(const FftSpec& spec, RowsRun run);
/// Whether make_row_pass() makes one, on the current device.
bool row_pass_fits(const FftSpec& spec);
/// Up to three axes, of c2r one, at most `most_calls` calls of cuFFT; null where its strides cannot say it.
PassPointer make_cufft_pass(const FftSpec& spec, std::int64_t most_calls);
/// Whether make_cufft_pass() makes one.
bool cufft_pass_fits(const FftSpec& spec, std::int64_t most_calls);
/// The work area that it would have; none where it cannot be made.
std::size_t cufft_pass_work_bytes(const FftSpec& spec, std::int64_t most_calls);
/// Strided lines through contiguous ones, piece by piece.
PassPointer make_transposed_pass(const FftSpec& spec, std::int64_t piece_bytes = gpu_defaults().transposed_piece_bytes);
/// Whether that takes less time than make_cufft_pass().
bool transposed_pass_pays(const FftSpec& spec);
/// Contiguous lines inside one dense array, real ones too, by cuFFT, in blocks of `piece_bytes`.
PassPointer make_blocked_rows_pass(const FftSpec& spec, std::int64_t piece_bytes);
/// Whether make_blocked_rows_pass() makes one.
bool blocked_rows_pass_fits(const FftSpec& spec);
/// A cosine or sine transform along one axis, the batch piece by piece; it may run in place where both sides' strides
/// are alike.
PassPointer make_cosine_pass(const FftSpec& spec, std::int64_t piece_bytes = gpu_defaults().transposed_piece_bytes);
/// Elements from the loops' places in the input to their places in the output; both sides of one type.
PassPointer make_copy_pass(const std::vector<FftDim>& loops, ElementType element);
/// `bytes` bytes as they are.
PassPointer make_plain_copy(std::size_t bytes);
/// Multiplies `count` elements where they are.
PassPointer make_scale_pass(std::int64_t count, ElementType element, double factor);

/// One side of loops; those of one point are left out.
Box box_of(const std::vector<FftDim>& loops, std::int64_t FftDim::*stride);

/// A transform done between dense arrays, whose batch loops come before the transformed axes, and the copies around it:
/// `gather` leads from the input to the dense array, `scatter` from the dense results to the output.
struct DenseForm {
  FftSpec spec;
  std::vector<FftDim> gather, scatter;
};
DenseForm dense_form(const FftSpec& spec);

}  // namespace shardfft::gpu
