#pragma once
// Graphs: work recorded instead of run, with the predecessors of each piece.
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace shardfft::device::standin {

struct GraphNode {
  std::function<void()> work;
  std::vector<int> after;
};

struct Graph {
  std::vector<GraphNode> nodes;
  bool running = false;  ///< one launch at a time; used by the worker only

  /// Whether every node comes before one of `last`, or is one of them.
  bool all_before(const std::vector<int>& last) const;
};

/// A capture in progress, or ended. `after` of a captured stream: the predecessors of its next node.
struct Capture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  bool open = true;
};

/// One launch of a graph: runs its nodes one by one, in any order that their edges allow.
class GraphLaunch {
 public:
  explicit GraphLaunch(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {}
  bool may_begin() const { return begun_ || !graph_->running; }
  /// Runs one node that is ready; returns true for the last one.
  bool step(std::mt19937_64& random);

 private:
  void begin();
  bool end();

  std::shared_ptr<Graph> graph_;
  bool begun_ = false;
  std::vector<int> missing_;  ///< unfinished predecessors, by node
  std::vector<std::vector<int>> before_;
  std::vector<int> ready_;
  std::size_t left_ = 0;
};

}  // namespace shardfft::device::standin
