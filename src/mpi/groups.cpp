#include "mpi/groups.hpp"

#include <algorithm>

namespace shardfft {

Groups::Groups(Communicator all, const std::vector<std::vector<int>>& wanted) : all_(std::move(all)) {
  std::vector<std::vector<int>> groups;
  std::vector<std::uint64_t> same;  // the first one that is the same on this rank
  for (const std::vector<int>& group : wanted) {
    if (static_cast<int>(group.size()) == all_.size()) continue;
    same.push_back(static_cast<std::uint64_t>(std::find(groups.begin(), groups.end(), group) - groups.begin()));
    groups.push_back(group);
  }
  if (groups.empty()) return;
  const auto [least, most] = all_.extremes(same);
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (least[i] != most[i] || most[i] == i) known_.try_emplace(groups[i], all_.part(groups[i]));
}

Communicator Groups::host_of(const Communicator& group, int fake_ranks_per_host) {
  if (group.imagined()) return group.split_host(fake_ranks_per_host);  // all have the same handle: none
  Communicator& host = hosts_[group.get()];
  if (!host.valid()) host = group.split_host(fake_ranks_per_host);
  return host;
}

}  // namespace shardfft
