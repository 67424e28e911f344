#pragma once
// What runs a program: one interface for CPUs and GPUs, so that plans, reports and traces serve both.
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "base/trace.hpp"
#include "exec/operation.hpp"

namespace shardfft {

/// One line of a report.
struct StepReport {
  std::string text;
  std::int64_t bytes_sent = 0;
  int trace_step = 0;
  Role role = Role::computes;
  bool overlaps = false;  ///< transforms and messages at the same time, of which only the sum was measured
};

/// How the ranks of a host came to an input of which they read each other's part, in runs of this rank.
struct InputReads {
  std::int64_t in_window = 0;  ///< it lay in shared memory: plan.allocate_input() and the like
  std::int64_t across = 0;     ///< the kernel let them read it in this process
  std::int64_t staged = 0;     ///< it was copied into shared memory first
};

using InputArrays = std::span<const std::byte* const>;  ///< one a member
using OutputArrays = std::span<std::byte* const>;

/// Both directions of one program on the members of this process: the one rank of a Plan, or the GPUs of a GroupPlan.
/// Construction, run() and allocate() are collective.
class Runner {
 public:
  virtual ~Runner() = default;
  /// GPUs only: the caller's streams, one a member, on which runs are enqueued from now on; none or null: own ones.
  /// Collective.
  virtual void set_streams(std::span<void* const> /*streams*/) {}
  /// GPUs only: the GPU of a member, and the stream that its runs are enqueued on.
  virtual int device(int /*member*/) const { return -1; }
  virtual void* stream(int /*member*/) const { return nullptr; }
  /// Throws Error where run() could not use these arrays; does not communicate. Comes before every run.
  virtual void check_arrays(Direction /*direction*/, InputArrays /*in*/, OutputArrays /*out*/) {}
  virtual void run(Direction direction, InputArrays in, OutputArrays out) = 0;
  /// Whether a run failed on this rank in its middle, where other ranks may wait for it for ever.
  virtual bool half_way() const { return false; }
  /// Private memory of the member that needs most.
  virtual std::size_t workspace_bytes() const = 0;
  virtual void set_workspace(std::byte* memory, std::size_t bytes) = 0;
  /// Memory that ranks of the host share.
  virtual std::size_t window_bytes() const { return 0; }
  /// An array of the user's, where the plan reaches it without a copy.
  virtual std::shared_ptr<void> allocate(int member, std::size_t bytes) = 0;

  virtual const Program& program() const = 0;
  virtual std::vector<StepReport> steps(Direction direction) const = 0;
  /// Takes the times of asynchronous runs that are done by now into the trace. Never waits.
  virtual void harvest() {}
  virtual const Trace& trace() const = 0;
  virtual std::int64_t runs(Direction direction) const = 0;
  /// Runs whose steps the trace knows, and seconds of those runs.
  virtual std::int64_t timed_runs(Direction direction) const { return runs(direction); }
  virtual double seconds(Direction direction) const = 0;
  /// All zero where others do not read the input.
  virtual InputReads input_reads(Direction /*direction*/) const { return {}; }
  /// For report(): what it runs on, a line or more.
  virtual std::string machine() const = 0;
};

}  // namespace shardfft
