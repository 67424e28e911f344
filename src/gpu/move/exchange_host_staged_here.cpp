// host_staged with all members in one process, without messages: each member copies its blocks to pinned host memory,
// and their receivers copy them from there.
#include "gpu/move/strategies.hpp"

namespace shardfft::gpu {

namespace {

/// Phases: to the host; from there.
class HostStagedHere : public MessageExchange {
 public:
  /// With the member's device current.
  HostStagedHere(const DeviceReshapeSetup& setup, int member)
      : MessageExchange(setup, member),
        rank_(setup.team->here()[static_cast<std::size_t>(member)].rank),
        host_(setup_.schedule.send, setup_, Staging::always),
        staged_(device::make_event()),
        read_(device::make_event()) {
    if (host_.bytes() > 0) memory_ = device::make_pinned_memory(host_.bytes());
  }
  /// The operations of all ranks.
  void set_all(const std::vector<HostStagedHere*>& all) { all_ = all; }

  int phases() const override { return 2; }
  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    if (phase == 0)
      stage(buffers, stream);
    else
      fetch(buffers, stream);
  }
  std::size_t pinned_bytes() const override { return host_.bytes(); }
  /// The first phase waits for what readers did in the run before.
  bool capturable() const override { return false; }
  std::string describe() const override {
    return "host_staged, " + std::to_string(send_.size()) + " messages through pinned host memory";
  }

 private:
  void stage(const DeviceBuffers& buffers, device::StreamHandle stream) {
    for (int i = 0; i < send_.size(); ++i) device::wait(stream, of(send_[i].peer).read_.get());
    for (const int i : send_order_) {
      pack(i, buffers, stream);
      device::copy_bytes(run(i), outgoing(i, buffers), bytes_of(send_[i]), stream);
    }
    device::record(staged_.get(), stream);
    copy_stays(buffers, stream);
  }

  void fetch(const DeviceBuffers& buffers, device::StreamHandle stream) {
    for (const int i : recv_order_) {
      const HostStagedHere& sender = of(recv_[i].peer);
      device::wait(stream, sender.staged_.get());
      device::copy_bytes(incoming(i, buffers), sender.run(sender.send_.find(rank_)), bytes_of(recv_[i]), stream);
    }
    device::record(read_.get(), stream);
    for (int i = 0; i < recv_.size(); ++i) unpack(i, buffers, stream);
  }

  const HostStagedHere& of(int rank) const { return *all_[static_cast<std::size_t>(rank)]; }
  std::byte* run(int i) const { return static_cast<std::byte*>(memory_.get()) + host_.offset_bytes(i); }

  int rank_;
  Blocks host_;  ///< where the sent messages lie
  device::PinnedMemory memory_;
  device::Event staged_, read_;
  std::vector<HostStagedHere*> all_;
};

}  // namespace

MemberOperations make_host_staged_here_exchange(const DeviceReshapeSetup& setup) {
  MemberOperations operations;
  std::vector<HostStagedHere*> all;
  for (int m = 0; m < setup.team->ranks(); ++m) {
    const device::DeviceScope scope(setup.team->here()[static_cast<std::size_t>(m)].device);
    auto made = std::make_unique<HostStagedHere>(setup, m);
    all.push_back(made.get());
    operations.push_back(std::move(made));
  }
  for (HostStagedHere* operation : all) operation->set_all(all);
  return operations;
}

}  // namespace shardfft::gpu
