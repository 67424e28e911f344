#pragma once
// Communicators of groups of ranks, one for each group even if it is wanted several times: the number of communicators
// in an MPI library is limited (in MPICH to about two thousand).
#include <map>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

class Groups {
 public:
  /// `wanted`: of() is asked for these groups of this rank, each a list of ascending ranks; the groups at one place of
  /// all ranks' lists share no rank. Collective over all.
  explicit Groups(Communicator all, const std::vector<std::vector<int>>& wanted = {});
  /// The whole is the communicator of all itself.
  Communicator of(const std::vector<int>& members) const {
    return static_cast<int>(members.size()) == all_.size() ? all_ : known_.at(members);
  }
  /// The members of `group`, a communicator from here, on this rank's host. Collective over the group.
  Communicator host_of(const Communicator& group, int fake_ranks_per_host);

 private:
  Communicator all_;
  std::map<std::vector<int>, Communicator> known_;
  std::map<MPI_Comm, Communicator> hosts_;
};

}  // namespace shardfft
