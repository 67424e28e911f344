#pragma once
// Which members of an exchange share a host.
#include <vector>

#include "exchange/exchange.hpp"

namespace shardfft {

/// For every member the lowest member of its host: its leader. Collective over setup.comm.
std::vector<int> leaders_by_rank(const ExchangeSetup& setup);

}  // namespace shardfft
