#pragma once
// Hooks by which a simulation, a tuner or a test replaces parts of this machine: its memory, its clock, its
// computations, the counts of its MPI library.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace shardfft {

/// The source of this library's memory on CPUs (base/aligned). Several threads may call at once.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  /// `bytes`, a multiple of `alignment`; null if there are none.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  virtual void release(void* memory, std::size_t bytes) noexcept = 0;
  /// Memory that the ranks of a host share comes from the kernel, but is asked for here first: this rank's own segment.
  /// If one rank's source grants none, no rank gets any.
  virtual bool grant_window(std::size_t /*bytes*/) { return true; }
  virtual void end_window(std::size_t /*bytes*/) noexcept {}
};

/// The clock (base/clock).
class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds since any fixed moment: only differences between two calls have a meaning.
  virtual double seconds() = 0;
};

/// The work of a computation: numbers that it reads and writes, and operations on them.
struct Work {
  double bytes = 0;
  double flops = 0;
};

/// Runs computations (base/compute). Several threads may call at once; calls are never nested.
class ComputeHook {
 public:
  virtual ~ComputeHook() = default;
  /// Runs `action`, or stands for it: a simulation lets its clock move on instead.
  virtual void compute(const Work& work, const std::function<void()>& action) = 0;
};

/// Looks at the arrays of GPU plans, or changes them, while a run is enqueued.
class DeviceStepHook {
 public:
  /// When the hook is called, as seen from one step of a plan. With the option verify some steps are summed by kernels
  /// of their own, which run before and after the step; other steps sum their lines themselves while they run.
  ///
  /// - before: the input is complete. The step that wrote it has summed it, this step has not.
  /// - in_middle: of a step summed by other kernels, the input, which has been summed and not been read. Of a step that
  ///   sums itself, an array between two of its passes.
  /// - between: an array between a transform and the reshape beside it, if they are one step.
  /// - after: the output is complete and has not been summed. A step that sums itself has no such moment.
  ///
  /// If a step runs in chunks, each chunk has calls of its own, with the run of numbers that belongs to it.
  enum class Moment { before, in_middle, between, after };
  virtual ~DeviceStepHook() = default;
  /// The numbers are in place when the work that `stream` (of the current device) holds so far has ended. A change must
  /// be enqueued on that stream. One call for each member of the team, or for each chunk of it.
  virtual void reached(std::size_t step, Moment moment, std::byte* array, std::size_t bytes, void* stream) = 0;
};

/// Looks at the lines that a pass of the stand-in is working on, or changes them.
class HeldLinesHook {
 public:
  /// taken: lines have been read and summed; transformed: the results are there, and have not been summed.
  enum class Stage { taken, transformed };
  virtual ~HeldLinesHook() = default;
  virtual void reached(Stage stage, std::byte* lines, std::size_t bytes) = 0;
};

/// Is told of the box copies of the stand-in, in their order.
class CopyHook {
 public:
  virtual ~CopyHook() = default;
  virtual void copied(const void* to, const void* from) = 0;
};

/// The largest element count that MPI is given in one call (mpi/datatype). Tests lower it to send messages beyond the
/// limit with little data. It must be the same on all ranks.
struct CountLimit {
  std::int64_t most = 1;
};

/// The pages of the kernel's (base/page_size), in bytes. `huge` is 0 if there are no huge ones. Tests install others:
/// whole multiples of this machine's.
struct PageSizes {
  std::size_t page = 0, huge = 0;
};

/// The hook of this kind that is installed now. Null: none is, and the machine's own memory, clock and so on are used.
template <class Hook>
inline std::atomic<Hook*> installed_hook{nullptr};

template <class Hook>
Hook* installed() {
  // Pairs with the stores of Installed: a thread that finds the hook finds it as it was made.
  return installed_hook<Hook>.load(std::memory_order_acquire);
}

/// Installs a hook for the life of this object. Memory from a MemorySource is given back to that source, so it must
/// live longer than all of its memory.
template <class Hook>
class Installed {
 public:
  explicit Installed(Hook& hook) : before_(installed_hook<Hook>.exchange(&hook, std::memory_order_acq_rel)) {}
  ~Installed() { installed_hook<Hook>.store(before_, std::memory_order_release); }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;

 private:
  Hook* before_;
};

}  // namespace shardfft
