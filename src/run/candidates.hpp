#pragma once
// Trials of whole runs: the ways that the programs of a runner could take, and runners for them. The part that is equal
// on CPUs and GPUs.
#include <memory>
#include <string>
#include <vector>

#include "choose/way_choice.hpp"
#include "run/runner.hpp"
#include "shardfft/predict.hpp"

namespace shardfft {

/// A runner, others that could replace it, and the memory that they use in turns. All functions are collective. A
/// target makes the other runners and lends the memory.
class Candidates {
 public:
  virtual ~Candidates() = default;
  /// Runner::fastest() for the first runner. If a run failed half-way, the candidates are kept, because other ranks may
  /// still use their memory.
  static std::unique_ptr<Runner> fastest(const std::shared_ptr<Candidates>& candidates);

 protected:
  /// `chunks`: the numbers of chunks to try.
  Candidates(Runner& first, const Alternatives& others, std::vector<int> chunks)
      : first_(first), others_(others), chunks_(std::move(chunks)) {}

  /// A runner for programs like `program`, still without programs, or null if there is none to try. Its planning may
  /// end at setup.plan_until.
  virtual std::unique_ptr<Runner> make(ExecutorSetup setup, const Program& program) = 0;
  /// Zeros for runs of a member; throws if there is too little memory. Does not communicate.
  virtual std::shared_ptr<void> zeros(int member, std::size_t bytes) = 0;
  /// Lends a runner the memory for its runs, and enlarges it if needed. False on all ranks if one has too little.
  virtual bool lend(Runner& runner) = 0;
  /// Takes that memory back, and resets the counts of runs that are special to the target's runners.
  virtual void forget_runs(Runner& runner) = 0;
  /// The exchange that is expected to be the fastest for a program, if the trial may choose.
  virtual std::string exchange_for(const Program& /*program*/) { return setup().way.exchange; }
  /// Whether this exchange cuts messages in chunks, and programs like those of the first runner may gain by it.
  virtual bool gains_by_chunks(const std::string& exchange) = 0;
  /// Whether this exchange may need more memory than that of the first runner.
  virtual bool may_need_more(const std::string& /*exchange*/) { return false; }

  const ExecutorSetup& setup() const { return first_.setup_; }
  const std::vector<NamedProgram>& programs() const { return first_.programs_; }
  bool agreed(bool mine) const { return setup().comm.min(std::int64_t{mine ? 1 : 0}) == 1; }
  /// Whether `work` succeeds on all ranks. Throws if it fails in the middle of a run.
  bool succeeds_on_all(const std::function<void()>& work) const;

  Runner& first_;
  const Alternatives& others_;
  std::size_t more_bytes_ = 0;  ///< added for other algorithms
  int warm_ups_ = 0;            ///< runs of each candidate before it is timed

 private:
  std::vector<Way> ways();
  const Program& program_of(const Way& way) const;
  MachineFigures figures() const;
  double expected(const Way& way) const;
  bool fits(const Runner& made, const Way& way);
  bool prepare();
  bool enter(const Way& way, double deadline);
  std::unique_ptr<Runner>& made(const Way& way);
  bool is_ready(Runner& runner);
  double seconds_left() const;
  double time(Runner& runner);
  void forget(Runner& runner);
  void leave(Runner* best);

  std::vector<int> chunks_;
  std::vector<std::shared_ptr<void>> memory_;  ///< arrays of the members, input and output
  std::vector<const std::byte*> in_;
  std::vector<std::byte*> out_;
  std::size_t most_bytes_ = 0;                                ///< limit of a candidate's workspace and window
  std::vector<std::pair<Way, std::unique_ptr<Runner>>> all_;  ///< null: the first runner
};

}  // namespace shardfft
