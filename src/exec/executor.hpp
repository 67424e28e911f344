#pragma once
// Runs programs. It knows steps, buffers and operations; not slab from pencil, not MPI calls, not FFT libraries.
#include <array>
#include <memory>
#include <vector>

#include "algorithm/program.hpp"
#include "base/aligned.hpp"
#include "exec/compile.hpp"
#include "exec/runner.hpp"
#include "mpi/host_window.hpp"

namespace shardfft {

/// Both directions of one program on this rank. Construction and run are collective.
class Executor : public Runner {
 public:
  explicit Executor(ExecutorSetup setup);
  /// Makes what calls with these arrays need beside the workspace.
  void check_arrays(Direction direction, InputArrays in, OutputArrays out) override;
  void run(Direction direction, InputArrays in, OutputArrays out) override;
  bool half_way() const override { return half_way_; }
  /// Private memory; what ranks of a host share is always allocated by the executor.
  std::size_t workspace_bytes() const override;
  std::size_t window_bytes() const override;
  void set_workspace(std::byte* memory, std::size_t bytes) override;
  /// In the host's shared window when the plan's exchange reads memory there, else plain.
  std::shared_ptr<void> allocate(int member, std::size_t bytes) override;
  std::vector<StepReport> steps(Direction direction) const override;
  const Program& program() const override { return programs_.front(); }
  const Trace& trace() const override { return trace_; }
  std::int64_t runs(Direction direction) const override { return runs_[static_cast<std::size_t>(direction)]; }
  /// Seconds in run() of this rank.
  double seconds(Direction direction) const override { return seconds_[static_cast<std::size_t>(direction)]; }
  InputReads input_reads(Direction direction) const override { return reads_[static_cast<std::size_t>(direction)]; }
  RunnerFacts facts() const override { return {setup_.exchange, local_fft_.version, {}, setup_.choices, {}}; }

 private:
  void choose_input_reads();
  void size_workspace();
  void allocate_workspace();
  std::byte* slot(Slot s, const std::byte* in, std::byte* out) const;
  const std::byte* readable_input(const Task& task, const std::byte* in, InputReads& reads);
  void run_task(Task& task, const std::byte* source, std::byte* out, InputReads& reads);
  bool clashes(Direction direction, const std::byte* in, const std::byte* out) const;
  std::size_t input_bytes(Direction direction) const;
  void make_alias_copy();
  const std::byte* unaliased(Direction direction, const std::byte* data);
  void wait_for_readers(Slot s);
  std::string uncut_text(const Operation& operation) const;

  ExecutorSetup setup_;
  Trace trace_;
  LocalFftChoice local_fft_;
  std::unique_ptr<HostMemory> host_;
  std::unique_ptr<CrossMemory> across_;
  std::vector<Program> programs_;  ///< as the algorithm made it and lowering left it, and its reverse
  std::vector<std::vector<Task>> tasks_;
  std::array<std::int64_t, 2> runs_{};
  std::array<double, 2> seconds_{};
  std::array<InputReads, 2> reads_{};
  std::array<std::size_t, 2> work_bytes_{};  ///< of the two work slots, in shared memory when there is a host
  std::size_t stage_bytes_ = 0;              ///< shared memory for inputs that others read
  std::size_t scratch_bytes_ = 0;
  bool allocated_ = false;  ///< on all ranks
  bool half_way_ = false;   ///< in the middle of a run, or a run ended there
  AlignedMemory own_workspace_;
  std::shared_ptr<HostWindow> window_;
  std::byte* workspace_ = nullptr;  ///< private: scratch, and the work slots when there is no host
  AlignedMemory alias_copy_;        ///< the input of a program that cannot start in place, made at the first such call
};

}  // namespace shardfft
