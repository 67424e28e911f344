// mixed: members that reach each other's memory write straight into it, beside messages to all others.
#include <algorithm>
#include <functional>
#include <utility>

#include "gpu/move/strategies.hpp"

namespace shardfft::gpu {

namespace {

/// Phases: the near part announces; its copies are enqueued on streams of their own, then the far part begins; the far
/// part goes on, and in the last phase the near copies are waited for.
class MixedExchange : public DeviceOperation {
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
  std::size_t held_bytes() const override { return near_->held_bytes() + far_->held_bytes(); }
  std::size_t pinned_bytes() const override { return far_->pinned_bytes(); }
  bool writes_peers() const override { return true; }
  bool awaits_messages() const override { return far_->awaits_messages(); }
  bool capturable() const override { return near_->capturable() && far_->capturable(); }
  Activity activity() const override { return Activity::exchange; }
  void check() override { for_both(&DeviceOperation::check); }
  void break_off() override { for_both(&DeviceOperation::break_off); }
  void abandon() override { for_both(&DeviceOperation::abandon); }
  void close_peers() override { for_both(&DeviceOperation::close_peers); }
  std::string describe() const override { return "mixed: " + near_->describe() + "; " + far_->describe(); }
  std::int64_t bytes_sent() const override { return near_->bytes_sent() + far_->bytes_sent(); }
  Loss loss() const override { return far_->loss(); }

 private:
  void for_both(void (DeviceOperation::*work)()) {
    std::invoke(work, *near_);
    std::invoke(work, *far_);
  }

  std::unique_ptr<DeviceOperation> near_, far_;
};

}  // namespace

MemberOperations make_mixed_exchange(const DeviceReshapeSetup& setup,
                                     const std::function<MemberOperations(const DeviceReshapeSetup&)>& far) {
  DeviceReshapeSetup part = setup;
  part.part = Part::near;
  MemberOperations near_ones = make_peer_exchange(part, PeerWay::chosen);
  part.part = Part::far;
  MemberOperations far_ones = far(part);
  MemberOperations operations;
  for (std::size_t m = 0; m < near_ones.size(); ++m)
    operations.push_back(std::make_unique<MixedExchange>(std::move(near_ones[m]), std::move(far_ones[m])));
  return operations;
}

}  // namespace shardfft::gpu
