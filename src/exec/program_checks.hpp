#pragma once
// The checks of a program's fused tasks on one rank (option verify), and the choice of the check that sums moved data.
#include "exec/compile.hpp"
#include "verify/lines_check.hpp"

namespace shardfft {

class ProgramChecks {
 public:
  /// Throws Error if a step cannot be checked. Does not communicate. The arguments must outlive it.
  ProgramChecks(const ExecutorSetup& setup, const Lowered& lowered);
  /// The check of a fused task that transforms; its operation shows it the lines. Null for other tasks.
  std::shared_ptr<LinesCheck> lines(std::size_t task) const;
  /// The check of the move behind a transform in the same task. Null if there is none.
  std::shared_ptr<HostCheck> scatter(std::size_t task) const;
  /// The check of any other task, which `operation` runs.
  std::shared_ptr<HostCheck> other(std::size_t task, Operation& operation) const;
  /// The check of a program without steps, which is a copy.
  std::shared_ptr<HostCheck> copy() const;

 private:
  std::size_t bytes(const State& state) const { return state_bytes(state, setup_.precision, setup_.comm.rank()); }
  const LoweredStep* transform_of(const FusedTask& fused) const;
  bool adjacent(std::size_t task) const;
  bool source_is_added_up(std::size_t move) const;
  bool result_is_added_up(std::size_t move) const;

  const ExecutorSetup& setup_;
  const Lowered& program_;
  const std::vector<FusedTask>& fused_tasks_;
  std::vector<std::shared_ptr<MoveSums>> moves_;     ///< one a task; null if it does not begin with a reshape
  std::vector<std::shared_ptr<MoveSums>> scatters_;  ///< of the reshape behind the transform of a task; else null
};

}  // namespace shardfft
