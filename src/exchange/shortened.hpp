#pragma once
// Any exchange of messages with short numbers in them.
#include "exchange/exchange.hpp"

namespace shardfft {

/// Packs all messages as setup.numbers says, hands `make` a schedule of runs of bytes, and unpacks what came.
std::unique_ptr<Exchange> make_shortened(const ExchangeFactory& make, const ExchangeSetup& setup);

/// A setup whose messages are runs of units of 16 bytes in one array, where `setup` has elements. Each begins on a
/// cache line. The counts of the schedule are those of that array.
ExchangeSetup setup_of_runs(const ExchangeSetup& setup);

/// What a message of `elements` takes on its way.
std::int64_t message_bytes(const ExchangeSetup& setup, std::int64_t elements);

}  // namespace shardfft
