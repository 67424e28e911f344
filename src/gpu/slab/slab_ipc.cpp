#include "gpu/slab/slab_ipc.hpp"

#include "base/check.hpp"

namespace shardfft::gpu {

namespace {
constexpr std::size_t first_sent = 3;  // planes, rows, ready
}

std::vector<device::IpcHandle> publish(const SlabRank& rank, const SlabArrays& arrays) {
  const device::DeviceScope scope(rank.device());
  std::vector<device::IpcHandle> handles = {device::export_memory(arrays.planes),
                                            device::export_memory(arrays.x_rows()), device::export_event(rank.ready())};
  for (int p = 0; p < rank.parts(); ++p)
    for (int c = 0; c < rank.chunks(p); ++c)
      for (int to = 0; to < rank.ranks(); ++to) handles.push_back(device::export_event(rank.sent(p, c, to)));
  return handles;
}

RemotePeer::RemotePeer(const std::vector<device::IpcHandle>& handles, int me, int ranks) {
  const auto all = static_cast<std::size_t>(ranks), mine = static_cast<std::size_t>(me);
  require(handles.size() >= first_sent && (handles.size() - first_sent) % all == 0, "not the handles of a slab rank");
  memory_.emplace_back(device::import_memory(handles[0]));
  memory_.emplace_back(device::import_memory(handles[1]));
  view_.arrays.planes = memory_[0].get();
  view_.arrays.rows = memory_[1].get();
  events_.emplace_back(device::import_event(handles[2]));
  view_.ready = events_.back().get();
  for (std::size_t i = first_sent + mine; i < handles.size(); i += all) {
    events_.emplace_back(device::import_event(handles[i]));
    view_.sent_here.push_back(events_.back().get());
  }
}

SlabPeer own_peer(const SlabRank& rank, const SlabArrays& arrays, int me) {
  SlabPeer peer{arrays, rank.ready(), {}};
  for (int p = 0; p < rank.parts(); ++p)
    for (int c = 0; c < rank.chunks(p); ++c) peer.sent_here.push_back(rank.sent(p, c, me));
  return peer;
}

}  // namespace shardfft::gpu
