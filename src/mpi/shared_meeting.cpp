#include "mpi/shared_meeting.hpp"

namespace shardfft {

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
