#pragma once
// Runs programs. It knows steps, buffers and operations; it knows no algorithms, no MPI calls, no FFT libraries.
#include <memory>
#include <vector>

#include "algorithm/program.hpp"
#include "base/aligned.hpp"
#include "exec/compile.hpp"
#include "exec/task_places.hpp"
#include "mpi/host_window.hpp"
#include "run/runner.hpp"
#include "verify/verifier.hpp"

namespace shardfft {

/// The runner on CPUs for programs like `program`; it chooses the values that the options leave open. Collective.
std::unique_ptr<Runner> make_host_runner(ExecutorSetup setup, const Program& program);

/// Programs on this rank. Construction, lower, add and run are collective.
class Executor : public Runner {
 public:
  /// `host` is null if all data moves in messages.
  Executor(ExecutorSetup setup, std::shared_ptr<HostMemory> host);
  Program lower(const Program& program) override;
  void add(std::vector<NamedProgram> programs) override;
  /// Times whole runs on arrays of zeros (executor_trial.cpp).
  std::unique_ptr<Runner> fastest(const Alternatives& others) override;
  /// Makes the copy for a call with equal arrays, if the plan was not made for such calls.
  void check_arrays(int program, InputArrays in, OutputArrays out) override;
  void run(int program, InputArrays in, OutputArrays out) override;
  MemberPlace member(int /*member*/) const override { return {setup_.comm.rank()}; }
  /// Memory that the ranks of a host share is always allocated by the executor.
  RunnerMemory memory() const override;
  void set_workspace(std::byte* memory, std::size_t bytes) override;
  /// In the host's shared window if the plan's exchange reads memory there, else plain memory.
  std::shared_ptr<void> allocate(int member, std::size_t bytes) override;
  /// The seconds are those of this rank in run().
  Account account(int program, Runs which) override;

 private:
  /// A program's tasks, and counts of its runs so far.
  struct Prepared {
    std::vector<Task> tasks;
    ProgramPlaces places{};
    std::int64_t runs = 0;
    double seconds = 0;
    InputReads reads{};
    std::unique_ptr<Verifier> verifier{};  ///< with the option verify
  };

  /// The arrays that a task reads (`from`), writes (`written`) and must have written (`to`).
  struct TaskArrays {
    const std::byte* from;
    std::byte *written, *to;
  };

  class Trial;

  void make_local_ffts(LocalFfts& ffts, const Alone& alone);
  void tell_local_ffts(const LocalFftChoice& choice);
  void choose_input_reads(std::vector<std::vector<Task>>& programs);
  void size_workspace();
  void allocate_workspace();
  void give_up();
  std::byte* at(const ArrayPlace& place) const;
  const std::byte* readable_input(const Task& task, const std::byte* in, Prepared& program);
  std::byte* writable_output(const Task& task, const TaskPlaces& places, const std::byte* from, std::byte* to);
  Prepared& now(int program) { return prepared_[static_cast<std::size_t>(program)]; }
  const Prepared& now(int program) const { return prepared_[static_cast<std::size_t>(program)]; }
  TaskArrays before_task(Task& task, const std::byte* source, std::byte* out, Prepared& program);
  void after_task(Task& task, const TaskArrays& arrays, const std::byte* source, Prepared& program);
  void make_verifier(Prepared& program);
  /// The bytes that set_workspace() must get.
  std::size_t planned_bytes() const { return planned_bytes_; }
  std::size_t window_bytes() const { return window_bytes_; }
  bool starts_in_place(int program) const;
  bool has_planned_copy(int program) const { return setup_.options.in_place && !starts_in_place(program); }
  bool copies_input(int program, const std::byte* in, const std::byte* out) const;
  std::size_t input_bytes(int program) const;
  void make_input_copy();
  const std::byte* copied(int program, const std::byte* data);
  void wait_for_readers(const ArrayPlace& place);
  std::string uncut_text(const Operation& operation) const;

  LocalFftChoice local_fft_;
  std::shared_ptr<HostMemory> host_;  ///< null if all data moves in messages
  std::unique_ptr<CrossMemory> across_;
  std::vector<Prepared> prepared_;                    ///< by program
  std::unique_ptr<AllReduce> all_reduce_;             ///< with the option verify
  std::size_t planned_bytes_ = 0, window_bytes_ = 0;  ///< of private and of shared memory, for any program
  std::size_t library_bytes_ = 0;
  AlignedMemory own_workspace_;
  std::shared_ptr<HostWindow> window_;
  std::byte* workspace_ = nullptr;  ///< private memory
  std::size_t workspace_size_ = 0;
  AlignedMemory input_copy_;  ///< for calls that the plan was not made for; allocated by the first of them
};

}  // namespace shardfft
