#pragma once
// One change of layout: schedule, exchange, and the copy of the part that stays on the rank.
#include <memory>
#include <string>

#include "exchange/exchange.hpp"

namespace shardfft {

/// `comm`: all ranks of the layouts.
struct ReshapeSetup : OperationContext {
  std::string exchange{};
  std::size_t element_bytes = 16;
  Slice from_slice{};
  Slice to_slice{};
};

/// Moves arrays from one layout to another. Construction is collective over setup.comm, start and finish over the
/// ranks that exchange data. Source and destination must be distinct.
class Reshape {
 public:
  Reshape(const Layout& from, const Layout& to, const ReshapeSetup& setup);
  std::size_t workspace_bytes() const { return exchange_ ? exchange_->workspace_bytes() : 0; }
  /// Bytes of its schedule.
  std::size_t table_bytes() const { return table_bytes_; }
  void start(const ExchangeBuffers& buffers);
  /// Lets messages continue between start and finish. Optional, not collective.
  void progress(const ExchangeBuffers& buffers) {
    if (exchange_) exchange_->progress(buffers);
  }
  void finish(const ExchangeBuffers& buffers);
  /// Bytes that this rank sends to others.
  std::int64_t bytes_sent() const { return bytes_sent_; }
  /// Blocks for others; each is one message if the exchange sends it straight to its peer.
  std::int64_t messages_sent() const { return messages_sent_; }
  /// As Exchange::loss().
  Loss loss() const { return exchange_ ? exchange_->loss() : Loss{}; }
  /// Ranks that exchange data with each other, this one included.
  int group_size() const { return group_size_; }

 private:
  std::vector<LocalCopy> self_;
  std::unique_ptr<Exchange> exchange_;
  std::size_t element_bytes_;
  int threads_;
  std::int64_t bytes_sent_ = 0, messages_sent_ = 0;
  int group_size_ = 1;
  std::size_t table_bytes_ = 0;
  Trace* trace_;
};

}  // namespace shardfft
