#include "exchange/hosts.hpp"

namespace shardfft {

Hosts find_hosts(const ExchangeSetup& setup) {
  const int fake = setup.fake_ranks_per_host;
  return {setup.groups != nullptr ? setup.groups->host_of(setup.comm, fake) : setup.comm.split_host(fake),
          setup.comm.hosts(fake)};
}

}  // namespace shardfft
