#pragma once
// Meetings of ranks that share memory: each lays down its numbers, and reads those of all others.
#include "mpi/meeting.hpp"
#include "mpi/shared_desks.hpp"

namespace shardfft {

class SharedMeeting : public Meeting {
 public:
  /// Collective; throws Error on all ranks if they cannot share memory.
  explicit SharedMeeting(HostMemory& host) : desks_(host) {}

  void begin(const Words& mine) override;
  bool done() override;

 private:
  SharedDesks<Words> desks_;
  int heard_ = 0;  ///< ranks whose words are known
};

}  // namespace shardfft
