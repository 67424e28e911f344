#pragma once
// What a transform on a GPU is made of, in one table: line and plane passes, calls of cuFFT, copies. A planner asks the
// records of the table, and makes the passes that it has chosen. One pass reads one array and writes one; a c2r of
// several axes writes both.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "device/runtime.hpp"
#include "geometry/schedule.hpp"
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
  /// Of a pass that has taken owners: the arrays in which the runs are that are away. Empty: all are in one array.
  std::span<std::byte* const> beyond{};
  std::uint64_t* results = nullptr;  ///< device::lines::pass_results numbers of a pass that checks itself, else null
};

class FftPass {
 public:
  virtual ~FftPass() = default;
  virtual void enqueue(const PassArrays& arrays, device::StreamHandle stream) const = 0;
  virtual std::size_t scratch_bytes() const { return 0; }
  /// As DeviceOperation::kept().
  virtual RunnerMemory kept() const { return {}; }
  virtual std::string name() const = 0;
  /// Before the first run with results (`checks`; of passes whose record checks) or without: what that needs, on the
  /// current device.
  virtual void prepare(bool /*checks*/) {}
  /// What its results tell as bits between two axes, of a pass that has one of them: 1: those that it wrote, -1: minus
  /// those that it read.
  virtual int bits_between_are() const { return 0; }
  /// Whether one side of it may lie in the arrays of these owners from now on, with PassArrays::beyond. After
  /// prepare().
  virtual bool take(const LineOwners& /*owners*/) { return false; }
};

using PassPointer = std::unique_ptr<FftPass>;

/// When a line pass is taken. `speed`: where it is expected to be faster than cuFFT. `alone`: for the only axis of a
/// transform, also where cuFFT would need several calls. `trial`: wherever there is a kernel, because a trial decides.
/// The calls that `alone` spares and `trial` may have rows that begin within 16 bytes.
enum class LinesFor { speed, alone, trial };

/// What a planner wants a pass for.
struct PassUse {
  LinesFor lines = LinesFor::speed;
  bool planes = true;            ///< two axes in one pass over memory where there is one
  bool padded = false;           ///< half spectra of planes have room behind each row, for whole units of 16 bytes
  bool small = false;            ///< of arrays of any size too, where kernels are there
  bool vendor = false;           ///< by calls of cuFFT where the arrays lie, and by nothing else
  bool sums_rows = false;        ///< contiguous lines by a pass that adds them up (option verify)
  std::int64_t piece_bytes = 0;  ///< inside one array, with pieces of so many bytes beside it; 0: between two arrays

  bool operator==(const PassUse&) const = default;
};

/// A kind of pass: what is asked of it before it is made. All on the current device.
struct PassRecord {
  std::string_view name;
  /// A kernel that crosses memory once whatever the strides: it takes its axes out of those that cuFFT has in one call.
  bool own = false;
  /// It multiplies its results by FftSpec::scale.
  bool scales = false;
  /// It needs no dense copy of its arrays.
  bool where_it_lies = true;
  /// It runs inside one array, and needs no more beside it than PassUse::piece_bytes allows.
  bool in_one_array = false;
  bool (*fits)(const FftSpec& spec, const PassUse& use);
  PassPointer (*make)(const FftSpec& spec, const PassUse& use);  ///< where it fits
  /// Begins to compile, on other threads, what prepare() waits for. Null: nothing.
  void (*compile_ahead)(const FftSpec& spec, const PassUse& use, bool checks) = nullptr;
  /// With the option verify: whether it can add up its lines itself, and gains by it. Null: never.
  bool (*checks)(const FftSpec& spec) = nullptr;
  /// Whether one side of it may lie in the arrays of these owners, as far as can be said without its kernel. Null:
  /// never.
  bool (*takes)(const FftSpec& spec, const PassUse& use, const LineOwners& owners) = nullptr;
};

/// The first record of the table that fits; null where none does.
const PassRecord* find_pass(const FftSpec& spec, const PassUse& use = {});
/// The same among passes of our own.
const PassRecord* find_own_pass(const FftSpec& spec, const PassUse& use = {});
/// For tests and probes.
const PassRecord& pass_named(std::string_view name);
/// Multiplies the output of a spec where it is; no part of the table.
extern const PassRecord scale_pass;

/// The work area of cuFFT's calls for a transform: with one they cross memory more than once. 0 where it has no calls
/// for it.
std::size_t cufft_work_bytes(const FftSpec& spec);
/// One side of loops; those of one point are left out.
Box box_of(const Loops& loops, std::int64_t Loop::*stride);

}  // namespace shardfft::gpu
