#pragma once
// Agreement of the ranks before a collective call of a plan begins.
#include <cstdint>
#include <memory>
#include <string>

#include "mpi/host_window.hpp"
#include "mpi/meeting.hpp"
#include "mpi/watch.hpp"

namespace shardfft {

/// The collective calls of a plan.
enum class Call {
  forward,
  backward,
  report,
  allocate_input,
  allocate_output,
  apply,
  convolution,
  update,
  add_back,
  adjoint
};

struct CallCheckSetup {
  Communicator comm;   ///< the plan's own
  MPI_Comm users;      ///< the communicator that the plan was made with
  std::string name;    ///< the plan in messages
  double timeout = 0;  ///< seconds that a rank waits for others, at the beginning of a call or in it; 0 for ever
  bool meets = true;   ///< whether ranks meet at the beginning of every call
};

/// Finds ranks that make different calls, and ranks whose arguments are wrong, before anything moves: every rank
/// throws, none waits for another. That takes one small meeting a call, and a second one if there is a timeout; it is
/// in shared memory if all ranks are on one host.
class CallCheck {
 public:
  /// Ranks meet in memory of `host` if all of them share it; it may be null. Collective.
  CallCheck(CallCheckSetup setup, HostMemory* host);
  CallCheck(const CallCheck&) = delete;
  CallCheck& operator=(const CallCheck&) = delete;
  ~CallCheck() { detector_->leave(plan_); }

  /// `mine`: the error of this rank's arguments, if any. If any rank has one, all throw it; if not all ranks make
  /// `call` as their plan's call of the same number, all throw Error(mismatch), which names each rank's call. The plan
  /// can be used afterwards. If some ranks call another plan or nothing at all, those that wait give up:
  /// Error(mismatch) as soon as that is certain, Error(timed_out) after the timeout. Then all plans of the user's
  /// communicator refuse all calls. Without meetings, unless the ranks make something together then (`makes`, the same
  /// on all), throws only this rank's own failure, or the one that gave up an earlier call. `given`: a number that is
  /// the same on ranks that give the call the same operator; Error(mismatch) on all unless all have the same.
  void enter(Call call, const Failure& mine = {}, bool makes = false, std::uint64_t given = 0);
  /// This rank failed in the middle of a call, and others may wait for it: they throw the error that is returned, which
  /// is `why` with the rank in its text, and the plans refuse from now on.
  Failure give_up(Failure why);
  /// Whether any rank gave up, as far as this one knows.
  bool given_up() const;
  /// Ranks that wait in the middle of a call look at it.
  Watch& watch() { return watch_; }

 private:
  std::int64_t word(Call call) const;
  Meeting::Words meet(Call call, const Meeting::Words& words);
  void wait(Call call, bool all_have_come);
  [[noreturn]] void fail_mismatch(std::int64_t mine);

  CallCheckSetup setup_;
  std::shared_ptr<StallDetector> detector_;
  std::int64_t plan_;
  std::shared_ptr<Meeting> meeting_;
  Watch watch_;
  std::int64_t number_ = 0;  ///< of calls so far
};

}  // namespace shardfft
