#include "mpi/groups.hpp"

namespace shardfft {

Groups::Groups(Communicator all, const std::vector<Members>& wanted, const std::vector<std::size_t>& as)
    : all_(std::move(all)) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_first = as.empty() || as[i] == i;
    if (is_first && static_cast<int>(wanted[i].size()) < all_.size())
      known_.try_emplace(wanted[i], all_.part(wanted[i]));
  }
}

Communicator Groups::host_of(const Communicator& group, int fake_ranks_per_host) {
  if (group.imagined()) return group.split_host(fake_ranks_per_host);  // all have the same handle: none
  Communicator& host = hosts_[group.get()];
  if (!host.valid()) host = group.split_host(fake_ranks_per_host);
  return host;
}

}  // namespace shardfft
