#pragma once
// What a runner is made of.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"
#include "pack/short_numbers.hpp"
#include "run/local_fft_choice.hpp"
#include "shardfft/options.hpp"
#include "shardfft/report.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

class HostMemory;
class Watch;

/// How many arrays a plan on GPUs takes beside input and output: those of the fastest way; fewer, where that costs
/// time; or one at most, in which everything runs as with workspace = least.
enum class Buffering { fast, few, one_array };

struct ExecutorSetup {
  Communicator comm;
  Options options;
  Precision precision = Precision::f64;
  std::string exchange;                      ///< on CPUs a name, never "auto"
  std::vector<std::string> other_exchanges;  ///< that a trial may find faster, the most promising first
  FftMakers local_ffts;
  std::vector<Choice> choices;                                               ///< made for options that leave one
  std::size_t bytes_past_cache = host_defaults().bytes_to_write_past_cache;  ///< of results that are written so
  ShortNumbers numbers{};                                                    ///< in messages
  Buffering buffering = Buffering::fast;
  std::optional<double> plan_until{};  ///< libraries that measure while they plan stop then, on base/clock
  Watch* watch = nullptr;              ///< what ranks look at that wait in the middle of a call
  std::shared_ptr<HostMemory> host{};  ///< who shares memory with whom, where that was asked already

  /// In the place of what was told of the same option.
  void tell(const Choice& choice) {
    for (Choice& known : choices)
      if (known.what == choice.what) return static_cast<void>(known = choice);
    choices.push_back(choice);
  }
};

}  // namespace shardfft
