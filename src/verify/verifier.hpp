#pragma once
// The checks of one program (option verify), and how ranks compare them at the end of a run.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mpi/all_reduce.hpp"
#include "mpi/request.hpp"
#include "verify/step_check.hpp"

namespace shardfft {

class Verifier {
 public:
  /// Judges the checks of one rank: those of each task, in the order in which the tasks run. `names`: the tasks' names,
  /// for messages.
  Verifier(int rank, int ranks, std::vector<std::vector<std::shared_ptr<StepCheck>>> checks,
           std::vector<std::string> names);
  /// A run begins. `input`: the bits of the caller's array, if the first task reads a copy of it.
  void begin(std::optional<std::uint64_t> input);
  /// Whether the bits that the next task reads will be compared.
  bool compares_bits() const { return written_.has_value(); }
  /// Task `i` has run, after those before it, and its checks know their sums.
  void judge(std::size_t i);
  /// The first thing that any rank found, with Status::corrupted. Collective; throws if the ranks cannot tell each
  /// other.
  Failure conclude(const Communicator& comm, AllReduce& all_reduce, Watch* watch);
  /// Judges the last run if all ranks are in this process.
  static Failure conclude(std::span<Verifier> ranks);

  /// Forgets all runs so far, as if nothing had run.
  void forget_runs() {
    checks_ = 0;
    largest_residual_ = 0;
  }

  std::int64_t checks() const { return checks_; }
  double largest_residual() const { return largest_residual_; }
  std::size_t table_bytes() const;

 private:
  void find(std::size_t i, const std::string& what);
  /// The place of the first error: the earlier step first, then the lower rank. Beyond all places if there is none.
  std::int64_t place_of_error() const;
  std::int64_t beyond_all() const;
  Failure failure() const;
  Failure first_failure(const Communicator& comm, Watch* watch);
  /// Adds up to 0 over the ranks if each received the data that others sent it.
  std::uint64_t imbalance() const;
  /// The sums of the data that this rank sent, by rank and then by reshape; and those that others say they sent it.
  std::vector<std::uint64_t> sent() const;
  void compare(const std::vector<std::uint64_t>& heard);

  int rank_, ranks_;
  /// A check that compares with other ranks.
  struct Move {
    std::size_t task;
    const StepCheck* check;
  };
  std::vector<std::vector<std::shared_ptr<StepCheck>>> checks_of_;
  std::vector<std::string> names_;
  std::vector<Move> moves_;
  std::optional<std::uint64_t> written_;  ///< the bits that the next task must find
  std::int64_t checks_ = 0;
  double largest_residual_ = 0;
  std::size_t first_ = 0;  ///< the first task in which this rank found an error
  std::string error_;      ///< empty: none
};

}  // namespace shardfft
