#pragma once
// How many chunks a plan is cut in, where only a measurement tells: whole runs of it, cut and uncut.
#include <functional>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

/// What a trial asks of the plan. All calls are collective.
struct ChunkTrialSetup {
  const Communicator& comm;
  /// Prepares runs with so many chunks, until the deadline on base/clock at the latest. False on all ranks where such a
  /// number is no candidate.
  std::function<bool(int chunks, double deadline)> make;
  /// Runs every program once with a number that was made; 1 always is. Seconds on the slowest rank.
  std::function<double(int chunks)> run;
};

/// The number of chunks that was chosen, and what was tried.
struct ChunkChoice {
  struct Time {
    int chunks;
    double seconds;  ///< of one run of every program, on the slowest rank
  };
  int chunks = 1;
  std::vector<Time> times;  ///< the uncut plan's first

  /// "measured: 1 158 ms, 32 144 ms".
  std::string why() const;
};

/// The number of chunks with which the programs take the least time; 1 unless another one is clearly faster. The trial
/// takes at most 10 s or the time of 30 runs, whichever is less, but 20 ms in any case, and no less than one
/// run of every program. Collective; the same on all ranks.
ChunkChoice choose_chunks(const ChunkTrialSetup& setup);

}  // namespace shardfft
