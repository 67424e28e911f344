#pragma once
// What runs a program: one interface for CPUs and GPUs, so that plans, reports and traces serve both.
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "base/trace.hpp"
#include "pack/short_numbers.hpp"
#include "run/role.hpp"
#include "shardfft/report.hpp"

namespace shardfft {

/// One line of a report.
struct StepReport {
  std::string text;
  std::int64_t bytes_sent = 0;
  int trace_step = 0;
  Role role = Role::computes;
  bool overlaps = false;  ///< transforms and messages at the same time, of which only the sum was measured
  Loss loss{};            ///< of the members of this process, in all runs
};

/// What the option verify compared in all runs so far: how many sums, and the largest difference as a part of what is
/// allowed.
struct Verified {
  std::int64_t checks = 0;
  double largest_residual = 0;
};

using InputReads = PlanReport::InputReads;

/// What a runner works with, for reports.
struct RunnerFacts {
  std::string exchange;
  std::string local_fft;  ///< library and version
  std::string machine;    ///< what it runs on, where that is not plain
  std::vector<Choice> choices;
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
  std::vector<Program> programs;  ///< by other algorithms, between the same layouts
  /// All that a runner has, made of one of them as it lowered it.
  std::function<std::vector<NamedProgram>(const Program& lowered)> named;
};

/// Programs, known by their numbers, on the members of this process: one rank of a communicator, or all ranks as GPUs.
/// Construction, lower(), add(), run() and allocate() are collective.
class Runner {
 public:
  virtual ~Runner() = default;
  /// The program as this machine runs it: its orders in memory, its transforms cut. Its reverse runs as well.
  virtual Program lower(const Program& program) = 0;
  /// Adds lowered programs to run, numbered after those that it has. Programs that are added together share memory
  /// where they can.
  virtual void add(std::vector<NamedProgram> programs) = 0;
  virtual const std::vector<NamedProgram>& programs() const = 0;
  /// Of this runner and others in its place, which do otherwise what the options leave open, the one whose runs take
  /// the least time; null where that is this one. Before the first run. Collective.
  virtual std::unique_ptr<Runner> fastest(const Alternatives& /*others*/) { return nullptr; }
  /// GPUs only: the caller's streams, one a member, on which runs are enqueued from now on; none or null: own ones.
  /// Collective.
  virtual void set_streams(std::span<void* const> /*streams*/) {}
  /// GPUs only: the GPU of a member, and the stream that its runs are enqueued on.
  virtual int device(int /*member*/) const { return -1; }
  virtual void* stream(int /*member*/) const { return nullptr; }
  /// Throws Error where run() could not use these arrays; does not communicate. Comes before every run.
  virtual void check_arrays(int /*program*/, InputArrays /*in*/, OutputArrays /*out*/) {}
  virtual void run(int program, InputArrays in, OutputArrays out) = 0;
  /// Whether the next run begins at once; else ranks make something together first.
  virtual bool ready() const = 0;
  /// Another rank gave up in the middle of a call: makes no run of this rank wait for it.
  virtual void others_gave_up() {}
  /// Whether a run failed on this rank in its middle, where other ranks may wait for it for ever.
  virtual bool half_way() const { return false; }
  /// Private memory of the member that needs most.
  virtual std::size_t workspace_bytes() const = 0;
  virtual void set_workspace(std::byte* memory, std::size_t bytes) = 0;
  /// Bytes of a member's array that is input and output at once.
  virtual std::size_t in_place_bytes(int member) const = 0;
  /// Memory that is kept as long as the plan lives: factors, matrices, lists of copies.
  virtual std::size_t table_bytes() const { return 0; }
  /// Memory that the libraries of local transforms take, as observed.
  virtual std::size_t library_bytes() const { return 0; }
  /// GPUs: host memory pinned for messages.
  virtual std::size_t pinned_bytes() const { return 0; }
  /// Memory that ranks of the host share.
  virtual std::size_t window_bytes() const { return 0; }
  /// An array of the user's, where the plan reaches it without a copy.
  virtual std::shared_ptr<void> allocate(int member, std::size_t bytes) = 0;

  virtual std::vector<StepReport> steps(int program) const = 0;
  /// Takes the times of asynchronous runs that are done by now into the trace. Never waits.
  virtual void harvest() {}
  /// Waits until all runs have ended, since the losses of steps are those of ended runs.
  virtual void finish_runs() {}
  virtual const Trace& trace() const = 0;
  virtual std::int64_t runs(int program) const = 0;
  /// Runs whose steps the trace knows, and seconds of those runs.
  virtual std::int64_t timed_runs(int program) const { return runs(program); }
  virtual double seconds(int program) const = 0;
  /// GPUs only: runs that were launched as one graph.
  virtual std::int64_t graph_runs(int /*program*/) const { return 0; }
  virtual Verified verified(int /*program*/) const { return {}; }
  /// All zero where others do not read the input.
  virtual InputReads input_reads(int /*program*/) const { return {}; }
  virtual RunnerFacts facts() const = 0;
};

}  // namespace shardfft
