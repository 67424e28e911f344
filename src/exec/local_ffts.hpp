#pragma once
// The local transforms of one plan: asked for step by step while the plan is compiled, and made together when all of
// them are known, those of each step by one library.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/compute.hpp"
#include "exec/local_fft_choice.hpp"
#include "local/loops.hpp"
#include "mpi/communicator.hpp"

namespace shardfft {

/// One local transform of a plan. It can run once LocalFfts::make() has returned.
class PlannedFft : public LocalFft {
 public:
  PlannedFft(const FftSpec& spec, int at_once) : spec_(spec), at_once_(at_once), work_(work_of(spec)) {}
  using LocalFft::execute;
  std::size_t scratch_bytes() const override { return fft_->scratch_bytes(); }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    compute(work_, [&] { fft_->execute(in, out, scratch, ahead); });
  }
  /// That a forward and a backward run together call it `calls` times more.
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

/// Transforms that one library makes, the same on all ranks: those of one step of a program, and of steps alike.
struct FftStep {
  std::string name;
  std::vector<std::shared_ptr<PlannedFft>> ffts{};
};

class LocalFfts;

/// Where the transforms of one step are asked for.
class StepFfts {
 public:
  StepFfts() = default;
  StepFfts(LocalFfts* ffts, std::size_t step) : ffts_(ffts), step_(step) {}
  /// A transform that `at_once` threads call at the same time. Equal ones are one.
  std::shared_ptr<PlannedFft> add(const FftSpec& spec, int at_once = 1) const;
  /// Whether whoever may make them transforms lines that lie side by side faster to results that do not.
  bool turn_lines() const;

 private:
  LocalFfts* ffts_ = nullptr;
  std::size_t step_ = 0;
};

class LocalFfts {
 public:
  LocalFfts(FftMakers makers, Effort effort) : makers_(std::move(makers)), effort_(effort) {}
  /// The step of this name; names and their order are the same on all ranks, those that have no such transform too.
  StepFfts step(const std::string& name);

  /// Makes all transforms. Where there is a choice on all ranks and the effort is more than an estimate, each step is
  /// made by the library that took the least time for it in a trial; all ranks take the same. The trial, with planning
  /// for those that lose it, takes at most 2 s or the time of the local transforms of 10 runs, whichever is less, but
  /// 60 ms in any case; where that does not do to plan a candidate for a step, it is left out there. A library that
  /// cannot make a step is no candidate for it. Throws Error on all ranks where none can. A library that measures while
  /// it plans stops at the `deadline`. Collective.
  /// `mine`: what failed on this rank before, which is thrown on all ranks as well.
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
