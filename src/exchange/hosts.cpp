#include "exchange/hosts.hpp"

namespace shardfft {

Hosts find_hosts(const ExchangeSetup& setup) {
  const Communicator own = setup.comm.split_host(setup.fake_ranks_per_host);
  const std::vector<std::int64_t> leaders = setup.comm.all_gather(own.ranks_in(setup.comm).front());
  return {own, {leaders.begin(), leaders.end()}};
}

}  // namespace shardfft
