#pragma once
// Meetings of ranks that share memory: each writes its numbers, and reads those of all others.
#include <atomic>

#include "mpi/host_window.hpp"
#include "mpi/meeting.hpp"

namespace shardfft {

/// Two desks a rank, for meetings in turn: who begins the next but one knows that all have left this one.
class SharedMeeting : public Meeting {
 public:
  /// Collective; throws Error on all ranks where they cannot share memory.
  explicit SharedMeeting(const Communicator& host);

  void begin(const Words& mine) override;
  bool done() override;

 private:
  struct alignas(64) Desk {
    std::atomic<std::uint64_t> turn;
    Words words;
  };
  Desk& desk(int rank) const { return reinterpret_cast<Desk*>(window_.segment(rank))[turn_ % 2]; }

  int rank_;
  int ranks_;
  HostWindow window_;
  std::uint64_t turn_ = 0;
  int heard_ = 0;  ///< ranks whose words are known
};

}  // namespace shardfft
