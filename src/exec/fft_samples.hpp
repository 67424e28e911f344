#pragma once
// Samples of the local transforms of a plan; a trial times the libraries by them.
#include <memory>
#include <vector>

#include "base/aligned.hpp"
#include "exec/local_ffts.hpp"

namespace shardfft {

/// The transforms of a step, made by one backend.
using MadeFfts = std::vector<std::unique_ptr<LocalFft>>;

class FftSamples {
 public:
  explicit FftSamples(const std::vector<FftStep>& steps);
  /// Allocates the arrays. False if any rank has no memory for them. Collective; call it before all functions below.
  bool prepare(const Communicator& comm);
  /// The sample of transform `i` of a step.
  const FftSpec& sample(std::size_t step, std::size_t i) const { return samples_[step][i].spec; }
  bool is_whole(std::size_t step, std::size_t i) const { return samples_[step][i].share == 1; }
  /// The estimated time of a step's transforms in a forward and a backward run, on this rank.
  double seconds(std::size_t step, const MadeFfts& made);

 private:
  struct Sample {
    FftSpec spec;
    double share = 1;  ///< transforms of the plan for each one in the sample
    double calls = 0;
    int at_once = 1;
    std::size_t in_bytes = 0;
    std::size_t out_bytes = 0;
  };

  static Sample make_sample(const PlannedFft& fft);
  void run(const Sample& sample, const LocalFft& fft, std::byte* scratch);
  double seconds_of(const Sample& sample, const LocalFft& fft);

  std::vector<std::vector<Sample>> samples_;  ///< by step
  std::size_t bytes_ = 0;
  AlignedMemory arrays_;
};

}  // namespace shardfft
