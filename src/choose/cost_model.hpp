#pragma once
// Seconds of a step and of a run, from the work of each rank and the figures of a machine.
#include <map>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "shardfft/predict.hpp"

namespace shardfft {

using StepCost = Prediction::Step;

/// Facts of a step's operation that the geometry of its program does not contain.
struct StepFacts {
  std::vector<int> steps;  ///< of the lowered program, that run together
  std::int64_t bytes_sent = 0;
  std::int64_t messages = 0;
  std::size_t copied_bytes = 0;  ///< to and from memory that others can access
  int pieces = 1;
  bool reads_memory = false;  ///< data inside a host is read, not sent
  /// GPUs: the passes of transforms, as Way::passes has them. Null: CPUs.
  const std::map<std::string, std::string>* passes = nullptr;
  bool scaled = false;  ///< the program's results are multiplied by a factor
};

/// The work of `rank` in a step, without seconds. Pure geometry.
StepCost cost_of(const Program& lowered, const StepFacts& facts, int rank, Precision precision, int ranks_per_host);

/// Seconds of a whole run, forward and backward, on this rank, as far as the program alone tells: before it is lowered
/// and cut. `facts` are those of all its steps. Cheap enough for a search over many programs.
double expected_seconds(const Program& program, StepFacts facts, int rank, Precision precision, int ranks_per_host,
                        const MachineFigures& machine);

/// Throws Error for a figure that MachineFigures::set() refuses.
void check_figures(const MachineFigures& machine);

/// Seconds of the step while `ranks` ranks of each host run it; also stored in `cost`.
double seconds_of(StepCost& cost, const MachineFigures& machine, int ranks);

}  // namespace shardfft
