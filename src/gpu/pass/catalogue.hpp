#pragma once
// The passes that transforms on a GPU are made of, in one table: line and plane passes, calls of cuFFT, copies. A
// planner asks the records of the table, and makes the passes that it has chosen. A pass reads one array and writes
// one; a c2r over several axes writes both.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "device/runtime.hpp"
#include "geometry/schedule.hpp"
#include "gpu/operation.hpp"
#include "gpu/pass/line_owners.hpp"
#include "local/local_fft.hpp"
#include "local/loops.hpp"
#include "run/memory.hpp"

namespace shardfft::gpu {

/// The arrays of one run of a pass.
struct PassArrays {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::byte* scratch = nullptr;  ///< scratch_bytes() bytes that belong to the pass while it runs
  /// If the pass has accepted owners: the arrays of its direct runs. Empty if all points are in one array.
  std::span<std::byte* const> direct_arrays{};
  /// The factors by which a pass with result_lines() multiplies its results; null: none.
  const device::lines::LineFactors* factors = nullptr;
  std::uint64_t* results = nullptr;  ///< device::lines::pass_results numbers of a pass that checks itself, else null
};

class FftPass {
 public:
  virtual ~FftPass() = default;
  virtual void enqueue(const PassArrays& arrays, device::StreamHandle stream) const = 0;
  virtual std::size_t scratch_bytes() const { return 0; }
  /// Like DeviceOperation::kept().
  virtual RunnerMemory kept() const { return {}; }
  virtual std::string name() const = 0;
  /// Called before the first run with results (`checks`; only if the record checks) or without. Makes everything that
  /// the run needs, on the current device.
  virtual void prepare(bool /*checks*/) {}
  /// The meaning of its bits between two axes, if it runs only one of them. 1: bits that it wrote. -1: minus bits that
  /// it read. 0: it runs both, or there are none.
  virtual int bits_between_are() const { return 0; }
  /// Whether one side of it can be in the arrays of these owners from now on, with PassArrays::direct_arrays. Called
  /// after prepare().
  virtual bool accept(const LineOwners& /*owners*/) { return false; }
  /// The lines of its results, if it can multiply these by factors.
  virtual std::optional<ResultLines> result_lines() const { return std::nullopt; }
  /// If it has such lines: makes everything that runs with factors need.
  virtual void prepare_to_multiply() {}
};

using PassPointer = std::unique_ptr<FftPass>;

/// When a line pass is used. `speed`: if it is expected to be faster than cuFFT. `alone`: for the only axis of a
/// transform, also if cuFFT would need several calls. `trial`: if there is a kernel, because a trial decides. If
/// `alone` avoids calls, and for `trial`, rows may begin within 16-byte units.
enum class LinesFor { speed, alone, trial };

/// The requirements of a planner for a pass.
struct PassUse {
  LinesFor lines = LinesFor::speed;
  bool planes = true;            ///< two axes in one pass over memory, if there is one
  bool padded = false;           ///< half spectra of planes have room behind each row, for whole units of 16 bytes
  bool small = false;            ///< arrays of any size, if there are kernels
  bool vendor = false;           ///< only calls of cuFFT, without copies of the arrays
  bool scales = false;           ///< with `vendor`: cuFFT scales its results as it writes them
  bool sums_rows = false;        ///< contiguous lines by a pass that sums them up (option verify)
  std::int64_t piece_bytes = 0;  ///< inside one array, with pieces of so many bytes beside it; 0: between two arrays

  bool operator==(const PassUse&) const = default;
};

/// A kind of pass, with the questions to it before it is made. All on the current device.
struct PassRecord {
  std::string_view name;
  /// A kernel that crosses memory once with any strides: a planner takes its axes out of those of one cuFFT call.
  bool own = false;
  /// It multiplies its results by FftSpec::scale.
  bool scales = false;
  /// c2r: before it a kernel reads its input, to copy it if FftSpec::preserve_input says so, or some of it. That kernel
  /// can multiply all numbers by FftSpec::scale.
  bool scales_halves = false;
  /// It needs no dense copy of its arrays.
  bool where_it_lies = true;
  /// It runs inside one array, and needs no more beside it than PassUse::piece_bytes allows.
  bool in_one_array = false;
  bool (*fits)(const FftSpec& spec, const PassUse& use);
  PassPointer (*make)(const FftSpec& spec, const PassUse& use);  ///< only if it fits
  /// Begins to compile, on other threads, the kernels that prepare() waits for. Null: there are none.
  void (*compile_ahead)(const FftSpec& spec, const PassUse& use, bool checks) = nullptr;
  /// Begins to compile the kernel that prepare_to_multiply() waits for, of a forward pass. Null: there is none.
  void (*compile_to_multiply)(const FftSpec& spec, const PassUse& use) = nullptr;
  /// With the option verify: whether it can sum up its lines itself, and gains by it. Null: never.
  bool (*checks)(const FftSpec& spec) = nullptr;
  /// Whether one side of it can be in the arrays of these owners, as far as that is known without its kernel. Null:
  /// never.
  bool (*accepts)(const FftSpec& spec, const PassUse& use, const LineOwners& owners) = nullptr;
};

/// The first record of the table that fits; null if none does.
const PassRecord* find_pass(const FftSpec& spec, const PassUse& use = {});
/// The same among passes of the library's own.
const PassRecord* find_own_pass(const FftSpec& spec, const PassUse& use = {});
/// For tests and probes.
const PassRecord& pass_named(std::string_view name);
/// Multiplies the output of a spec inside its array; not in the table.
extern const PassRecord scale_pass;

/// The work area of cuFFT's calls for a transform: calls with one cross memory more than once. 0 if cuFFT has no calls
/// for the transform.
std::size_t cufft_work_bytes(const FftSpec& spec);
/// One side of loops as a box, without loops of one point.
Box box_of(const Loops& loops, std::int64_t Loop::*stride);

}  // namespace shardfft::gpu
