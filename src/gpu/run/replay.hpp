#pragma once
// One program of a plan as graphs: when the same arrays come again, the host launches the graph of these in one call.
// Callers whose allocators hand out a few addresses in turn have a graph for each.
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "device/handles.hpp"
#include "gpu/team.hpp"

namespace shardfft::gpu {

class Replay {
 public:
  using Streams = std::vector<device::StreamHandle>;

  using Reads = std::vector<std::shared_ptr<const void>>;

  /// Every pointer that the enqueued work depends on, and other data that it reads. Graphs keep these alive, so no
  /// other one is kept beside a graph that reads any. Without pointers (the run cannot be one of a graph) all graphs
  /// go.
  void see(const std::vector<const void*>& pointers, const Reads& reads);
  /// Whether the run that was seen last has a graph.
  bool ready() const { return !runs_.empty() && runs_.front().graph; }
  /// Whether its pointers came often enough to be worth a graph.
  bool due() const { return !ready() && !left_ && runs_.front().seen == runs_before_capture; }
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
  static constexpr std::size_t most_graphs = 8;
  struct Run {
    std::vector<const void*> pointers;
    Reads reads;
    int seen = 0;
    device::Graph graph;
  };
  void make_joints(const Team& team);
  void fork(const Team& team, const Streams& streams);
  void join(const Team& team, const Streams& streams);

  std::list<Run> runs_;  ///< the last one first
  bool left_ = false;
  std::int64_t launches_ = 0;
  std::vector<device::Event> joints_;
};

}  // namespace shardfft::gpu
