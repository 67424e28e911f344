#pragma once
// The least of a few numbers over all ranks, again and again, at the price of its messages.
#include <array>
#include <cstdint>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

/// In round k each rank tells the one 2^k behind it what it has heard so far: after log2(ranks) rounds everybody has
/// heard from everybody (the dissemination barrier of Hensgen, Finkel and Manber 1988; a minimum does not mind being
/// told twice). The messages are set up once; nothing is allocated or freed in a meeting, and who waits may do other
/// things, or leave.
class Meeting {
 public:
  using Words = std::array<std::int64_t, 3>;

  /// Who meets; each kind has messages of its own, with tags from 512 to 1023.
  enum class Kind { calls, phases };

  /// No communication.
  Meeting(const Communicator& comm, Kind kind);
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;
  /// Not in the middle of a meeting: who leaves one keeps the object for as long as MPI may write into it.
  ~Meeting();

  void begin(const Words& mine);
  /// Moves on as far as is possible without waiting; true once result() is there.
  bool done();
  /// Each number's least over the ranks.
  const Words& result() const { return known_; }

 private:
  struct Round {
    Words told{}, heard{};
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  };
  void start_round();

  Communicator comm_;
  std::vector<Round> rounds_;
  std::size_t round_ = 0;
  Words known_{};
};

}  // namespace shardfft
