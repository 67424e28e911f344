#pragma once
// What the ranks agree on before a collective call of a plan begins.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "mpi/waiting_room.hpp"

namespace shardfft {

/// What ranks ask of a plan together.
enum class Call { forward, backward, report, allocate_input, allocate_output };

/// Ranks that make different calls, and ranks whose arguments are wrong, are found before anything moves: every rank
/// throws, none waits for another. One small all-reduce a call, and a barrier where there is a timeout.
class CallCheck {
 public:
  /// `comm`: the plan's own; `users`: what it was made with; `name`: the plan in messages; `timeout`: seconds that a
  /// rank waits for the others to make the same call, 0 for ever. Collective.
  CallCheck(const Communicator& comm, MPI_Comm users, const std::string& name, double timeout);
  CallCheck(const CallCheck&) = delete;
  CallCheck& operator=(const CallCheck&) = delete;
  ~CallCheck() { room_->leave(plan_); }

  /// Runs `check` of this rank's arguments, which must not communicate. If it throws on any rank, all throw that
  /// error; if not all ranks make `call` as their plan's call of the same number, all throw Error(mismatch), which
  /// says who called what. The plan can be used afterwards.
  /// If some ranks call another plan or nothing at all, those that wait give up: Error(mismatch) as soon as that is
  /// certain, Error(timed_out) after the timeout. Then all plans of the user's communicator refuse all calls.
  void enter(
      Call call, const std::function<void()>& check = [] {});
  /// This rank failed in the middle of a call, where others may wait for it: the plans refuse from now on.
  void give_up(const Failure& why) { room_->close(why); }
  /// Whether anybody gave up, as far as this rank knows.
  bool given_up() const;

 private:
  using Words = std::array<std::int64_t, 3>;
  struct Meeting;

  std::int64_t word(Call call) const;
  Words meet(Call call, const Words& words);
  void wait(std::shared_ptr<Meeting> meeting, Call call, bool all_have_come);
  [[noreturn]] void fail_mismatch(std::int64_t mine);

  Communicator comm_;
  std::shared_ptr<WaitingRoom> room_;
  std::int64_t plan_;
  double timeout_;
  std::int64_t number_ = 0;  ///< of calls so far
};

}  // namespace shardfft
