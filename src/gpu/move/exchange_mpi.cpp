// mpi_device and mpi_device_NAME, host_staged_NAME: the exchanges of CPUs between GPUs. A kernel packs each message to
// one run of device memory; the exchange NAME moves these runs, or copies of them in pinned host memory; a kernel
// unpacks.
#include <utility>

#include "base/check.hpp"
#include "gpu/move/strategies.hpp"

namespace shardfft::gpu {

namespace {

/// Messages as runs at their places in `blocks`.
std::vector<Message> as_runs(const Blocks& blocks) {
  std::vector<Message> runs;
  for (int i = 0; i < blocks.size(); ++i) {
    const std::int64_t count = blocks[i].count;
    runs.push_back({blocks[i].peer, 0, count, {Box::run(blocks.offset(i), count)}});
  }
  return runs;
}

class MpiExchange : public MessageExchange {
 public:
  MpiExchange(const DeviceReshapeSetup& setup, const MpiWay& way)
      : MessageExchange(setup, 0, Staging::all_or_none), way_(way) {
    if (!way_.through_host) return;
    host_send_ = Blocks(setup_.schedule.send, setup_, Staging::always);
    host_recv_ = Blocks(setup_.schedule.recv, setup_, Staging::always);
  }

  /// The setup of the exchange of CPUs.
  ExchangeSetup runs_setup() const {
    ExchangeSetup made = setup_;
    made.schedule.self.clear();
    made.schedule.send = as_runs(way_.through_host ? host_send_ : send_);
    made.schedule.recv = as_runs(way_.through_host ? host_recv_ : recv_);
    return made;
  }
  /// With the member's device current.
  void set_exchange(std::unique_ptr<Exchange> exchange) {
    exchange_ = std::move(exchange);
    const std::size_t workspace = exchange_->workspace_bytes();
    if (!way_.through_host && workspace > 0)
      fail(Status::internal, "exchange ", way_.exchange, " copies blocks on the CPU, which cannot use device memory");
    pin(host_send_.bytes() + host_recv_.bytes() + workspace);  // sent, received, the exchange's own
  }

  void enqueue(int, const DeviceBuffers& b, device::StreamHandle stream) override {
    for (int i = 0; i < send_.size(); ++i) pack(i, b, stream);
    for (int i = 0; i < host_send_.size(); ++i)
      device::copy_bytes(host() + host_send_.offset_bytes(i), outgoing(i, b), bytes_of(send_[i]), stream);
    device::synchronize(stream);
    exchange_->start(runs(b));
    copy_stays(b, stream);
    exchange_->finish(runs(b));
    for (int i = 0; i < host_recv_.size(); ++i)
      device::copy_bytes(incoming(i, b), host_incoming() + host_recv_.offset_bytes(i), bytes_of(recv_[i]), stream);
    for (int i = 0; i < recv_.size(); ++i) unpack(i, b, stream);
  }
  HostWait waits_for() const override { return HostWait::messages; }
  std::string describe() const override {
    return way_.name + ", " + std::to_string(send_.size()) + " messages " +
           (way_.through_host ? "through pinned host memory" : "from device memory");
  }

 private:
  std::byte* host_incoming() const { return host() + host_send_.bytes(); }
  ExchangeBuffers runs(const DeviceBuffers& b) const {
    if (way_.through_host) return {host(), host_incoming(), host_incoming() + host_recv_.bytes()};
    return {send_.all_direct() ? b.in : b.scratch, recv_.all_direct() ? b.out : incoming_work(b), nullptr};
  }

  MpiWay way_;
  Blocks host_send_, host_recv_;  ///< empty unless messages go through the host
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace

MemberOperations make_mpi_exchange(const DeviceReshapeSetup& setup, const MpiWay& way) {
  Team& team = *setup.team;
  std::unique_ptr<MpiExchange> made;
  team.agree([&] { made = std::make_unique<MpiExchange>(setup, way); });
  std::unique_ptr<Exchange> exchange = make_exchange(way.exchange, made->runs_setup());
  team.agree([&] {
    const device::DeviceScope scope(team.here().front().device);
    made->set_exchange(std::move(exchange));
  });
  MemberOperations operations;
  operations.push_back(std::move(made));
  return operations;
}

}  // namespace shardfft::gpu
