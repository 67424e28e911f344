#pragma once
// Which way a plan takes where only a measurement tells: whole runs of it, by several algorithms, exchanges and numbers
// of chunks.
#include <functional>
#include <string>
#include <vector>

#include "choose/way.hpp"
#include "mpi/communicator.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

/// What a trial asks of the plan. All calls are collective.
struct WayTrial {
  const Communicator& comm;
  /// The expected one first, then the most promising ones. Of an algorithm that is not the fastest so far, only the
  /// first is tried, others last if the trial is patient.
  std::vector<Way> ways;
  /// Prepares runs of a way, until the deadline on base/clock at the latest. False on all ranks where it is no
  /// candidate.
  std::function<bool(const Way& way, double deadline)> make;
  /// Runs every program once, in a way that was made; the first one always is. Seconds on the slowest rank.
  std::function<double(const Way& way)> run;
  int ranks = 1;
  bool patient = false;
  double most_seconds = host_defaults().run_trial_seconds;  ///< that the trial may take, the same on all ranks
};

/// "by size", or the number.
std::string chunks_text(int chunks);

/// The way that was chosen, and what was tried.
struct WayChoice {
  struct Time {
    Way way;
    double seconds;  ///< of one run of every program, on the slowest rank
  };
  Way way;
  std::vector<Time> times;  ///< the expected way's first

  /// "measured: slab 105 ms, pencil 99 ms", each in its fastest way.
  std::string why_algorithm() const;
  /// "measured: alltoallv 48 ms, shared_window 38 ms, alltoallv in 32 chunks 47 ms", with the chosen algorithm.
  std::string why_exchange() const;
  /// "measured: 1 158 ms, 32 144 ms", with the chosen algorithm and exchange.
  std::string why_chunks() const;
};

/// The way in which the programs take the least time; the expected one unless another is clearly faster. The trial
/// takes at most the time of 30 runs, unless it is patient, but 60 ms if it may, and no less than one run of every
/// program. Collective; the same on all ranks.
WayChoice choose_way(const WayTrial& setup);

}  // namespace shardfft
