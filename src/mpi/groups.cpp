#include "mpi/groups.hpp"

#include <algorithm>

namespace shardfft {

void Groups::make(const std::vector<std::vector<int>>& lists) {
  are_made_ = true;
  std::vector<std::vector<int>> groups;
  std::vector<std::uint64_t> same;  // the first one that is the same on this rank
  for (const std::vector<int>& group : lists) {
    if (static_cast<int>(group.size()) == all_.size()) continue;
    same.push_back(static_cast<std::uint64_t>(std::find(groups.begin(), groups.end(), group) - groups.begin()));
    groups.push_back(group);
  }
  if (groups.empty()) return;
  const auto [least, most] = all_.extremes(same);
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (least[i] != most[i] || most[i] == i) known_.try_emplace(groups[i], all_.part(groups[i]));
}

Communicator Groups::of(const std::vector<int>& members) {
  if (static_cast<int>(members.size()) == all_.size()) return all_;
  if (are_made_) return known_.at(members);
  const auto found = known_.find(members);
  if (all_.min(std::int64_t{found != known_.end() ? 1 : 0}) == 1) return found->second;
  // A group that is known is known to all of its members, who then drop the new communicator together.
  Communicator made = all_.part(members);
  return known_.try_emplace(members, std::move(made)).first->second;
}

Communicator Groups::host_of(const Communicator& group, int fake_ranks_per_host) {
  Communicator& host = hosts_[group.get()];
  if (!host.valid()) host = group.split_host(fake_ranks_per_host);
  return host;
}

}  // namespace shardfft
