#pragma once
// What runs a program: one interface for CPUs and GPUs, so that plans, reports and traces serve both.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "base/trace.hpp"
#include "pack/short_numbers.hpp"
#include "run/memory.hpp"
#include "run/role.hpp"
#include "run/setup.hpp"
#include "schedule/pieces.hpp"
#include "shardfft/report.hpp"

namespace shardfft {

/// One line of a report.
struct StepReport {
  std::string text;
  std::int64_t bytes_sent = 0;
  std::int64_t messages_sent = 0;  ///< CPUs
  int trace_step = 0;
  Role role = Role::computes;
  bool overlaps = false;           ///< transforms and messages at the same time, of which only the sum was measured
  Loss loss{};                     ///< of the members of this process, in all runs
  std::optional<Pieces> pieces{};  ///< what it is cut in, where it is cut
  std::vector<int> steps{};        ///< CPUs: of the lowered program
  std::size_t copied_bytes = 0;    ///< CPUs: to and from memory that other ranks reach, beside the step's own passes
  bool reads_memory = false;       ///< CPUs: of the other ranks of the host
};

/// What the option verify compared in all runs so far: how many sums, and the largest difference as a part of what is
/// allowed.
struct Verified {
  std::int64_t checks = 0;
  double largest_residual = 0;
};

using InputReads = PlanReport::InputReads;

/// What the runs of one program did so far.
struct Account {
  std::vector<StepReport> steps;
  std::int64_t runs = 0;
  std::int64_t timed_runs = 0;  ///< runs whose steps the trace knows
  double seconds = 0;           ///< of the timed runs, on this process
  std::int64_t graph_runs = 0;  ///< GPUs: runs that were launched as one graph
  Verified verified{};
  InputReads input_reads{};  ///< all zero where others do not read the input
};

/// Where a member of this process is. CPUs have no device and no stream.
struct MemberPlace {
  int rank = 0;
  int device = -1;
  void* stream = nullptr;  ///< on which its runs are enqueued
};

/// What a runner works with, for reports.
struct RunnerFacts {
  Way way;
  std::string local_fft;  ///< library and version
  std::string machine;    ///< what it runs on, where that is not plain
  std::vector<Choice> choices;
  std::vector<TimedWay> tried;

  /// Of the way that was taken; 0 if whole runs were not timed.
  double seconds() const {
    for (const TimedWay& one : tried)
      if (one.way == way) return one.seconds;
    return 0;
  }
};

/// A program as a runner lowered it, its name for users, and the factor of its result.
struct NamedProgram {
  std::string name;
  Program program;
  double scale = 1;
};

using InputArrays = std::span<const std::byte* const>;  ///< one a member
using OutputArrays = std::span<std::byte* const>;

/// What runs may do otherwise without anybody seeing it in their results.
struct Alternatives {
  std::vector<Program> programs;  ///< what a runner has, and others by other algorithms between the same layouts
  /// All that a runner has, made of one of them as it lowered it.
  std::function<std::vector<NamedProgram>(const Program& lowered)> named;
};

/// Programs, known by their numbers, on the members of this process: one rank of a communicator, or all ranks as GPUs.
/// Construction, lower(), add(), run() and allocate() are collective.
class Runner {
 public:
  virtual ~Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  /// The program as this machine runs it: its orders in memory, its transforms cut. Its reverse runs as well.
  virtual Program lower(const Program& program) = 0;
  /// Adds lowered programs to run, numbered after those that it has. Programs that are added together share memory
  /// where they can.
  virtual void add(std::vector<NamedProgram> programs) = 0;
  /// Times this runner and others that could take its place, which differ in what the options leave open. Returns the
  /// fastest one, or null if that is this one. To be called before the first run. Collective.
  virtual std::unique_ptr<Runner> fastest(const Alternatives& others) = 0;
  virtual MemberPlace member(int member) const = 0;
  /// GPUs only: the caller's streams, one a member, on which runs are enqueued from now on; none or null: own ones.
  /// Collective.
  virtual void set_streams(std::span<void* const> /*streams*/) {}
  /// Throws Error where run() could not use these arrays; does not communicate. Comes before every run.
  virtual void check_arrays(int program, InputArrays in, OutputArrays out) = 0;
  virtual void run(int program, InputArrays in, OutputArrays out) = 0;
  /// Another rank gave up in the middle of a call: makes no run of this rank wait for it.
  virtual void others_gave_up() {}
  virtual RunnerMemory memory() const = 0;
  virtual void set_workspace(std::byte* memory, std::size_t bytes) = 0;
  /// An array of the user's, where the plan reaches it without a copy.
  virtual std::shared_ptr<void> allocate(int member, std::size_t bytes) = 0;
  /// Of asynchronous runs it has the times of those that are done by now, and never waits for more; or waits for all,
  /// since the losses of steps are those of ended runs.
  enum class Runs { done, all };
  virtual Account account(int program, Runs which = Runs::done) = 0;

  /// The plan is made: libraries have no deadline any more.
  void end_planning() { setup_.plan_until.reset(); }

  const std::vector<NamedProgram>& programs() const { return programs_; }
  /// Whether the next run begins at once; else ranks make something together first.
  bool ready() const { return ready_; }
  /// Whether a run failed on this rank in its middle, where other ranks may wait for it for ever.
  bool half_way() const { return half_way_; }
  /// Bytes of a member's array that is input and output at once: with the least workspace also what it becomes in
  /// between.
  std::size_t in_place_bytes(int member) const;
  const Trace& trace() const { return trace_; }
  RunnerFacts facts() const { return {setup_.way, local_fft_version_, machine_, setup_.choices, setup_.tried}; }

 protected:
  friend class Candidates;
  explicit Runner(ExecutorSetup setup) : setup_(std::move(setup)), trace_(!setup_.options.trace.empty()) {}
  const Program& program_at(int number) const { return programs_[static_cast<std::size_t>(number)].program; }
  /// With the least workspace every array is input and output at once.
  bool least() const { return setup_.options.workspace == Workspace::least; }
  std::size_t in_place_bytes(const Program& program, int rank) const;
  /// Whether a member's input and output must be one array. Throws Error where they are not.
  bool require_one_array(int member, const std::byte* in, const std::byte* out) const;
  void refuse_if_half_way() const;
  /// Behind those that it has; the next run is not ready for them.
  void append(std::vector<NamedProgram> programs);

  ExecutorSetup setup_;
  Trace trace_;
  std::vector<NamedProgram> programs_;
  bool ready_ = false;     ///< on all ranks, for all programs
  bool half_way_ = false;  ///< in the middle of a run, or a run ended there
  std::string local_fft_version_;
  std::string machine_;
};

}  // namespace shardfft
