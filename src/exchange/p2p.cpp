// Strategy p2p: one non-blocking message each way and peer, all posted at once.
#include "exchange/link.hpp"
#include "exchange/packed.hpp"
#include "exchange/strategies.hpp"
#include "exchange/traced.hpp"

namespace shardfft {

namespace {

/// Overlap: every message is on its way when start returns; all overlap with the caller's work until finish.
class P2p : public PackedExchange {
 public:
  explicit P2p(const ExchangeSetup& setup)
      : PackedExchange({setup.schedule.send, setup}, {setup.schedule.recv, setup}, setup.trace),
        rank_(setup.comm.rank()),
        link_(setup),
        requests_(setup.watch) {}

  void start(const ExchangeBuffers& b) override {
    send_.pack_all(b.source, b.workspace);
    const Scope scope(trace_, Activity::exchange);
    for (const int i : send_.from_neighbour(rank_))
      link_.send(send_.outgoing(i, b.source, b.workspace), send_[i].count, send_[i].peer, requests_);
    for (const int i : recv_.from_neighbour(rank_))
      link_.receive(recv_.incoming(i, b.destination, incoming(b)), recv_[i].count, recv_[i].peer, requests_);
  }

  void progress(const ExchangeBuffers&) override { test_traced(requests_, trace_); }

  void finish(const ExchangeBuffers& b) override {
    wait_traced(requests_, trace_);
    recv_.unpack_all(incoming(b), b.destination);
  }

 private:
  int rank_;
  Link link_;
  RequestSet requests_;
};

}  // namespace

std::unique_ptr<Exchange> make_p2p(const ExchangeSetup& setup) { return std::make_unique<P2p>(setup); }

}  // namespace shardfft
