// Strategy hierarchical: gather to host leaders, exchange between leaders, scatter.
#include "exchange/blocks.hpp"
#include "exchange/far_side.hpp"
#include "exchange/strategies.hpp"

namespace shardfft {

namespace {

/// Peers of the same host exchange point-to-point. Only leaders send to other hosts, one message for a pair of hosts.
/// Overlap: when start returns, the messages inside the host and the gather are on their way. The leaders' exchange
/// begins after the gather, in progress or finish.
class Hierarchical : public Exchange {
 public:
  Hierarchical(std::unique_ptr<Exchange> near, std::unique_ptr<Exchange> far, bool leads)
      : near_(std::move(near)), far_(std::move(far)), leads_(leads) {}

  std::size_t workspace_bytes() const override { return near_->workspace_bytes() + far_->workspace_bytes(); }

  void start(const ExchangeBuffers& b) override {
    far_->start(second(b));
    near_->start(b);
  }

  void progress(const ExchangeBuffers& b) override {
    far_->progress(second(b));
    near_->progress(b);
  }

  /// A leader first finishes the far side, because other hosts wait for it; other members first unpack.
  void finish(const ExchangeBuffers& b) override {
    if (leads_) far_->finish(second(b));
    near_->finish(b);
    if (!leads_) far_->finish(second(b));
  }

 private:
  ExchangeBuffers second(const ExchangeBuffers& b) const {
    return {b.source, b.destination, b.workspace + near_->workspace_bytes()};
  }

  std::unique_ptr<Exchange> near_;
  std::unique_ptr<Exchange> far_;
  bool leads_;
};

}  // namespace

std::unique_ptr<Exchange> make_hierarchical(const ExchangeSetup& setup) {
  const HostPlan plan = plan_hosts(setup);
  const auto on_this_host = [&plan](int peer) { return plan.leader_of[static_cast<std::size_t>(peer)] == plan.leader; };
  ExchangeSetup near = setup;
  near.schedule = only_peers(setup.schedule, on_this_host);
  ExchangeSetup far = setup;
  far.schedule = only_peers(setup.schedule, [&](int peer) { return !on_this_host(peer); });
  auto inside = make_p2p(near);
  auto outside = plan.leads ? make_far_leader(far, plan) : make_far_member(far, plan);
  return std::make_unique<Hierarchical>(std::move(inside), std::move(outside), plan.leads);
}

}  // namespace shardfft
