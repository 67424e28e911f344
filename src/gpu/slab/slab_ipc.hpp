#pragma once
// One process a GPU: what a rank publishes so that its peers can write into its arrays and wait for its copies. The
// handles are plain bytes: any transport (an MPI allgather) carries them, once, while planning.
#include <vector>

#include "gpu/slab/slab_rank.hpp"

namespace shardfft::gpu {

/// Handles of a rank's planes, rows, ready event and all sent events. The arrays must be whole allocations
/// (device::make_memory); every rank publishes the same number of handles. Tokens are not published: all ranks do
/// without.
std::vector<device::IpcHandle> publish(const SlabRank& rank, const SlabArrays& arrays);

/// A peer in another process, opened for as long as this object lives. Not for the own process.
class RemotePeer {
 public:
  /// `handles`: what peer published; `me`: the rank that opens it.
  RemotePeer(const std::vector<device::IpcHandle>& handles, int me, int ranks);
  const SlabPeer& view() const { return view_; }

 private:
  std::vector<device::ImportedMemory> memory_;
  std::vector<device::Event> events_;
  SlabPeer view_;
};

/// The own rank seen as a peer: plain pointers and events.
SlabPeer own_peer(const SlabRank& rank, const SlabArrays& arrays, int me);

}  // namespace shardfft::gpu
