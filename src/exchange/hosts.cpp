#include "exchange/hosts.hpp"

namespace shardfft {

std::vector<int> leaders_by_rank(const ExchangeSetup& setup) {
  const Communicator host = setup.comm.split_host(setup.fake_ranks_per_host);
  const std::vector<std::int64_t> leaders = setup.comm.all_gather(host.ranks_in(setup.comm).front());
  return {leaders.begin(), leaders.end()};
}

}  // namespace shardfft
