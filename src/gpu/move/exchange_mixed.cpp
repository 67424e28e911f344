// mixed: members write straight into the memory of members in reach, beside messages to all others.
#include <algorithm>
#include <functional>
#include <utility>

#include "gpu/move/strategies.hpp"

namespace shardfft::gpu {

namespace {

/// Phases: the near part announces; its copies are enqueued on their own streams, then the far part begins; the far
/// part goes on; in the last phase the near copies are waited for.
class MixedExchange : public JointOperation {
 public:
  MixedExchange(std::unique_ptr<DeviceOperation> near, std::unique_ptr<DeviceOperation> far)
      : near_(std::move(near)), far_(std::move(far)) {}

  int phases() const override { return std::max(near_->phases(), 1 + far_->phases()); }
  bool announces() const override { return true; }
  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    const int last = phases() - 1, near_last = near_->phases() - 1;
    if (phase < near_last) near_->enqueue(phase, buffers, stream);
    if (phase >= 1 && phase <= far_->phases()) far_->enqueue(phase - 1, buffers, stream);
    if (phase == last) near_->enqueue(near_last, buffers, stream);
  }
  std::size_t scratch_bytes() const override { return far_->scratch_bytes(); }
  PeersWrite peers_write() const override { return PeersWrite::result; }
  Activity activity() const override { return Activity::exchange; }
  std::string describe() const override { return "mixed: " + near_->describe() + "; " + far_->describe(); }
  std::int64_t bytes_sent() const override { return near_->bytes_sent() + far_->bytes_sent(); }
  Loss loss() const override { return far_->loss(); }

 private:
  void for_each(const std::function<void(DeviceOperation&)>& visit) const override {
    visit(*near_);
    visit(*far_);
  }

  std::unique_ptr<DeviceOperation> near_, far_;
};

}  // namespace

MemberOperations make_mixed_exchange(const DeviceReshapeSetup& setup,
                                     const std::function<MemberOperations(const DeviceReshapeSetup&)>& far) {
  DeviceReshapeSetup part = setup;
  part.peers = Peers::near;
  MemberOperations near_ones = std::move(make_peer_exchange(part, {{}}, PeerWay::chosen).front());
  part.peers = Peers::far;
  MemberOperations far_ones = far(part);
  MemberOperations operations;
  for (std::size_t m = 0; m < near_ones.size(); ++m)
    operations.push_back(std::make_unique<MixedExchange>(std::move(near_ones[m]), std::move(far_ones[m])));
  return operations;
}

}  // namespace shardfft::gpu
