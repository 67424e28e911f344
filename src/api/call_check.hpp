#pragma once
// What the ranks agree on before a collective call of a plan begins.
#include <cstdint>
#include <functional>

#include "mpi/communicator.hpp"

namespace shardfft {

/// What ranks ask of a plan together.
enum class Call { forward, backward, report, allocate_input, allocate_output };

/// Ranks that make different calls, and ranks whose arguments are wrong, are found before anything moves: every rank
/// throws, none waits for another. One small all-reduce a call.
class CallCheck {
 public:
  /// Without `wanted` ranks check their own arguments only.
  CallCheck(const Communicator& comm, bool wanted) : comm_(comm), wanted_(wanted) {}

  /// Runs `check` of this rank's arguments, which must not communicate. If it throws on any rank, all throw that
  /// error; if not all ranks make `call` as their plan's call of the same number, all throw Error(mismatch), which
  /// says who called what. The plan can be used afterwards.
  void enter(
      Call call, const std::function<void()>& check = [] {});

 private:
  /// What a rank calls, as a number.
  std::int64_t word(Call call) const;
  [[noreturn]] void fail_mismatch(std::int64_t mine);

  Communicator comm_;
  bool wanted_;
  std::int64_t number_ = 0;  ///< of calls so far
};

}  // namespace shardfft
