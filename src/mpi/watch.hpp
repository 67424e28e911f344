#pragma once
// Waiting in the middle of a call, during which another rank may fail.
#include <memory>
#include <set>

#include "mpi/patience.hpp"
#include "mpi/stall_detector.hpp"

namespace shardfft {

class RequestSet;

/// A waiting rank of one plan looks at it: whether any rank gave up, and whether it has waited for too long itself. One
/// thread at a time.
class Watch {
 public:
  /// `timeout`: seconds that one wait may take, 0 for ever.
  Watch(std::shared_ptr<StallDetector> detector, double timeout) : detector_(std::move(detector)), timeout_(timeout) {}
  /// From now on this rank is in the middle of `call` ("forward (call 3)"), at the place `call_id`.
  void begin(const CallId& call_id, const char* call) {
    call_id_ = call_id;
    call_ = call;
  }
  /// To be called while waiting. Throws the failure of another rank that gave up, or Error(timed_out); returns at once
  /// if the last look was just now.
  void look(Patience& patience);
  /// Waits some seconds for the failure of another rank that is known to have failed, and throws it.
  [[noreturn]] void await_news();
  /// The plan ends: nothing takes too long any more.
  void wait_for_ever() { timeout_ = 0; }
  /// The call was given up on this rank: receives of the plan's exchanges are cancelled and sends let go.
  void withdraw_messages() noexcept;

  void add(RequestSet* requests) { requests_.insert(requests); }
  void remove(RequestSet* requests) { requests_.erase(requests); }

 private:
  std::shared_ptr<StallDetector> detector_;
  double timeout_;
  CallId call_id_;
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
