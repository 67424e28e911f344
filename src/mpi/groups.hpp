#pragma once
// Communicators of groups of ranks, one for each group however often it is asked for: MPI libraries have only so many
// (MPICH about two thousand).
#include <map>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

class Groups {
 public:
  explicit Groups(Communicator all) : all_(std::move(all)) {}
  /// Makes the communicators of several lists of groups, of which no others are asked for then: of() has no meetings.
  /// Collective over all.
  void make(const std::vector<std::vector<int>>& lists);
  /// Of `members`, ascending ranks of all that this one is among; the whole is the communicator of all itself.
  /// Collective over all: the groups that are asked for in one call share no rank.
  Communicator of(const std::vector<int>& members);
  /// The members of `group`, a communicator from here, on this rank's host. Collective over the group.
  Communicator host_of(const Communicator& group, int fake_ranks_per_host);

 private:
  Communicator all_;
  bool are_made_ = false;
  std::map<std::vector<int>, Communicator> known_;
  std::map<MPI_Comm, Communicator> hosts_;
};

}  // namespace shardfft
