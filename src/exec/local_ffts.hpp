#pragma once
// The local transforms of one plan. They are requested step by step while the plan is compiled, then made together; one
// library makes all transforms of a step.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/compute.hpp"
#include "exec/local_fft_choice.hpp"
#include "local/loops.hpp"
#include "mpi/communicator.hpp"

namespace shardfft {

/// One local transform of a plan. It can run after LocalFfts::make() has returned.
class PlannedFft : public LocalFft {
 public:
  PlannedFft(const FftSpec& spec, int at_once) : spec_(spec), at_once_(at_once), work_(work_of(spec)) {}
  using LocalFft::execute;
  std::size_t scratch_bytes() const override { return fft_->scratch_bytes(); }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    compute(work_, [&] { fft_->execute(in, out, scratch, ahead); });
  }
  /// Adds calls: a forward and a backward run together call the transform `calls` times more.
  void add_calls(std::int64_t calls) { calls_ += calls; }

  const FftSpec& spec() const { return spec_; }
  std::int64_t calls() const { return calls_; }
  /// Threads that call it at the same time.
  int at_once() const { return at_once_; }
  void adopt(std::unique_ptr<LocalFft> fft) { fft_ = std::move(fft); }

 private:
  FftSpec spec_;
  int at_once_;
  Work work_;
  std::int64_t calls_ = 0;
  std::unique_ptr<LocalFft> fft_;
};

/// Transforms that one library makes, the same on all ranks: those of one step of a program, and of equal steps.
struct FftStep {
  std::string name;
  bool real = false;  ///< r2c or c2r
  std::vector<std::shared_ptr<PlannedFft>> ffts{};
};

class LocalFfts;

/// Collects the transforms of one step.
class StepFfts {
 public:
  StepFfts() = default;
  StepFfts(LocalFfts* ffts, std::size_t step) : ffts_(ffts), step_(step) {}
  /// A transform that `at_once` threads call at the same time. Equal ones are shared.
  std::shared_ptr<PlannedFft> add(const FftSpec& spec, int at_once = 1) const;
  /// Whether every library that may make them is faster if lines side by side get results one behind the other.
  bool turn_lines() const;

 private:
  LocalFfts* ffts_ = nullptr;
  std::size_t step_ = 0;
};

class LocalFfts {
 public:
  LocalFfts(FftMakers makers, Effort effort) : makers_(std::move(makers)), effort_(effort) {}
  /// The step of this name. Names and their order are the same on all ranks, also on ranks without such a transform.
  StepFfts step(const std::string& name, bool real = false);

  /// Makes all transforms. If all ranks have a choice and the effort is more than an estimate, each step is made by the
  /// library that took the least time for it in a trial, the same on all ranks. The trial, including planning for its
  /// losers, takes at most 2 s or the time of the local transforms of 10 runs, whichever is less, but at least 60 ms.
  /// If that is too little to plan a candidate for a step, the candidate is dropped for it. A library that cannot make
  /// a step is no candidate for it. Throws Error on all ranks if no library can. A library that measures while it plans
  /// stops at the `deadline`. Collective.
  /// `mine`: the failure of this rank before, which is thrown on all ranks as well.
  LocalFftChoice make(const Communicator& comm, std::optional<double> deadline = {}, const Failure& mine = {});

 private:
  friend class StepFfts;

  LocalFftChoice choose(const Communicator& comm, std::optional<double> deadline, const Failure& mine);
  std::string rule(bool may_try) const;

  FftMakers makers_;
  Effort effort_;
  std::vector<FftStep> steps_;
};

}  // namespace shardfft
