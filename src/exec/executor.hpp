#pragma once
// Runs programs. It knows steps, buffers and operations; it knows no algorithms, no MPI calls, no FFT libraries.
#include <array>
#include <memory>
#include <vector>

#include "algorithm/program.hpp"
#include "base/aligned.hpp"
#include "exec/compile.hpp"
#include "mpi/host_window.hpp"
#include "run/run_trial.hpp"
#include "run/runner.hpp"
#include "verify/verifier.hpp"

namespace shardfft {

/// The runner on CPUs for programs like this one, with what the options leave open chosen. Collective.
std::unique_ptr<Runner> make_host_runner(ExecutorSetup setup, const Program& program);

/// Programs on this rank. Construction, lower, add and run are collective.
class Executor : public Runner {
 public:
  /// `host` is null where data moves in messages.
  Executor(ExecutorSetup setup, std::shared_ptr<HostMemory> host);
  Program lower(const Program& program) override;
  void add(std::vector<NamedProgram> programs) override;
  const std::vector<NamedProgram>& programs() const override { return programs_; }
  /// By whole runs on arrays of zeros (executor_trial.cpp).
  std::unique_ptr<Runner> fastest(const Alternatives& others) override;
  /// Makes the copy that a call with equal arrays needs where the plan was not made for such calls.
  void check_arrays(int program, InputArrays in, OutputArrays out) override;
  void run(int program, InputArrays in, OutputArrays out) override;
  std::size_t in_place_bytes(int member) const override;
  bool ready() const override { return allocated_; }
  bool half_way() const override { return half_way_; }
  /// Private memory; what ranks of a host share is always allocated by the executor.
  std::size_t workspace_bytes() const override;
  std::size_t window_bytes() const override;
  std::size_t table_bytes() const override;
  std::size_t library_bytes() const override { return library_bytes_; }
  void set_workspace(std::byte* memory, std::size_t bytes) override;
  /// In the host's shared window when the plan's exchange reads memory there, else plain.
  std::shared_ptr<void> allocate(int member, std::size_t bytes) override;
  std::vector<StepReport> steps(int program) const override;
  const Trace& trace() const override { return trace_; }
  std::int64_t runs(int program) const override { return past(program).runs; }
  Verified verified(int program) const override;
  /// Seconds in run() of this rank.
  double seconds(int program) const override { return past(program).seconds; }
  InputReads input_reads(int program) const override { return past(program).reads; }
  RunnerFacts facts() const override { return {setup_.exchange, local_fft_.version, {}, setup_.choices}; }

 private:
  /// What the runs of a program did so far.
  struct Past {
    std::int64_t runs = 0;
    double seconds = 0;
    InputReads reads;
    std::unique_ptr<Verifier> verifier;  ///< with the option verify
  };

  struct Candidates;

  const Past& past(int program) const { return past_[static_cast<std::size_t>(program)]; }
  void make_local_ffts(LocalFfts& ffts);
  void tell_local_ffts(const LocalFftChoice& choice);
  void choose_input_reads(std::vector<Task>& tasks);
  RunWay way() const;
  bool cuts_in_chunks() const;
  std::vector<RunWay> ways_to_try(const Alternatives& others) const;
  std::string exchange_for(bool reads) const;
  void add_moves(std::vector<RunWay>& ways, const RunWay& one, bool cuts) const;
  void tell(const Choice& choice);
  void tell(const RunChoice& choice, const std::vector<RunWay>& ways);
  void lend(std::byte* workspace, std::size_t bytes, std::shared_ptr<HostWindow> window);
  void forget_runs();
  void size_workspace();
  void allocate_workspace();
  void run_tasks(int program, const std::byte* in, std::byte* out);
  void give_up();
  std::byte* slot(Slot s, const std::byte* in, std::byte* out) const;
  const std::byte* readable_input(const Task& task, const std::byte* in, InputReads& reads);
  Slot writable_output(const Task& task, const std::byte* from, const std::byte* out);
  void run_task(Task& task, const std::byte* source, std::byte* out, Past& past);
  void make_verifier(std::size_t program);
  /// What set_workspace() must bring.
  std::size_t planned_bytes() const;
  bool starts_in_place(int program) const;
  bool clashes(int program, const std::byte* in, const std::byte* out) const;
  std::size_t input_bytes(int program) const;
  void make_alias_copy();
  const std::byte* unaliased(int program, const std::byte* data);
  void wait_for_readers(Slot s);
  std::string uncut_text(const Operation& operation) const;

  ExecutorSetup setup_;
  Trace trace_;
  LocalFftChoice local_fft_;
  std::shared_ptr<HostMemory> host_;  ///< null where data moves in messages
  std::unique_ptr<CrossMemory> across_;
  std::vector<NamedProgram> programs_;
  std::vector<std::vector<Task>> tasks_;  ///< by program
  std::vector<Past> past_;
  std::unique_ptr<Tally> tally_;             ///< with the option verify
  std::array<std::size_t, 2> work_bytes_{};  ///< of the two work slots, in shared memory when there is a host
  std::size_t stage_bytes_ = 0;              ///< shared memory for inputs that others read
  std::size_t scratch_bytes_ = 0;
  std::size_t library_bytes_ = 0;
  std::size_t alias_bytes_ = 0;  ///< private memory for the input of programs that cannot start in place, if planned
  bool allocated_ = false;       ///< on all ranks, for all programs
  bool half_way_ = false;        ///< in the middle of a run, or a run ended there
  AlignedMemory own_workspace_;
  std::shared_ptr<HostWindow> window_;
  std::byte* workspace_ = nullptr;  ///< private: scratch, and the work slots when there is no host
  std::size_t workspace_size_ = 0;
  AlignedMemory alias_copy_;  ///< the same where it was not planned: made at the first such call
};

}  // namespace shardfft
