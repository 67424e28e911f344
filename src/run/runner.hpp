#pragma once
// The class that runs programs: one interface for CPUs and GPUs, so that plans, reports and traces serve both.
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
  bool overlaps = false;           ///< transforms and messages at the same time; only their sum was measured
  Loss loss{};                     ///< of the members of this process, in all runs
  std::optional<Pieces> pieces{};  ///< its pieces, if it is cut
  std::vector<int> steps{};        ///< CPUs: of the lowered program
  std::size_t copied_bytes = 0;  ///< CPUs: to and from memory that other ranks can access, beside the step's own passes
  bool reads_memory = false;     ///< CPUs: of the other ranks of the host
};

/// The comparisons of the option verify in all runs so far: the number of sums, and the largest difference divided by
/// the allowed one.
struct Verified {
  std::int64_t checks = 0;
  double largest_residual = 0;
};

using InputReads = PlanReport::InputReads;

/// A summary of the runs of one program so far.
struct Account {
  std::vector<StepReport> steps;
  std::int64_t runs = 0;
  std::int64_t timed_runs = 0;  ///< runs whose steps are in the trace
  double seconds = 0;           ///< of the timed runs, on this process
  std::int64_t graph_runs = 0;  ///< GPUs: runs that were launched as one graph
  Verified verified{};
  InputReads input_reads{};  ///< all zero if others do not read the input
};

/// The place of a member of this process. CPUs have no device and no stream.
struct MemberPlace {
  int rank = 0;
  int device = -1;
  void* stream = nullptr;  ///< on which its runs are enqueued
};

/// A runner's choices and surroundings, for reports.
struct RunnerFacts {
  Way way;
  std::string local_fft;  ///< library and version
  std::string machine;    ///< its hardware, if that is special
  std::vector<Choice> choices;
  std::vector<TimedWay> tried;

  /// Of the chosen way; 0 if whole runs were not timed.
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

/// Other programs with the same results.
struct Alternatives {
  std::vector<Program> programs;  ///< that of a runner, and those by other algorithms between the same layouts
  /// All programs of a runner, made from one of `programs` that it has lowered.
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
  /// Adds lowered programs, numbered after those that it has. Programs that are added together share memory if
  /// possible.
  virtual void add(std::vector<NamedProgram> programs) = 0;
  /// Times this runner and others that could replace it, which differ in choices that the options leave open. Returns
  /// the fastest one, or null if it is this one. Must be called before the first run. Collective.
  virtual std::unique_ptr<Runner> fastest(const Alternatives& others) = 0;
  virtual MemberPlace member(int member) const = 0;
  /// GPUs only: the caller's streams, one a member, on which runs are enqueued from now on; none or null: own ones.
  /// Collective.
  virtual void set_streams(std::span<void* const> /*streams*/) {}
  /// Throws Error if run() could not use these arrays; does not communicate. Must be called before every run.
  virtual void check_arrays(int program, InputArrays in, OutputArrays out) = 0;
  virtual void run(int program, InputArrays in, OutputArrays out) = 0;
  /// Another rank gave up in the middle of a call: no run of this rank waits for it from now on.
  virtual void others_gave_up() {}
  virtual RunnerMemory memory() const = 0;
  virtual void set_workspace(std::byte* memory, std::size_t bytes) = 0;
  /// An array of the user's that the plan can use without a copy.
  virtual std::shared_ptr<void> allocate(int member, std::size_t bytes) = 0;
  /// done: has the times of asynchronous runs that are done by now; does not wait. all: waits for all runs, because the
  /// losses of steps are known only of ended runs.
  enum class Runs { done, all };
  virtual Account account(int program, Runs which = Runs::done) = 0;

  /// The plan is made: libraries have no deadline any more.
  void end_planning() { setup_.plan_until.reset(); }

  const std::vector<NamedProgram>& programs() const { return programs_; }
  /// Whether the next run begins at once; else the ranks first prepare it together.
  bool ready() const { return ready_; }
  /// Whether a run failed half-way on this rank; other ranks may then wait for it for ever.
  bool half_way() const { return half_way_; }
  /// Bytes of a member's array that is input and output at once; with the least workspace, it also holds all states in
  /// between.
  std::size_t in_place_bytes(int member) const;
  const Trace& trace() const { return trace_; }
  RunnerFacts facts() const { return {setup_.way, local_fft_version_, machine_, setup_.choices, setup_.tried}; }

 protected:
  friend class Candidates;
  explicit Runner(ExecutorSetup setup) : setup_(std::move(setup)), trace_(!setup_.options.trace.empty()) {}
  const Program& program_at(int number) const { return programs_[static_cast<std::size_t>(number)].program; }
  /// With the least workspace, every array is input and output at once.
  bool least() const { return setup_.options.workspace == Workspace::least; }
  std::size_t in_place_bytes(const Program& program, int rank) const;
  /// Whether a member's input and output must be one array. Throws Error if they must and are not.
  bool require_one_array(int member, const std::byte* in, const std::byte* out) const;
  void refuse_if_half_way() const;
  /// Appends them to its programs; then the next run is not ready.
  void append(std::vector<NamedProgram> programs);

  ExecutorSetup setup_;
  Trace trace_;
  std::vector<NamedProgram> programs_;
  bool ready_ = false;     ///< on all ranks, for all programs
  bool half_way_ = false;  ///< in the middle of a run, or after one that failed there
  std::string local_fft_version_;
  std::string machine_;
};

}  // namespace shardfft
