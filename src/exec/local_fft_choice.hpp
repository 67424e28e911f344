#pragma once
// The libraries that make the local transforms of a plan, and the reasons for the choice.
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "local/backend.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

/// The libraries that may make the local transforms of a plan, and the choices that are settled.
struct FftMakers {
  std::vector<Backend> candidates{};            ///< the one that is expected to be the fastest first
  std::map<std::string, std::string> chosen{};  ///< names of libraries, by the names of steps (Way::libraries)
  bool tries = true;                            ///< tries the libraries for other steps, if the effort allows it
  double most_seconds = host_defaults().trial_seconds;  ///< limit of the trial, the same on all ranks
};

/// The library of each step's transforms, and the times of the libraries in the trial; no times if nothing was tried.
struct LocalFftChoice {
  /// The time of a forward and a backward run of a step's transforms, on the slowest rank.
  struct Time {
    std::string name;
    double seconds;
  };
  struct Step {
    std::string step;
    std::string name;           ///< of the library that makes it
    std::vector<Time> times{};  ///< of the libraries that were tried, the expected one first
  };
  std::vector<Step> steps{};
  /// Names of the libraries that make the plan's transforms. If there are no transforms, the expected library.
  std::vector<std::string> names{};
  std::string version;
  std::string note;  ///< the way of choosing
  /// Bytes on the heap that the libraries allocated while planning, and about the bytes that they need while they run.
  std::size_t library_bytes = 0;

  /// "lanes", or "lanes, fftw".
  std::string name() const;
  /// "measured: fftw 1.2 ms, mkl 1.6 ms"; if several were chosen, also the steps of each, and the time of all together.
  std::string why() const;
};

}  // namespace shardfft
