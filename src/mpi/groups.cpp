#include "mpi/groups.hpp"

namespace shardfft {

Communicator Groups::of(const std::vector<int>& members) {
  if (static_cast<int>(members.size()) == all_.size()) return all_;
  const auto found = known_.find(members);
  if (all_.min(std::int64_t{found != known_.end() ? 1 : 0}) == 1) return found->second;
  // A group that is known is known to all of its members, who then drop the new communicator together.
  Communicator made = all_.split(members.front(), all_.rank());
  return known_.try_emplace(members, std::move(made)).first->second;
}

Communicator Groups::host_of(const Communicator& group, int fake_ranks_per_host) {
  Communicator& host = hosts_[group.get()];
  if (!host.valid()) host = group.split_host(fake_ranks_per_host);
  return host;
}

}  // namespace shardfft
