// Strategy ring: size - 1 steps; in step s every rank sends to rank + s and receives from rank - s.
#include "exchange/blocks.hpp"
#include "exchange/link.hpp"
#include "exchange/strategies.hpp"
#include "exchange/traced.hpp"

namespace shardfft {

namespace {

/// Overlap: one message each way is in flight at a time; meanwhile the block of the next step is packed and that of the
/// last step unpacked. The first step is on its way when start returns; later ones begin in progress and finish.
/// Workspace: two blocks each way, for any number of ranks.
class Ring : public Exchange {
 public:
  explicit Ring(const ExchangeSetup& setup)
      : link_(setup),
        send_(setup.schedule.send, setup),
        recv_(setup.schedule.recv, setup),
        trace_(setup.trace),
        requests_(setup.watch) {
    const int size = setup.comm.size();
    const int rank = setup.comm.rank();
    for (int s = 1; s < size; ++s) {
      const Step step{send_.find((rank + s) % size), recv_.find((rank - s + size) % size)};
      if (step.send >= 0 || step.receive >= 0) steps_.push_back(step);
    }
  }

  std::size_t workspace_bytes() const override { return 2 * (send_.largest_bytes() + recv_.largest_bytes()); }

  void start(const ExchangeBuffers& b) override {
    current_ = 0;
    pack(b, 0);
    post(b, 0);
    pack(b, 1);
  }

  void progress(const ExchangeBuffers& b) override {
    while (current_ < steps_.size() && requests_.test_all()) advance(b);
  }

  void finish(const ExchangeBuffers& b) override {
    while (current_ < steps_.size()) {
      wait_traced(requests_, trace_);
      advance(b);
    }
  }

 private:
  /// Indices of the blocks of one step, -1 for none.
  struct Step {
    int send;
    int receive;
  };

  /// Steps use the two buffers of each direction in turn.
  std::byte* out(const ExchangeBuffers& b, std::size_t step) const {
    return b.workspace + (step % 2) * send_.largest_bytes();
  }
  std::byte* in(const ExchangeBuffers& b, std::size_t step) const {
    return b.workspace + 2 * send_.largest_bytes() + (step % 2) * recv_.largest_bytes();
  }

  void pack(const ExchangeBuffers& b, std::size_t step) const {
    if (step >= steps_.size() || steps_[step].send < 0 || send_.direct(steps_[step].send)) return;
    send_.pack_into(steps_[step].send, b.source, out(b, step));
  }

  void post(const ExchangeBuffers& b, std::size_t step) {
    if (step >= steps_.size()) return;
    const Scope scope(trace_, Activity::exchange);
    if (const int i = steps_[step].send; i >= 0) {
      const std::byte* from = send_.direct(i) ? b.source + send_.offset_bytes(i) : out(b, step);
      link_.send(from, send_[i].count, send_[i].peer, requests_);
    }
    if (const int i = steps_[step].receive; i >= 0) {
      std::byte* to = recv_.direct(i) ? b.destination + recv_.offset_bytes(i) : in(b, step);
      link_.receive(to, recv_[i].count, recv_[i].peer, requests_);
    }
  }

  /// The messages of the current step are done: begins the next step, and works while its messages are in flight.
  void advance(const ExchangeBuffers& b) {
    const std::size_t done = current_++;
    post(b, current_);
    if (const int i = steps_[done].receive; i >= 0 && !recv_.direct(i))
      recv_.unpack_from(i, in(b, done), b.destination);
    pack(b, current_ + 1);
  }

  Link link_;
  Blocks send_;
  Blocks recv_;
  Trace* trace_;
  std::vector<Step> steps_;
  std::size_t current_ = 0;
  RequestSet requests_;
};

}  // namespace

std::unique_ptr<Exchange> make_ring(const ExchangeSetup& setup) { return std::make_unique<Ring>(setup); }

}  // namespace shardfft
