#pragma once
// Point-to-point messages of one exchange: its own tags, and runs of any length cut to MPI's counts.
#include <algorithm>

#include "exchange/exchange.hpp"
#include "mpi/datatype.hpp"
#include "mpi/request.hpp"

namespace shardfft {

/// A rank that sends and receives posts the sends first. MPI answers the announcement of a large message when the
/// receive is posted, and sends data as soon as the answer has come. If the receives were posted first, the answer to
/// our announcement would come behind the peer's data, and the link would work one way at a time (docs/exchanges.md).
class Link {
 public:
  /// Every member makes its links in the same order: both ends then draw the same tags. No communication.
  explicit Link(const ExchangeSetup& setup);

  /// Sends `count` elements; adds one request for each mpi_count_limit() of them.
  void send(const std::byte* data, std::int64_t count, int peer, RequestSet& requests) const;
  void receive(std::byte* data, std::int64_t count, int peer, RequestSet& requests) const;
  /// One message with one element of `type`, whose displacements count from `base`.
  void send(const std::byte* base, const Datatype& type, int peer, RequestSet& requests, int channel) const;
  void receive(std::byte* base, const Datatype& type, int peer, RequestSet& requests, int channel) const;
  /// Number of messages for `count` elements.
  std::int64_t messages(std::int64_t count) const { return (count + count_limit_ - 1) / count_limit_; }

 private:
  int in_one_message(std::int64_t left) const { return narrow(std::min(left, count_limit_), "count"); }

  Communicator comm_;
  MPI_Datatype element_;
  std::int64_t element_bytes_;
  std::int64_t count_limit_;
  int tag_;
};

}  // namespace shardfft
