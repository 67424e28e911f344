#pragma once
// Predictions: the memory, messages and time of a plan that is not made, on a machine that need not exist.
#include <map>
#include <string>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/report.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// Figures of a machine, for predictions. Bandwidths are bytes a second, latencies seconds. The values here are
/// cautious ones, for an unknown machine.
struct MachineFigures {
  double memory = 8e9;        ///< bytes that one rank reads and writes in memory in a second while others rest
  double host_memory = 16e9;  ///< the same of all ranks of a host together; of a GPU alone
  double cache = 40e9;        ///< of one rank, while the arrays of a step lie in its caches
  double cache_bytes = 2e6;   ///< how much the caches hold for one rank
  double flops = 3e9;         ///< operations of local Fourier transforms of one rank in a second, as Step counts them
  double products = 10e9;     ///< operations of matrix products of one rank in a second
  double near_latency = 2e-6;
  double near_bandwidth = 3e9;  ///< that one rank sends to ranks of its host while all send
  double far_latency = 20e-6;
  double far_bandwidth = 1e9;  ///< that all ranks of a host send to other hosts together
  double start = 2e-6;         ///< seconds that a step takes beside its work: ranks meet, a kernel is launched
  double error = 1;            ///< by how much a prediction may be wrong: from time / (1 + error) to time * (1 + error)

  /// Cautious ones of ranks that are GPUs.
  static MachineFigures of_gpus();
  /// All of them by their names.
  std::map<std::string, double> all() const;
  /// Throws Error(invalid_argument) for an unknown name, with the known ones in the text, and for a value that is not
  /// above zero.
  void set(const std::string& name, double value);
};

/// How the ranks of a plan are placed: `ranks_per_host` in a row on each host.
struct Placement {
  int ranks_per_host = 1;
  /// Each rank is a GPU. Only a GPU can tell a plan's steps there: the steps here are those of ranks that send
  /// messages, and the workspace is the two arrays that GPU plans take at most.
  bool gpus = false;
};

/// The result of predict().
struct Prediction {
  /// One step of one rank, the one that takes longest.
  struct Step {
    double seconds = 0;
    double moved_bytes = 0;    ///< read and written in memory or cache, messages not counted
    double working_bytes = 0;  ///< of the arrays that the step reads and writes, also those of other ranks
    /// Of local Fourier transforms: 5 N log2 N for complex numbers; half as many for real ones, and half again in
    /// single precision.
    double operations = 0;
    double products = 0;                   ///< of matrix products
    double near_bytes = 0, far_bytes = 0;  ///< sent to ranks of the same host, and of other ones
    double near_messages = 0, far_messages = 0;
    double starts = 0;  ///< of steps, and of changes of layout; on GPUs, of kernels
    int pieces = 1;     ///< in which messages and transforms overlap
  };
  /// The report that Plan::report() would return. Times are missing, and `library_bytes` and `planning_bytes` are 0.
  PlanReport report;
  std::size_t input_bytes = 0, output_bytes = 0;  ///< of the user's arrays, of the rank that has most
  std::vector<Step> forward, backward;            ///< one a step of the report
  double seconds = 0;                             ///< of a forward and a backward run together
  double error = 1;   ///< from seconds / (1 + error) to seconds * (1 + error): the machine's figure
  bool exact = true;  ///< memory, messages and steps are those of the plan; else an estimate

  /// Seconds of the same steps by other figures, while `ranks` ranks of each host do the same.
  double seconds_on(const MachineFigures& machine, int ranks) const;
  /// One object without the report; its members have the names of the fields.
  std::string to_json() const;
};

/// The memory, messages and time of a plan of these arguments on a machine like this. Needs neither MPI nor GPUs; makes
/// the plan's steps for each of up to 128 ranks, and of more ranks for those with the largest parts. Nothing is timed:
/// the plan is the one with effort `estimate`, or that of the option `way`. Throws Error as the plan would.
Prediction predict(Transform transform, const Layout& input, OutputLayout output, const Options& options,
                   Placement placement, const MachineFigures& machine = {});
Prediction predict(Transform transform, const Layout& input, const Layout& output, const Options& options,
                   Placement placement, const MachineFigures& machine = {});

}  // namespace shardfft
