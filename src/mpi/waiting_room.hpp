#pragma once
// How ranks that wait for each other in vain come to know it.
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

/// Where a rank stands while it waits for the others: a call of a plan.
struct Stand {
  std::int64_t plan = 0;
  std::int64_t number = 0;  ///< of the call, from 1
};

/// Shared by the plans that were made with one communicator of the user's. Ranks that wait long ask the others where
/// they stand; who waits answers. Two ranks that stand at calls of different plans, and neither can come to the
/// other's, wait in vain. Who gives up tells all, and the room is closed: for this rank at once, for others when they
/// look.
class WaitingRoom {
 public:
  using Clock = std::chrono::steady_clock;

  /// The room of the plans made with `users`; the first call makes it. Collective.
  static std::shared_ptr<WaitingRoom> of(MPI_Comm users);
  WaitingRoom(const WaitingRoom&) = delete;
  WaitingRoom& operator=(const WaitingRoom&) = delete;

  /// A number for a plan called `name`, the same on all ranks that make their plans in the same order.
  std::int64_t admit(const std::string& name);
  void leave(std::int64_t plan);

  /// Throws what the room was closed with.
  void refuse_if_closed() const;
  /// The same of the room of `users`, where there is one.
  static void refuse_if_closed(MPI_Comm users);
  /// This rank comes to `stand`, and stays until all others have come.
  void come(const Stand& stand);
  /// To be called again and again by who has waited since `since`: why waiting is in vain, if that is certain.
  std::optional<Failure> look(const Stand& stand, Clock::time_point since);
  /// The same in the middle of the call of `stand`, where all ranks have come: only whether anybody gave up.
  std::optional<Failure> listen(const Stand& stand);
  /// "ranks 1, 3": those that did not answer that they stand there too.
  std::string missing(const Stand& stand) const;
  /// Tells all ranks, and refuses what comes later.
  void close(const Failure& why);

 private:
  struct Note;
  struct Letter;

  explicit WaitingRoom(const Communicator& comm);
  bool comes_alone(Clock::time_point since) const;
  void ask_next(const Stand& stand);
  void send(int rank, const Note& note);
  void answer(int rank, const Note& question, const Stand& stand, bool alone);
  std::optional<Failure> read_letters(const Stand& stand, std::optional<Clock::time_point> since);
  std::optional<Failure> hear(int rank, const Note& answer, const Stand& stand, Clock::time_point since);
  void close_with(const Failure& why);
  std::int64_t calls_of(std::int64_t plan) const;
  std::string text_of(const Stand& stand) const;

  Communicator comm_;
  bool many_threads_may_call_;
  mutable std::mutex mutex_;
  std::int64_t plans_ = 0;
  std::map<std::int64_t, std::string> names_;
  std::map<std::int64_t, std::int64_t> calls_;  ///< of each plan that this rank has come to
  std::thread::id thread_;                      ///< the first that came
  bool several_threads_ = false;
  std::list<std::unique_ptr<Letter>> letters_;  ///< sent, perhaps not yet received
  std::vector<bool> asked_;                     ///< by rank: a question is not answered yet
  std::vector<Stand> seen_;                     ///< by rank: where it last said to stand
  int next_ = 0;                                ///< the rank to ask next
  Clock::time_point asked_at_;
  Failure closed_;
};

}  // namespace shardfft
