#pragma once
// The time that a library takes for the local transforms of a plan, while all ranks are at work.
#include <memory>
#include <vector>

#include "base/aligned.hpp"
#include "exec/local_ffts.hpp"

namespace shardfft {

/// The transforms of a plan as one backend makes them, in the order of the trial.
using MadeFfts = std::vector<std::unique_ptr<LocalFft>>;

class LocalFftTrial {
 public:
  LocalFftTrial(const Communicator& comm, const std::vector<std::shared_ptr<PlannedFft>>& ffts);
  /// Whether all ranks have the memory for it. Collective, and before all below.
  bool prepare();
  /// What is run of transform `i`.
  const FftSpec& sample(std::size_t i) const { return samples_[i].spec; }
  bool is_whole(std::size_t i) const { return samples_[i].share == 1; }
  std::size_t size() const { return samples_.size(); }
  /// Seconds of all local transforms of a forward and a backward run, on the slowest rank. Collective.
  double round(const MadeFfts& made);

 private:
  struct Sample {
    FftSpec spec;
    double share = 1;  ///< transforms of the plan's own batch for each in the sample
    double calls = 0;
    int at_once = 1;
    std::size_t in_bytes = 0;
    std::size_t out_bytes = 0;
  };

  static Sample make_sample(const PlannedFft& fft);
  void run(const Sample& sample, const LocalFft& fft, std::byte* scratch);
  double seconds_of(const Sample& sample, const LocalFft& fft);

  const Communicator& comm_;
  std::vector<Sample> samples_;
  std::size_t bytes_ = 0;
  AlignedMemory arrays_;
};

}  // namespace shardfft
