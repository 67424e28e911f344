#pragma once
// Waiting in the middle of a call, where a rank that is waited for may have failed.
#include <memory>
#include <set>

#include "mpi/patience.hpp"
#include "mpi/waiting_room.hpp"

namespace shardfft {

class RequestSet;

/// What a waiting rank of one plan looks at: whether any rank gave up, and whether it has waited for too long itself.
/// One thread at a time.
class Watch {
 public:
  /// `timeout`: seconds that one wait may take, 0 for ever.
  Watch(std::shared_ptr<WaitingRoom> room, double timeout) : room_(std::move(room)), timeout_(timeout) {}
  /// From now on this rank is in the middle of `call` ("forward (call 3)"), which it came to at `stand`.
  void begin(const Stand& stand, const char* call) {
    stand_ = stand;
    call_ = call;
  }
  /// Of who waits. Throws what another rank gave up with, or Error(timed_out); does little where the last look was just
  /// now.
  void look(Patience& patience);
  /// Waits for the words of another rank that is known to have failed, for some seconds.
  [[noreturn]] void await_news();
  /// The plan ends: nothing takes too long any more.
  void wait_for_ever() { timeout_ = 0; }
  /// The call was given up on this rank: receives of the plan's exchanges are cancelled and sends let go.
  void withdraw_messages() noexcept;

  void add(RequestSet* requests) { requests_.insert(requests); }
  void remove(RequestSet* requests) { requests_.erase(requests); }

 private:
  std::shared_ptr<WaitingRoom> room_;
  double timeout_;
  Stand stand_;
  const char* call_ = "planning";
  Patience::Clock::time_point looked_{};
  std::set<RequestSet*> requests_;  ///< of the plan
};

/// Waits until `ready()`; without a watch for ever.
template <class Ready>
void wait_until(Watch* watch, Ready ready) {
  if (ready()) return;
  for (Patience patience; !ready(); patience.rest())
    if (watch != nullptr) watch->look(patience);
}

}  // namespace shardfft
