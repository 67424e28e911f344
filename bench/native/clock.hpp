// The one clock of the benchmark: barrier, MPI_Wtime, per-repeat maximum over the ranks, every sample kept.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

namespace shardfft::bench {

struct Timing {
  std::vector<double> samples;  // seconds: for each repeat the slowest rank; on rank 0
  std::vector<double> fastest;  // the fastest rank of each repeat, for the imbalance; on rank 0
  double user = 0, system = 0;  // processor seconds of a repeat, all ranks and their threads together
};

// Runs `prepare` (untimed: puts fresh data into the source) and `work` (timed) warmups + repeats times.
// Stops early when the timed work exceeds `seconds` > 0, all ranks at the same repeat.
Timing measure(MPI_Comm comm, int warmups, int repeats, double seconds, const std::function<void()>& prepare,
               const std::function<void()>& work);

// Seconds of one call, the slowest rank; on all ranks.
double time_once(MPI_Comm comm, const std::function<void()>& work);

}  // namespace shardfft::bench
