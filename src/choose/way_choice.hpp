#pragma once
// Chooses the way of a plan by measurement: whole runs by several algorithms, exchanges and numbers of chunks.
#include <functional>
#include <string>
#include <vector>

#include "choose/way.hpp"
#include "mpi/communicator.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

/// The calls and limits of a trial of whole runs. All calls are collective.
struct WayTrial {
  const Communicator& comm;
  /// The expected one first, then the most promising ones. Of an algorithm that is not the fastest so far, only the
  /// first way is tried; a patient trial tries its others last.
  std::vector<Way> ways;
  /// Prepares runs of a way, until the deadline on base/clock at the latest. False on all ranks if it is no candidate.
  std::function<bool(const Way& way, double deadline)> make;
  /// Runs every program once, in a way that was made (the first one always is). Returns seconds on the slowest rank.
  std::function<double(const Way& way)> run;
  int ranks = 1;
  bool patient = false;
  double most_seconds = host_defaults().run_trial_seconds;  ///< limit of the trial, the same on all ranks
  /// Seconds by the cost model, the same on all ranks, and by how much they may be wrong (MachineFigures::error). Ways
  /// that cannot be the fastest by far are left out. Null: none are.
  std::function<double(const Way& way)> expects{};
  double error = 1;
};

/// "by size", or the number.
std::string chunks_text(int chunks);
/// "past the cache from 2 MiB".
std::string stores_text(const Way& way);

/// The chosen way, and the times of the trial.
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
  /// "measured: past the cache from 24 MiB 5 ms, past the cache from 2 MiB 4 ms", with the chosen algorithm and
  /// exchange.
  std::string why_stores() const;
  /// "measured: 1 158 ms, 32 144 ms", with the chosen algorithm and exchange.
  std::string why_chunks() const;
};

/// The way in which the programs take the least time; the expected one unless another is clearly faster. The trial
/// takes at most the time of 30 runs, but at least 60 ms; only most_seconds limits it if it is patient. It always runs
/// every program once. Collective; the same on all ranks.
WayChoice choose_way(const WayTrial& setup);

}  // namespace shardfft
