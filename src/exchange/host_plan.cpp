#include "exchange/host_plan.hpp"

#include <algorithm>

namespace shardfft {

namespace {

/// Elements to or from each rank on another host; 0 for ranks of this host.
std::vector<std::int64_t> far_counts(const std::vector<Message>& messages, const HostPlan& plan) {
  std::vector<std::int64_t> counts(plan.leader_of.size(), 0);
  for (const Message& m : messages) {
    const auto peer = static_cast<std::size_t>(m.peer);
    if (plan.leader_of[peer] != plan.leader) counts[peer] = m.count;
  }
  return counts;
}

/// The rows of all members of the host, one behind the other, on its leader (rank 0 of `host`); empty on other members.
std::vector<std::int64_t> gather_rows(const Communicator& host, const std::vector<std::int64_t>& row) {
  const std::size_t total = host.rank() == 0 ? row.size() * static_cast<std::size_t>(host.size()) : 0;
  std::vector<std::int64_t> rows(host.imagined() ? row.size() * static_cast<std::size_t>(host.size()) : total);
  const int length = narrow(static_cast<std::int64_t>(row.size()), "ranks");
  if (host.imagined())
    host.gather(row.data(), rows.data(), row.size() * sizeof(std::int64_t));
  else
    check_mpi(MPI_Gather(row.data(), length, MPI_INT64_T, rows.data(), length, MPI_INT64_T, 0, host.get()),
              "MPI_Gather");
  return rows;
}

/// All pairs of a member and a remote rank, in the order of the buffer.
std::vector<Parcel> sorted_pairs(const HostPlan& plan, bool members_first) {
  std::vector<Parcel> pairs;
  for (int remote = 0; remote < static_cast<int>(plan.leader_of.size()); ++remote)
    if (plan.leader_of[static_cast<std::size_t>(remote)] != plan.leader)
      for (const int member : plan.members) pairs.push_back({member, remote, 0, 0});
  std::sort(pairs.begin(), pairs.end(), [&](const Parcel& a, const Parcel& b) {
    const int host_a = plan.leader_of[static_cast<std::size_t>(a.remote)];
    const int host_b = plan.leader_of[static_cast<std::size_t>(b.remote)];
    if (host_a != host_b) return host_a < host_b;
    if (members_first) return std::pair(a.member, a.remote) < std::pair(b.member, b.remote);
    return std::pair(a.remote, a.member) < std::pair(b.remote, b.member);
  });
  return pairs;
}

LeaderBuffer lay_out(const HostPlan& plan, const std::vector<std::int64_t>& rows, bool members_first) {
  LeaderBuffer buffer;
  for (Parcel parcel : sorted_pairs(plan, members_first)) {
    const auto member = static_cast<std::size_t>(
        std::lower_bound(plan.members.begin(), plan.members.end(), parcel.member) - plan.members.begin());
    const auto remote = static_cast<std::size_t>(parcel.remote);
    parcel.count = rows[member * plan.leader_of.size() + remote];
    if (parcel.count == 0) continue;
    parcel.offset = buffer.count;
    buffer.parcels.push_back(parcel);
    if (buffer.runs.empty() || buffer.runs.back().leader != plan.leader_of[remote])
      buffer.runs.push_back({plan.leader_of[remote], buffer.count, 0});
    buffer.runs.back().count += parcel.count;
    buffer.count += parcel.count;
  }
  return buffer;
}

}  // namespace

HostPlan plan_hosts(const ExchangeSetup& setup) {
  HostPlan plan;
  const Hosts hosts = find_hosts(setup);
  plan.leader_of = hosts.leader_of;
  plan.leader = plan.leader_of[static_cast<std::size_t>(setup.comm.rank())];
  plan.leads = plan.leader == setup.comm.rank();
  for (int r = 0; r < setup.comm.size(); ++r)
    if (plan.leader_of[static_cast<std::size_t>(r)] == plan.leader) plan.members.push_back(r);
  const auto sent = gather_rows(hosts.own, far_counts(setup.schedule.send, plan));
  const auto received = gather_rows(hosts.own, far_counts(setup.schedule.recv, plan));
  if (plan.leads) {
    plan.outbound = lay_out(plan, sent, true);
    plan.inbound = lay_out(plan, received, false);
  }
  return plan;
}

}  // namespace shardfft
