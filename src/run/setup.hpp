#pragma once
// What a runner is made of.
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

/// What ranks that may be given different options, or have different machines, know of each other.
struct RankFacts {
  bool may_try = true;          ///< the effort of all is more than an estimate
  bool patient = false;         ///< it is patient
  std::size_t own_cache = 0;    ///< of a core, the largest
  bool fill_hosts = false;      ///< no host has more processors than there are ranks
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
  Way way;                    ///< what is chosen so far
  bool way_is_given = false;  ///< by the option way: nothing is tried
  RankFacts ranks{};
  std::vector<std::string> other_exchanges;  ///< that a trial may find faster, the most promising first
  std::vector<Backend> local_ffts;           ///< that may make local transforms, the expected one first
  std::vector<Choice> choices;               ///< made for options that leave one
  ShortNumbers numbers{};                    ///< in messages
  std::optional<double> plan_until{};        ///< libraries that measure while they plan stop then, on base/clock
  double begun = 0;                          ///< when planning began, on base/clock
  std::vector<TimedWay> tried{};             ///< in whole runs, the expected one first
  Watch* watch = nullptr;                    ///< what ranks look at that wait in the middle of a call
  std::shared_ptr<HostMemory> host{};        ///< who shares memory with whom, where that was asked already

  /// In the place of what was told of the same option.
  void tell(const Choice& choice) {
    for (Choice& known : choices)
      if (known.what == choice.what) return static_cast<void>(known = choice);
    choices.push_back(choice);
  }
};

}  // namespace shardfft
