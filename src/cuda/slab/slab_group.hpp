#pragma once
// All ranks of a slab transform in one process: one GPU a rank.
#include <vector>

#include "cuda/capture.hpp"
#include "cuda/slab/slab_rank.hpp"

namespace shardfft::cuda {

class SlabGroup {
 public:
  /// Rank r runs on devices[r]; a device may appear more than once (for tests).
  SlabGroup(const SlabShape& shape, SlabOptions options, const std::vector<int>& devices);

  /// Fixes the arrays of all ranks, so that peers find them.
  void bind(const std::vector<SlabArrays>& arrays);
  /// Enqueue on one stream a rank. The arrays may be used on each rank's stream afterwards.
  void forward(const std::vector<StreamHandle>& streams);
  void backward(const std::vector<StreamHandle>& streams);
  /// Captures body() (forward, backward, or both, on `streams`) into one graph for streams[0].
  template <class Body>
  Graph capture(const std::vector<StreamHandle>& streams, Body body);

  SlabRank& rank(int r) { return ranks_[static_cast<std::size_t>(r)]; }
  int size() const { return static_cast<int>(ranks_.size()); }

 private:
  /// All streams continue after the first one; the first one after all.
  void fork(const std::vector<StreamHandle>& streams);
  void join(const std::vector<StreamHandle>& streams);

  std::vector<SlabRank> ranks_;
  std::vector<SlabArrays> arrays_;
  std::vector<std::vector<SlabPeer>> peers_;  ///< [rank][peer]
  std::vector<Event> joints_;
  std::vector<Memory> tokens_;  ///< of each rank; none: empty
};

template <class Body>
Graph SlabGroup::capture(const std::vector<StreamHandle>& streams, Body body) {
  const DeviceScope scope(ranks_.front().device());
  return captured(streams.front(), [&] {
    fork(streams);
    body();
    join(streams);
    set_device(ranks_.front().device());
  });
}

}  // namespace shardfft::cuda
