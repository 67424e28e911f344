#pragma once
// The members of an exchange that share a host.
#include <vector>

#include "exchange/exchange.hpp"

namespace shardfft {

struct Hosts {
  Communicator own;            ///< the members of this host; the leader is rank 0
  std::vector<int> leader_of;  ///< for every member of the exchange, the lowest member of its host
};

/// Collective over setup.comm.
Hosts find_hosts(const ExchangeSetup& setup);

}  // namespace shardfft
