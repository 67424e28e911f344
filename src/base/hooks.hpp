#pragma once
// What a simulation, a tuner or a test puts in the place of this machine: its memory, its clock, its computations, the
// counts of its MPI library.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace shardfft {

/// Where memory of ours on CPUs comes from (base/aligned). Several threads may call at once.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  /// `bytes`, a multiple of `alignment`; null where there are none.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  virtual void release(void* memory, std::size_t bytes) noexcept = 0;
  /// Memory that the ranks of a host share comes from the kernel, but is asked for here first: this rank's own segment.
  /// Where one rank's source grants none, no rank gets any.
  virtual bool grant_window(std::size_t /*bytes*/) { return true; }
  virtual void end_window(std::size_t /*bytes*/) noexcept {}
};

/// What time it is (base/clock).
class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds that only differences matter of.
  virtual double seconds() = 0;
};

/// What a computation does: numbers that it reads and writes, and operations on them.
struct Work {
  double bytes = 0;
  double flops = 0;
};

/// Who runs computations (base/compute). Several threads may call at once; calls are never nested.
class ComputeHook {
 public:
  virtual ~ComputeHook() = default;
  /// Runs `action`, or stands for it: a simulation lets its clock move on instead.
  virtual void compute(const Work& work, const std::function<void()>& action) = 0;
};

/// Who looks at the arrays of GPU plans, or changes them, while a run is enqueued.
class DeviceStepHook {
 public:
  /// Before its input is checked, then; and before its output is. Steps that check themselves have no last moment, and
  /// arrays in their middle. Of transforms beside a reshape, in chunks, also what lies between both, and the moments of
  /// each chunk: a run of its numbers. Of slabs, runs that passes are about to read: in_middle what planes left to y
  /// lines, forward, and between what came from other ranks.
  enum class Moment { before, in_middle, between, after };
  virtual ~DeviceStepHook() = default;
  /// The array that the step reads, or has written, on `stream` of the current device; one call a member, or a chunk.
  virtual void reached(std::size_t step, Moment moment, std::byte* array, std::size_t bytes, void* stream) = 0;
};

/// Who looks at lines that a pass of the stand-in holds between the sums of its check, or changes them.
class HeldLinesHook {
 public:
  enum class Moment { taken, transformed };
  virtual ~HeldLinesHook() = default;
  /// Lines that are read, or that are about to be written.
  virtual void reached(Moment moment, std::byte* lines, std::size_t bytes) = 0;
};

/// Largest element count that MPI is given in one call (mpi/datatype): lowered, the ways of messages beyond it are
/// taken with little data. The same on all ranks.
struct CountLimit {
  std::int64_t most = 1;
};

/// What is installed of a kind; null stands for the machine's own.
template <class Hook>
inline std::atomic<Hook*> installed_hook{nullptr};

template <class Hook>
Hook* installed() {
  return installed_hook<Hook>.load(std::memory_order_acquire);
}

/// Installs a hook until it ends. What came from a MemorySource goes back to it, so that the source must live as long.
template <class Hook>
class Installed {
 public:
  explicit Installed(Hook& hook) : before_(installed_hook<Hook>.exchange(&hook)) {}
  ~Installed() { installed_hook<Hook> = before_; }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;

 private:
  Hook* before_;
};

}  // namespace shardfft
