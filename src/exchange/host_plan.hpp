#pragma once
// The buffers through which hosts exchange by their leaders; computed once, while planning.
#include "exchange/hosts.hpp"

namespace shardfft {

/// Elements between one member of this host and one rank of another host.
struct Parcel {
  int member;  ///< rank on this host
  int remote;  ///< rank on the other host
  std::int64_t offset;
  std::int64_t count;
};

/// A leader's buffer for one direction: one run for each other host, made of parcels.
struct LeaderBuffer {
  struct Run {
    int leader;
    std::int64_t offset;
    std::int64_t count;
  };
  std::vector<Parcel> parcels;
  std::vector<Run> runs;
  std::int64_t count = 0;
};

/// The data that crosses the border of this host. Members that do not lead have empty buffers.
struct HostPlan {
  int leader = 0;
  bool leads = false;
  std::vector<int> leader_of;  ///< leader of every rank
  std::vector<int> members;    ///< ranks of this host, ascending
  LeaderBuffer outbound;  ///< parcels by (host, member, remote): the receiving leader reads this as (remote, member)
  LeaderBuffer inbound;   ///< parcels by (host, remote, member)
};

/// Collective over setup.comm: every member sends its leader its counts to and from other hosts.
HostPlan plan_hosts(const ExchangeSetup& setup);

}  // namespace shardfft
