#pragma once
// The base of exchanges that pack on both sides: the blocks and their places in the workspace.
#include <utility>

#include "exchange/blocks.hpp"

namespace shardfft {

/// Outgoing blocks are at the front of the workspace, incoming ones behind them.
class PackedExchange : public Exchange {
 public:
  std::size_t workspace_bytes() const final { return send_.bytes() + recv_.bytes(); }

 protected:
  PackedExchange(Blocks send, Blocks recv, Trace* trace)
      : send_(std::move(send)), recv_(std::move(recv)), trace_(trace) {}
  std::byte* incoming(const ExchangeBuffers& b) const { return b.workspace + send_.bytes(); }

  Blocks send_;
  Blocks recv_;
  Trace* trace_;
};

}  // namespace shardfft
