#pragma once
// The checks of one program (option verify), and what the ranks say of them at the end of a run.
#include <memory>
#include <optional>
#include <vector>

#include "exec/step_check.hpp"
#include "mpi/request.hpp"

namespace shardfft {

class Verifier {
 public:
  /// Checks of all tasks, in the order in which they run; `names` of the tasks for messages.
  Verifier(const Communicator& comm, Watch* watch, std::vector<std::unique_ptr<StepCheck>> checks,
           std::vector<std::string> names);
  /// A run begins. `input`: the bits of the caller's array, where the first task reads a copy of it.
  void begin(std::optional<std::uint64_t> input);
  /// Around task `i`.
  void before(std::size_t i, const std::byte* in);
  void after(std::size_t i, const std::byte* out);
  /// The first thing that any rank found, with Status::corrupted. Collective; throws where the ranks cannot tell each
  /// other.
  Failure conclude();

  std::int64_t checks() const { return checks_; }
  double largest_residual() const { return largest_residual_; }
  std::size_t table_bytes() const;

 private:
  void find(std::size_t i, const std::string& what);
  void compare_moves();
  std::int64_t least(std::int64_t mine);

  Communicator comm_;
  Watch* watch_;
  std::vector<std::unique_ptr<StepCheck>> checks_of_;
  std::vector<std::string> names_;
  std::optional<std::uint64_t> written_;  ///< the bits that the next task must find
  std::int64_t checks_ = 0;
  double largest_residual_ = 0;
  std::size_t first_ = 0;  ///< the first task in which this rank found an error
  std::string error_;      ///< empty: none
};

}  // namespace shardfft
