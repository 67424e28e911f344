#pragma once
// Ranks that wait for each other in vain learn it here.
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

/// A call of a plan, in which a rank waits for the others.
struct CallId {
  std::int64_t plan = 0;
  std::int64_t number = 0;  ///< of the call, from 1
};

/// Shared by the plans that were made with one communicator of the user's. Ranks that wait long ask the others for
/// their calls; ranks that wait answer. Two ranks wait in vain if they are at calls of different plans and neither can
/// come to the other's. A rank that gives up tells all, and later calls are refused: its own at once, those of others
/// when they look.
class StallDetector {
 public:
  using Clock = std::chrono::steady_clock;

  /// The detector of the plans made with `users`; the first call makes it. Collective.
  static std::shared_ptr<StallDetector> of(MPI_Comm users);
  StallDetector(const StallDetector&) = delete;
  StallDetector& operator=(const StallDetector&) = delete;

  /// A number for a plan called `name`, the same on all ranks that make their plans in the same order.
  std::int64_t admit(const std::string& name);
  void leave(std::int64_t plan);

  /// Throws the failure for which a rank gave up.
  void refuse_if_closed() const;
  /// The same for the detector of `users`, if it exists.
  static void refuse_if_closed(MPI_Comm users);
  /// This rank comes to `call_id`, and stays until all others have come.
  void come(const CallId& call_id);
  /// To be called again and again by a rank that has waited since `since`: returns why waiting is in vain, if that is
  /// certain.
  std::optional<Failure> look(const CallId& call_id, Clock::time_point since);
  /// The same in the middle of the call of `call_id`, to which all ranks have come: only whether any rank gave up.
  std::optional<Failure> listen(const CallId& call_id);
  /// "ranks 1, 3": those that did not answer with the same place.
  std::string missing(const CallId& call_id) const;
  /// Tells all ranks, and refuses later calls.
  void close(const Failure& why);

 private:
  struct Note;
  struct Letter;

  explicit StallDetector(const Communicator& comm);
  bool comes_alone(Clock::time_point since) const;
  void ask_next(const CallId& call_id);
  void send(int rank, const Note& note);
  void answer(int rank, const Note& question, const CallId& call_id, bool alone);
  std::optional<Failure> read_letters(const CallId& call_id, std::optional<Clock::time_point> since);
  std::optional<Failure> hear(int rank, const Note& answer, const CallId& call_id, Clock::time_point since);
  void close_with(const Failure& why);
  std::int64_t calls_of(std::int64_t plan) const;
  std::string text_of(const CallId& call_id) const;

  Communicator comm_;
  bool many_threads_may_call_;
  mutable std::mutex mutex_;
  std::int64_t plans_ = 0;
  std::map<std::int64_t, std::string> names_;
  std::map<std::int64_t, std::int64_t> calls_;  ///< of each plan that this rank has come to
  std::thread::id thread_;                      ///< the first thread that came
  bool several_threads_ = false;
  std::list<std::unique_ptr<Letter>> letters_;  ///< sent, perhaps not yet received
  std::vector<bool> asked_;                     ///< by rank: a question is not answered yet
  std::vector<CallId> seen_;                    ///< by rank: its place in its last answer
  int next_ = 0;                                ///< the rank to ask next
  Clock::time_point asked_at_;
  Failure closed_;
};

}  // namespace shardfft
