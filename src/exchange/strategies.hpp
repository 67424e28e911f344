#pragma once
// The strategies of this folder, one file each; docs/exchanges.md describes them and the cases in which they win.
#include "exchange/exchange.hpp"

namespace shardfft {

std::unique_ptr<Exchange> make_alltoall(const ExchangeSetup& setup);
std::unique_ptr<Exchange> make_alltoallv(const ExchangeSetup& setup);
std::unique_ptr<Exchange> make_alltoallw(const ExchangeSetup& setup);
std::unique_ptr<Exchange> make_hierarchical(const ExchangeSetup& setup);
std::unique_ptr<Exchange> make_p2p(const ExchangeSetup& setup);
std::unique_ptr<Exchange> make_p2p_alltoall(const ExchangeSetup& setup);
std::unique_ptr<Exchange> make_p2p_pipelined(const ExchangeSetup& setup);
std::unique_ptr<Exchange> make_pairwise_xor(const ExchangeSetup& setup);
std::unique_ptr<Exchange> make_ring(const ExchangeSetup& setup);

}  // namespace shardfft
