#include "gpu/run/replay.hpp"

#include <algorithm>

#include "device/capture.hpp"

namespace shardfft::gpu {

void Replay::see(const std::vector<const void*>& pointers, const Reads& reads) {
  auto found =
      std::ranges::find_if(runs_, [&](const Run& run) { return run.pointers == pointers && run.reads == reads; });
  if (found == runs_.end()) {
    found = runs_.emplace(runs_.end());
    found->pointers = pointers;
    found->reads = reads;
  }
  runs_.splice(runs_.begin(), runs_, found);
  const auto reads_any = [](const Run& run) {
    return std::ranges::any_of(run.reads, [](const auto& read) { return read != nullptr; });
  };
  const bool alone = pointers.empty() || reads_any(*found);
  const auto goes = [&](const Run& run) { return &run != &*found && (alone || reads_any(run)); };
  std::erase_if(runs_, goes);
  if (runs_.size() > most_graphs) runs_.pop_back();
  if (found->seen < runs_before_capture) ++found->seen;
}

void Replay::make_joints(const Team& team) {
  if (!joints_.empty() || team.here().size() == 1) return;
  for (const Member& member : team.here()) {
    const device::DeviceScope scope(member.device);
    joints_.push_back(device::make_event());
  }
}

void Replay::fork(const Team& team, const Streams& streams) {
  if (joints_.empty()) return;  // one member
  const device::DeviceScope scope(team.here().front().device);
  device::record(joints_.front().get(), streams.front());
  for (std::size_t m = 1; m < streams.size(); ++m) {
    device::set_device(team.here()[m].device);
    device::wait(streams[m], joints_.front().get());
  }
  device::set_device(team.here().front().device);
}

void Replay::join(const Team& team, const Streams& streams) {
  if (joints_.empty()) return;
  const device::DeviceScope scope(team.here().front().device);
  for (std::size_t m = 1; m < streams.size(); ++m) {
    device::set_device(team.here()[m].device);
    device::record(joints_[m].get(), streams[m]);
    device::set_device(team.here().front().device);
    device::wait(streams.front(), joints_[m].get());
  }
}

void Replay::capture(const Team& team, const Streams& streams, const std::function<void()>& body) {
  make_joints(team);
  const device::DeviceScope scope(team.here().front().device);
  runs_.front().graph = device::captured(streams.front(), [&] {
    fork(team, streams);
    body();
    join(team, streams);
  });
}

void Replay::launch(const Team& team, const Streams& streams) {
  const device::DeviceScope scope(team.here().front().device);
  join(team, streams);
  device::launch(runs_.front().graph.get(), streams.front());
  fork(team, streams);
  ++launches_;
}

}  // namespace shardfft::gpu
