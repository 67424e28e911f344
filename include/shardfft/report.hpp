#pragma once
// The report of a plan about itself, as data, as text and as JSON.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft {

/// A choice of the library: the option was "auto", or left it open.
struct Choice {
  std::string what;    ///< the option: "exchange"
  std::string chosen;  ///< the value for the option, "shared_window", or the outcome
  std::string why;
};

/// The result of Plan::report(). Bytes and times are of the rank that has most, unless a comment says otherwise; times
/// are seconds a run. `std::cout << plan.report()` prints the text.
struct PlanReport {
  /// One activity of a step: fft, pack, exchange, unpack, wait, copy, stage, other (docs/tracing.md).
  struct Time {
    std::string activity;
    bool communication = false;  ///< as Adelmann et al. (2004) count it, the local transposition included
    double seconds = 0;          ///< on the rank that takes longest
    double mean_seconds = 0;     ///< mean of the ranks
  };

  /// One step of a program, and its times.
  struct Step {
    int number = 0;  ///< counts from 1
    std::string text;
    std::string role;                ///< computes, moves, or moves and computes
    std::int64_t bytes_sent = 0;     ///< to other ranks, in one run
    std::int64_t messages_sent = 0;  ///< CPUs: for that, before an exchange merges or cuts them
    bool overlaps = false;           ///< transforms and messages at the same time; only their sum was measured
    std::vector<Time> times;         ///< none before the first run
    /// With the option tolerance: the relative L2 error of the numbers that all ranks sent in all runs.
    double error = 0;
  };

  /// The number of runs in which the ranks of a host read each other's input in each way.
  struct InputReads {
    std::int64_t in_window = 0;  ///< it lay in shared memory: plan.allocate_input() and the like
    std::int64_t across = 0;     ///< it was read from the user's array through the kernel
    std::int64_t staged = 0;     ///< it was copied into shared memory first
  };

  /// The steps that `forward`, `backward` or `apply` runs.
  struct Program {
    std::int64_t runs = 0;
    std::int64_t timed_runs = 0;  ///< those that were timed
    std::int64_t graph_runs = 0;  ///< GPUs: those that were launched as one graph
    std::vector<Step> steps;
    double seconds = 0;
    double mean_seconds = 0;
    double mean_communication_seconds = 0;
    /// r = T_comm / T_total, of the means of the ranks. None before the first run, and none if steps overlap.
    std::optional<double> ratio;
    InputReads input_reads;
    std::int64_t checks = 0;      ///< sums that the option verify compared, in all runs of the rank that has most
    double error = 0;             ///< with the option tolerance: the sum of its steps
    double largest_residual = 0;  ///< with the option verify: the largest difference of sums, or a bound of it, over
                                  ///< the bound of rounding; above 1 is an error
  };

  Transform transform;
  int ranks = 1;
  int threads = 1;  ///< of each rank
  std::int64_t batch = 1;
  std::string input;  ///< layouts, as Layout::describe() says them
  std::string output;
  std::string algorithm;
  std::string exchange;
  std::string local_fft;            ///< the libraries of local transforms and their versions
  std::string machine;              ///< GPUs: which, and how they are used; empty on CPUs
  std::size_t workspace_bytes = 0;  ///< Plan::workspace_bytes()
  std::size_t window_bytes = 0;     ///< memory that ranks of a host share
  /// Memory that the plan keeps from planning to its end: factors, matrices, schedules; on GPUs counters and flags;
  /// from the first apply() on the factors of operators.
  std::size_t table_bytes = 0;
  /// Observed memory of the FFT library: by its own account, or the heap's growth while it planned and an estimate of
  /// its needs while it runs.
  std::size_t library_bytes = 0;
  std::size_t pinned_bytes = 0;  ///< GPUs: host memory that the plan keeps pinned, for messages and checks
  /// Memory of the host that the plan took at most while it was made, trials included, without the FFT library's.
  std::size_t planning_bytes = 0;
  std::vector<Choice> choices;
  std::string way;  ///< all choices, as the option `way` takes them
  /// A way that was run as a whole while the plan was made.
  struct TimedWay {
    std::string way;
    double seconds = 0;  ///< of one forward and one backward run, on the slowest rank
  };
  std::vector<TimedWay> tried;  ///< the expected way first; none if no way was timed
  Program forward;
  Program backward;
  std::optional<Program> apply;  ///< of plans that have applied an operator

  std::string to_text() const;  ///< Lines for people, the last with its line end.
  /// One object; its members have the names of the fields, with `kind` and `precision` instead of `transform`.
  std::string to_json() const;
};

std::ostream& operator<<(std::ostream& out, const PlanReport& report);

}  // namespace shardfft
