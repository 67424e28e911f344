#pragma once
// All ranks of a slab transform in one process, one GPU a rank: the engine without plans and exchanges around it, with
// what only tests set (parts, stores, passes left out).
#include <vector>

#include "base/check.hpp"
#include "device/capture.hpp"
#include "gpu/slab/slab_rank.hpp"

namespace shardfft::test {

using gpu::SlabArrays;
using gpu::SlabOptions;
using gpu::SlabPeer;
using gpu::SlabRank;
using gpu::SlabShape;

/// Options of slabs in chunks and parts, where one rank at a time sends to another.
inline SlabOptions cut(int chunks, std::vector<double> parts) {
  SlabOptions options;
  options.chunks = chunks;
  options.parts = std::move(parts);
  options.paired = true;
  return options;
}

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

/// A rank of this process as `me` sees it: plain pointers and events.
inline SlabPeer peer_of(const SlabRank& rank, const SlabArrays& arrays, int me) {
  SlabPeer peer{arrays, {}, {}};
  for (int p = 0; p < rank.readies(); ++p) peer.ready.push_back(rank.ready(p));
  for (int p = 0; p < rank.parts(); ++p)
    for (int c = 0; c < rank.chunks(p); ++c) peer.sent_here.push_back(rank.sent(p, c, me));
  return peer;
}

inline SlabGroup::SlabGroup(const SlabShape& shape, SlabOptions options, const std::vector<int>& devices) {
  require(static_cast<int>(devices.size()) == shape.ranks, "one device a rank");
  if (!gpu::may_take_turns(devices)) options.paired = false;
  for (const int a : devices)
    for (const int b : devices) device::enable_peer(a, b);
  for (int r = 0; r < shape.ranks; ++r) {
    ranks_.emplace_back(shape, options, r, devices[static_cast<std::size_t>(r)]);
    const device::DeviceScope scope(devices[static_cast<std::size_t>(r)]);
    joints_.push_back(device::make_event());
    tokens_.push_back(gpu::make_tokens(ranks_.back().tokens()));
  }
}

inline void SlabGroup::bind(const std::vector<SlabArrays>& arrays) {
  arrays_ = arrays;
  for (std::size_t r = 0; r < arrays_.size(); ++r) arrays_[r].tokens = static_cast<std::uint32_t*>(tokens_[r].get());
  peers_.assign(ranks_.size(), std::vector<SlabPeer>(ranks_.size()));
  for (int r = 0; r < size(); ++r)
    for (int q = 0; q < size(); ++q)
      peers_[static_cast<std::size_t>(r)][static_cast<std::size_t>(q)] =
          peer_of(rank(q), arrays_[static_cast<std::size_t>(q)], r);
}

inline void SlabGroup::forward(const std::vector<device::StreamHandle>& streams) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].begin_forward(arrays_[r], streams[r]);
  for (int turn = 0; turn < ranks_.front().turns(); ++turn)
    for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].send_forward(arrays_[r], peers_[r], turn, streams[r]);
  for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].finish_forward(arrays_[r], peers_[r], streams[r]);
}

inline void SlabGroup::backward(const std::vector<device::StreamHandle>& streams) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].begin_backward(arrays_[r], streams[r]);
  for (int turn = 0; turn < ranks_.front().turns(); ++turn)
    for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].send_backward(arrays_[r], peers_[r], turn, streams[r]);
  for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].finish_backward(arrays_[r], peers_[r], streams[r]);
}

inline void SlabGroup::fork(const std::vector<device::StreamHandle>& streams) {
  device::record(joints_.front().get(), streams.front());
  for (std::size_t r = 1; r < streams.size(); ++r) {
    device::set_device(ranks_[r].device());
    device::wait(streams[r], joints_.front().get());
  }
}

inline void SlabGroup::join(const std::vector<device::StreamHandle>& streams) {
  for (std::size_t r = 1; r < streams.size(); ++r) {
    device::set_device(ranks_[r].device());
    device::record(joints_[r].get(), streams[r]);
    device::set_device(ranks_.front().device());
    device::wait(streams.front(), joints_[r].get());
  }
}

}  // namespace shardfft::test
