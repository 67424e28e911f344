#include "mpi/shared_meeting.hpp"

namespace shardfft {

/// Memory from the kernel is zero: nobody has begun a meeting.
SharedMeeting::SharedMeeting(const Communicator& host)
    : rank_(host.rank()), ranks_(host.size()), window_(host, 2 * sizeof(Desk)) {}

void SharedMeeting::begin(const Words& mine) {
  ++turn_;
  known_ = mine;
  heard_ = 0;
  Desk& own = desk(rank_);
  own.words = mine;
  own.turn.store(turn_, std::memory_order_release);
}

bool SharedMeeting::done() {
  for (; heard_ < ranks_; ++heard_) {
    const Desk& other = desk(heard_);
    if (other.turn.load(std::memory_order_acquire) != turn_) return false;
    hear(other.words);
  }
  return true;
}

}  // namespace shardfft
