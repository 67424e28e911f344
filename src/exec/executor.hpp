#pragma once
// Runs programs. It knows steps, buffers and operations; not slab from pencil, not MPI calls, not FFT libraries.
#include <array>
#include <memory>
#include <vector>

#include "algorithm/program.hpp"
#include "base/aligned.hpp"
#include "exec/compile.hpp"
#include "exec/operation.hpp"
#include "mpi/host_window.hpp"

namespace shardfft {

/// One line of a report.
struct StepReport {
  std::string text;
  std::int64_t bytes_sent = 0;
  int trace_step = 0;
  Role role = Role::computes;
};

/// How the ranks of a host came to an input of which they read each other's part, in runs of this rank.
struct InputReads {
  std::int64_t in_window = 0;  ///< it lay in shared memory: plan.allocate_input() and the like
  std::int64_t across = 0;     ///< the kernel let them read it in this process
  std::int64_t staged = 0;     ///< it was copied into shared memory first
};

/// Both directions of one program on this rank. Construction and run are collective.
class Executor {
 public:
  explicit Executor(ExecutorSetup setup);
  void run(Direction direction, const std::byte* in, std::byte* out);
  /// Private memory; what ranks of a host share is always allocated by the executor.
  std::size_t workspace_bytes() const;
  std::size_t window_bytes() const;
  void set_workspace(std::byte* memory, std::size_t bytes);
  /// A window of `bytes` on this host for a user's array, or null when this plan's exchange does not read memory.
  /// Collective.
  std::shared_ptr<HostWindow> allocate_shared(std::size_t bytes);
  std::vector<StepReport> steps(Direction direction) const;
  const Program& program() const { return setup_.program; }
  Trace& trace() { return trace_; }
  const Trace& trace() const { return trace_; }
  std::int64_t runs(Direction direction) const { return runs_[static_cast<std::size_t>(direction)]; }
  /// Seconds in run() of this rank.
  double seconds(Direction direction) const { return seconds_[static_cast<std::size_t>(direction)]; }
  /// All zero where others do not read the input.
  const InputReads& input_reads(Direction direction) const { return reads_[static_cast<std::size_t>(direction)]; }
  /// Runs whose input had to be copied into shared memory first.
  std::int64_t staged_runs() const { return reads_[0].staged + reads_[1].staged; }

 private:
  void choose_input_reads();
  void size_workspace();
  void allocate();
  std::byte* slot(Slot s, const std::byte* in, std::byte* out) const;
  const std::byte* readable_input(const Task& task, const std::byte* in, InputReads& reads);
  void run_task(Task& task, const std::byte* source, std::byte* out, InputReads& reads);
  const std::byte* unaliased(Direction direction, const std::byte* data);
  void wait_for_slot(Slot s);

  ExecutorSetup setup_;
  Trace trace_;
  std::unique_ptr<HostMemory> host_;
  std::unique_ptr<CrossMemory> across_;
  std::array<std::vector<Task>, 2> tasks_;
  std::array<std::int64_t, 2> runs_{};
  std::array<double, 2> seconds_{};
  std::array<InputReads, 2> reads_{};
  std::array<std::size_t, 2> work_bytes_{};  ///< of the two work slots, in shared memory when there is a host
  std::size_t stage_bytes_ = 0;              ///< shared memory for inputs that others read
  std::size_t scratch_bytes_ = 0;
  AlignedMemory own_workspace_;
  std::shared_ptr<HostWindow> window_;
  std::byte* workspace_ = nullptr;  ///< private: scratch, and the work slots when there is no host
  AlignedMemory alias_copy_;        ///< the input of a program that cannot start in place, made at the first such call
};

}  // namespace shardfft
