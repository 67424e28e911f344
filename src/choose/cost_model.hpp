#pragma once
// Seconds of a step, and of a run, by what each rank does in it and the figures of a machine.
#include <vector>

#include "algorithm/program.hpp"
#include "shardfft/predict.hpp"

namespace shardfft {

using StepCost = Prediction::Step;

/// What the geometry of a program does not tell of a step: what its operation does.
struct StepFacts {
  std::vector<int> steps;  ///< of the lowered program, that run together
  std::int64_t bytes_sent = 0;
  std::int64_t messages = 0;
  std::size_t copied_bytes = 0;  ///< to and from memory that others reach
  int pieces = 1;
  bool reads_memory = false;  ///< what moves inside a host moves by reading, not in messages
};

/// What `rank` does in a step, without seconds. Pure geometry.
StepCost cost_of(const Program& lowered, const StepFacts& facts, int rank, Precision precision, int ranks_per_host);

/// Seconds of it while `ranks` ranks of each host do the same; also entered into `cost`.
double seconds_of(StepCost& cost, const MachineFigures& machine, int ranks);

}  // namespace shardfft
