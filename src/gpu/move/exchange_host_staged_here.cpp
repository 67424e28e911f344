// host_staged with all members in one process, without messages: each member copies its blocks to pinned host memory,
// and their receivers copy them from there.
#include <iterator>

#include "gpu/move/strategies.hpp"

namespace shardfft::gpu {

namespace {

/// Phases: copy to the host; copy from there.
class HostStagedHere : public MessageExchange {
 public:
  /// With the member's device current.
  HostStagedHere(const DeviceReshapeSetup& setup, int member)
      : MessageExchange(setup, member),
        rank_(setup.team->here()[static_cast<std::size_t>(member)].rank),
        staged_blocks_(setup_.schedule.send, setup_, Staging::always),
        staged_(device::make_event()),
        read_(device::make_event()) {
    pin(staged_blocks_.bytes());
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
  /// Phase 0 waits for events of the run before, which a graph cannot do.
  HostWait waits_for() const override { return HostWait::itself; }
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
  std::byte* run(int i) const { return host() + staged_blocks_.offset_bytes(i); }

  int rank_;
  Blocks staged_blocks_;  ///< the places of sent messages on the host
  device::Event staged_, read_;
  std::vector<HostStagedHere*> all_;
};

}  // namespace

MemberOperations make_host_staged_here_exchange(const DeviceReshapeSetup& setup) {
  auto made = setup.team->for_members(
      [&](std::size_t m) { return std::make_unique<HostStagedHere>(setup, static_cast<int>(m)); });
  std::vector<HostStagedHere*> all;
  for (const auto& operation : made) all.push_back(operation.get());
  for (HostStagedHere* operation : all) operation->set_all(all);
  return {std::make_move_iterator(made.begin()), std::make_move_iterator(made.end())};
}

}  // namespace shardfft::gpu
