#include "exchange/hosts.hpp"

namespace shardfft {

Hosts find_hosts(const ExchangeSetup& setup) {
  const int fake = setup.fake_ranks_per_host;
  const Communicator own =
      setup.groups != nullptr ? setup.groups->host_of(setup.comm, fake) : setup.comm.split_host(fake);
  const std::vector<std::int64_t> leaders = setup.comm.all_gather(own.ranks_in(setup.comm).front());
  return {own, {leaders.begin(), leaders.end()}};
}

}  // namespace shardfft
