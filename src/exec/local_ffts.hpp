#pragma once
// The local transforms of one plan: asked for step by step while the plan is compiled, and made together by one library
// when all of them are known.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/compute.hpp"
#include "local/backend.hpp"
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

/// Which library makes the local transforms of a plan, and what each took in the trial; without times nothing was
/// tried.
struct LocalFftChoice {
  struct Time {
    std::string name;
    double seconds;  ///< of all local transforms of a forward and a backward run, on the slowest rank
  };
  std::string name;
  std::string version;
  std::string note;  ///< how it was chosen; empty where there was no choice
  std::vector<Time> times;
  /// What the library took of the heap while it planned, and about what it takes while it runs.
  std::size_t library_bytes = 0;

  /// "measured: fftw 1.2 ms, mkl 1.6 ms".
  std::string why() const;
};

class LocalFfts {
 public:
  /// `candidates`: the one expected to be the fastest first.
  LocalFfts(std::vector<Backend> candidates, Effort effort) : candidates_(std::move(candidates)), effort_(effort) {}
  /// Whether all candidates transform lines that lie side by side faster to results that do not.
  bool turn_lines() const;
  /// A transform that `at_once` threads call at the same time. Equal ones are one.
  std::shared_ptr<PlannedFft> add(const FftSpec& spec, int at_once = 1);

  /// Makes all transforms by one library. Where there is a choice on all ranks and the effort is more than an estimate,
  /// that is the one that took the least time in a trial; all ranks take the same. The trial, with planning for those
  /// that lose it, takes at most 2 s or the time of the local transforms of 10 runs, whichever is less, but 20 ms in
  /// any case; where that does not do to plan a candidate, the candidate is left out. A library that cannot make a
  /// transform is no candidate. Throws Error on all ranks where none can. A library that measures while it plans stops
  /// at the `deadline`. Collective.
  LocalFftChoice make(const Communicator& comm, std::optional<double> deadline = {});

 private:
  LocalFftChoice choose(const Communicator& comm, std::optional<double> deadline);
  /// Brings the candidates into the same order on all ranks; false where there is nothing to choose. Collective.
  bool order_alike(const Communicator& comm);

  std::vector<Backend> candidates_;
  Effort effort_;
  std::vector<std::shared_ptr<PlannedFft>> ffts_;
};

}  // namespace shardfft
