// Strategy p2p_pipelined: packs the next peer's block while the last is in flight; unpacks each block as soon as it has
// arrived.
#include "exchange/link.hpp"
#include "exchange/packed.hpp"
#include "exchange/strategies.hpp"
#include "exchange/traced.hpp"

namespace shardfft {

namespace {

/// Overlap: packing with sending, within start; unpacking with receiving, within progress and finish. All messages
/// are on their way when start returns.
class P2pPipelined : public PackedExchange {
 public:
  explicit P2pPipelined(const ExchangeSetup& setup)
      : PackedExchange({setup.schedule.send, setup}, {setup.schedule.recv, setup}, setup.trace),
        rank_(setup.comm.rank()),
        link_(setup),
        sends_(setup.watch),
        receives_(setup.watch) {}

  void start(const ExchangeBuffers& b) override {
    block_of_request_.clear();
    arrived_.clear();
    missing_.assign(static_cast<std::size_t>(recv_.size()), 0);
    for (const int i : send_.from_neighbour(rank_)) {
      send_.pack(i, b.source, b.workspace);
      const Scope scope(trace_, Activity::exchange);
      link_.send(send_.outgoing(i, b.source, b.workspace), send_[i].count, send_[i].peer, sends_);
      if (const int back = recv_.find(send_[i].peer); back >= 0) post_receive(back, b);
      note(receives_.test_any());  // lets MPI move the posted messages
    }
    const Scope scope(trace_, Activity::exchange);
    for (const int i : recv_.from_neighbour(rank_))
      if (send_.find(recv_[i].peer) < 0) post_receive(i, b);
  }

  void progress(const ExchangeBuffers& b) override {
    unpack_arrived(b);
    for (int request = receives_.test_any(); request >= 0; request = receives_.test_any()) note(request);
    unpack_arrived(b);
  }

  void finish(const ExchangeBuffers& b) override {
    unpack_arrived(b);
    for (int request = wait_any(); request >= 0; request = wait_any()) {
      note(request);
      unpack_arrived(b);
    }
    receives_.clear();
    wait_traced(sends_, trace_);
  }

 private:
  void post_receive(int i, const ExchangeBuffers& b) {
    link_.receive(recv_.incoming(i, b.destination, incoming(b)), recv_[i].count, recv_[i].peer, receives_);
    missing_[static_cast<std::size_t>(i)] = link_.messages(recv_[i].count);
    block_of_request_.resize(receives_.size(), i);
  }

  int wait_any() {
    const Scope scope(trace_, Activity::wait);
    return receives_.wait_any();
  }

  /// A request is done; if it was the last of its block, the block has arrived.
  void note(int request) {
    if (request < 0) return;
    const int block = block_of_request_[static_cast<std::size_t>(request)];
    if (--missing_[static_cast<std::size_t>(block)] == 0) arrived_.push_back(block);
  }

  void unpack_arrived(const ExchangeBuffers& b) {
    for (const int block : arrived_) recv_.unpack(block, incoming(b), b.destination);
    arrived_.clear();
  }

  int rank_;
  Link link_;
  RequestSet sends_;
  RequestSet receives_;
  std::vector<int> block_of_request_;
  std::vector<std::int64_t> missing_;  ///< messages of each block that have not arrived
  std::vector<int> arrived_;           ///< blocks that are complete, but not unpacked
};

}  // namespace

std::unique_ptr<Exchange> make_p2p_pipelined(const ExchangeSetup& setup) {
  return std::make_unique<P2pPipelined>(setup);
}

}  // namespace shardfft
