#include "mpi/shared_meeting.hpp"

namespace shardfft {

SharedMeeting::SharedMeeting(const Communicator& host)
    : desks_(host, std::make_shared<HostWindow>(host, SharedDesks<Words>::bytes_each)) {}

void SharedMeeting::begin(const Words& mine) {
  known_ = mine;
  heard_ = 0;
  desks_.lay_down(mine);
}

bool SharedMeeting::done() {
  for (; heard_ < desks_.ranks(); ++heard_) {
    const Words* const words = desks_.of(heard_);
    if (words == nullptr) return false;
    hear(*words);
  }
  return true;
}

}  // namespace shardfft
