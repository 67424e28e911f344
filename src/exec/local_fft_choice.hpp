#pragma once
// Which libraries make the local transforms of a plan, and why.
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "local/backend.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

/// Who may make the local transforms of a plan, and who makes those of steps for which that is settled.
struct FftMakers {
  std::vector<Backend> candidates{};                    ///< the one expected to be the fastest first
  std::map<std::string, std::string> chosen{};          ///< names, by those of the steps (Way::libraries)
  bool tries = true;                                    ///< those of other steps, if the effort allows it
  double most_seconds = host_defaults().trial_seconds;  ///< of trying them, the same on all ranks
};

/// Which library makes the transforms of each step, and what each took in the trial; without times nothing was tried.
struct LocalFftChoice {
  /// A forward and a backward run of the transforms of a step, on the slowest rank.
  struct Time {
    std::string name;
    double seconds;
  };
  struct Step {
    std::string step;
    std::string name;           ///< of the library that makes it
    std::vector<Time> times{};  ///< of those that were tried, the expected one first
  };
  std::vector<Step> steps{};
  /// Names of the libraries that make the plan's transforms. If there are none, the one that was expected.
  std::vector<std::string> names{};
  std::string version;
  std::string note;  ///< how it was chosen
  /// What the libraries took of the heap while they planned, and about what they take while they run.
  std::size_t library_bytes = 0;

  /// "lanes", or "lanes, fftw".
  std::string name() const;
  /// "measured: fftw 1.2 ms, mkl 1.6 ms"; where several libraries were chosen, which makes what, and the time of all.
  std::string why() const;
};

}  // namespace shardfft
