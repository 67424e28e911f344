#pragma once
// Communicators of groups of ranks, one for each group even if it is wanted several times: the number of communicators
// in an MPI library is limited (in MPICH to about two thousand).
#include <map>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

class Groups {
 public:
  /// Members of a group, ascending, this rank among them.
  using Members = std::vector<int>;
  /// of() is asked for these groups of this rank. The groups of all ranks at one place of `wanted` share no rank. Those
  /// at two places may be the same on this rank alone: `as`, by place, is the first place with the same groups on all
  /// ranks; none: each place is the first. Collective over all.
  explicit Groups(Communicator all, const std::vector<Members>& wanted = {}, const std::vector<std::size_t>& as = {});
  /// The whole is the communicator of all itself.
  Communicator of(const Members& members) const {
    return static_cast<int>(members.size()) == all_.size() ? all_ : known_.at(members);
  }
  /// The members of `group`, a communicator from here, on this rank's host. Collective over the group.
  Communicator host_of(const Communicator& group, int fake_ranks_per_host);

 private:
  Communicator all_;
  std::map<Members, Communicator> known_;
  std::map<MPI_Comm, Communicator> hosts_;
};

}  // namespace shardfft
