#pragma once
// Meetings by messages.
#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/meeting.hpp"

namespace shardfft {

/// In round k each rank tells the one 2^k behind it all that it has heard so far: after log2(ranks) rounds everybody
/// has heard from everybody (the dissemination barrier of Hensgen, Finkel and Manber 1988; a minimum does not mind
/// being told twice). The messages are set up once; nothing is allocated or freed in a meeting.
class MessageMeeting : public Meeting {
 public:
  /// The kind of meeting; each has messages of its own, with tags from 512 to 1023.
  enum class Kind { calls, phases };

  /// No communication.
  MessageMeeting(const Communicator& comm, Kind kind);
  MessageMeeting(const MessageMeeting&) = delete;
  MessageMeeting& operator=(const MessageMeeting&) = delete;
  /// Not to be destroyed in the middle of a meeting: a rank that leaves one keeps the object as long as MPI may write
  /// into it.
  ~MessageMeeting() override;

  void begin(const Words& mine) override;
  bool done() override;

 private:
  struct Round {
    Words told{}, heard{};
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  };
  void start_round();

  Communicator comm_;
  std::vector<Round> rounds_;
  std::size_t round_ = 0;
};

}  // namespace shardfft
