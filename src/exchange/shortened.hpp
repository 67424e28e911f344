#pragma once
// Any exchange of messages with short numbers in them.
#include "exchange/exchange.hpp"

namespace shardfft {

/// Packs all messages as setup.numbers says, passes `make` a schedule of runs of bytes, and unpacks the received runs.
std::unique_ptr<Exchange> make_shortened(const ExchangeFactory& make, const ExchangeSetup& setup);

/// A setup whose messages are runs of units of 16 bytes of one array, in place of the elements of `setup`. Each begins
/// on a cache line. The counts of the schedule are those of that array.
ExchangeSetup setup_of_runs(const ExchangeSetup& setup);

/// Bytes of a message of `elements` elements.
std::int64_t message_bytes(const ExchangeSetup& setup, std::int64_t elements);

}  // namespace shardfft
