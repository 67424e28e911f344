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
  /// Runs whose input had to be copied into shared memory first.
  std::int64_t staged_runs() const { return staged_runs_; }

 private:
  void size_workspace();
  void allocate();
  std::byte* slot(Slot s, const std::byte* in, std::byte* out) const;
  const std::byte* readable_input(const Task& task, const std::byte* in);
  const std::byte* unaliased(Direction direction, const std::byte* data);
  void wait_for_slot(Slot s);

  ExecutorSetup setup_;
  Trace trace_;
  std::unique_ptr<HostMemory> host_;
  std::array<std::vector<Task>, 2> tasks_;
  std::array<std::int64_t, 2> runs_{};
  std::int64_t staged_runs_ = 0;
  std::array<std::size_t, 2> work_bytes_{};  ///< of the two work slots, in shared memory when there is a host
  std::size_t stage_bytes_ = 0;              ///< shared memory for inputs that others read
  std::size_t scratch_bytes_ = 0;
  AlignedMemory own_workspace_;
  std::shared_ptr<HostWindow> window_;
  std::byte* workspace_ = nullptr;  ///< private: scratch, and the work slots when there is no host
  AlignedMemory alias_copy_;        ///< the input of a program that cannot start in place, made at the first such call
};

}  // namespace shardfft
