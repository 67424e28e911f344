#pragma once
// One program of a plan as a graph: when the same arrays come again, the host launches it in one call.
#include <cstdint>
#include <functional>
#include <vector>

#include "device/handles.hpp"
#include "gpu/team.hpp"

namespace shardfft::gpu {

class Replay {
 public:
  using Streams = std::vector<device::StreamHandle>;

  /// Every pointer that the enqueued work depends on. If one is not that of the last run, the graph is dropped.
  void see(const std::vector<const void*>& pointers);
  bool ready() const { return static_cast<bool>(graph_); }
  /// Whether these pointers came often enough to be worth a graph.
  bool due() const { return !graph_ && !left_ && seen_ == runs_before_capture; }
  /// Makes no graphs any more: there is no memory for them.
  void leave() { left_ = true; }
  /// Captures what `body` enqueues on `streams`, one a member; nothing runs.
  void capture(const Team& team, const Streams& streams, const std::function<void()>& body);
  /// Runs in the order of all `streams`.
  void launch(const Team& team, const Streams& streams);
  std::int64_t launches() const { return launches_; }

 private:
  /// The second run is still enqueued step by step, so that report() knows its steps, and captured after that.
  static constexpr int runs_before_capture = 2;
  void make_joints(const Team& team);
  void fork(const Team& team, const Streams& streams);
  void join(const Team& team, const Streams& streams);

  std::vector<const void*> pointers_;
  int seen_ = 0;
  bool left_ = false;
  std::int64_t launches_ = 0;
  device::Graph graph_;
  std::vector<device::Event> joints_;
};

}  // namespace shardfft::gpu
