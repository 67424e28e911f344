#pragma once
// The arguments from which a runner is made.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choose/way.hpp"
#include "local/backend.hpp"
#include "mpi/communicator.hpp"
#include "pack/short_numbers.hpp"
#include "shardfft/options.hpp"
#include "shardfft/report.hpp"

namespace shardfft {

class HostMemory;
class Watch;

/// Facts that ranks have agreed on, because they may have different options or different machines.
struct RankFacts {
  bool may_try = true;          ///< the effort of all ranks is more than an estimate
  bool patient = false;         ///< the effort of all ranks is patient
  std::size_t own_cache = 0;    ///< of a core, the largest of all ranks
  bool fill_hosts = false;      ///< no host has more processors than ranks
  std::size_t window_room = 0;  ///< bytes that the ranks of any host can map together; 0 if nobody has asked
  bool knows_ways = false;      ///< rank 0 has wisdom
};

/// A way that was tried in whole runs, and the least time of one run of every program.
struct TimedWay {
  Way way;
  double seconds = 0;
};

struct ExecutorSetup {
  Communicator comm;
  Options options;
  Precision precision = Precision::f64;
  Way way;                    ///< the choices so far
  bool way_is_given = false;  ///< by the option way: nothing is tried
  RankFacts ranks{};
  std::vector<std::string> other_exchanges;  ///< that a trial may find faster, the most promising first
  std::size_t other_past_cache = 0;          ///< Way::past_cache that a trial may find faster; 0 if there is none
  std::vector<Backend> local_ffts;           ///< that may make local transforms, the expected one first
  std::vector<Choice> choices;               ///< made for options that leave one
  ShortNumbers numbers{};                    ///< in messages
  std::optional<double> plan_until{};        ///< deadline of libraries that measure while they plan, on base/clock
  double begun = 0;                          ///< when planning began, on base/clock
  std::vector<TimedWay> tried{};             ///< in whole runs, the expected one first
  Watch* watch = nullptr;                    ///< ranks that wait in the middle of a call look at it
  std::shared_ptr<HostMemory> host{};        ///< the ranks that share memory, if known already
  bool whole_transforms = false;             ///< all axes of a transform are one step, as on GPUs

  /// Replaces an earlier choice for the same option.
  void tell(const Choice& choice) {
    for (Choice& known : choices)
      if (known.what == choice.what) return static_cast<void>(known = choice);
    choices.push_back(choice);
  }
};

}  // namespace shardfft
