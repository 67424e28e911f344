#pragma once
// All ranks of a slab transform in one process: one GPU a rank.
#include <vector>

#include "device/capture.hpp"
#include "gpu/slab/slab_rank.hpp"

namespace shardfft::gpu {

class SlabGroup {
 public:
  /// Rank r runs on devices[r]; a device may appear more than once (for tests).
  SlabGroup(const SlabShape& shape, SlabOptions options, const std::vector<int>& devices);

  /// Fixes the arrays of all ranks, so that peers find them.
  void bind(const std::vector<SlabArrays>& arrays);
  /// Enqueue on one stream a rank. The arrays may be used on each rank's stream afterwards.
  void forward(const std::vector<device::StreamHandle>& streams);
  void backward(const std::vector<device::StreamHandle>& streams);
  /// Captures body() (forward, backward, or both, on `streams`) into one graph for streams[0].
  template <class Body>
  device::Graph capture(const std::vector<device::StreamHandle>& streams, Body body);

  SlabRank& rank(int r) { return ranks_[static_cast<std::size_t>(r)]; }
  int size() const { return static_cast<int>(ranks_.size()); }

 private:
  /// All streams continue after the first one; the first one after all.
  void fork(const std::vector<device::StreamHandle>& streams);
  void join(const std::vector<device::StreamHandle>& streams);

  std::vector<SlabRank> ranks_;
  std::vector<SlabArrays> arrays_;
  std::vector<std::vector<SlabPeer>> peers_;  ///< [rank][peer]
  std::vector<device::Event> joints_;
  std::vector<device::Memory> tokens_;  ///< of each rank; none: empty
};

template <class Body>
device::Graph SlabGroup::capture(const std::vector<device::StreamHandle>& streams, Body body) {
  const device::DeviceScope scope(ranks_.front().device());
  return device::captured(streams.front(), [&] {
    fork(streams);
    body();
    join(streams);
    device::set_device(ranks_.front().device());
  });
}

}  // namespace shardfft::gpu
