#include "exec/task_graph.hpp"

#include <map>
#include <set>
#include <utility>

namespace shardfft {

namespace {

/// Tasks by preference: stage, then chunk.
using Key = std::pair<Stage, int>;

class TaskGraph {
 public:
  void add(Stage stage, int chunk) { waits_[{stage, chunk}]; }
  /// `task` waits for `other`, if there are such tasks.
  void wait(Key task, Key other) {
    if (waits_.count(task) == 0 || waits_.count(other) == 0) return;
    if (waits_[task].insert(other).second) followers_[other].push_back(task);
  }
  void wait_all(Key task, Stage stage, int chunks) {
    for (int k = 0; k < chunks; ++k) wait(task, {stage, k});
  }

  std::vector<PipelineTask> order() {
    std::set<Key> ready;
    for (const auto& [task, others] : waits_)
      if (others.empty()) ready.insert(task);
    std::vector<PipelineTask> tasks;
    while (!ready.empty()) {
      const Key next = *ready.begin();
      ready.erase(ready.begin());
      tasks.push_back({next.first, next.second});
      for (const Key& follower : followers_[next]) {
        waits_[follower].erase(next);
        if (waits_[follower].empty()) ready.insert(follower);
      }
    }
    return tasks;
  }

 private:
  std::map<Key, std::set<Key>> waits_;
  std::map<Key, std::vector<Key>> followers_;
};

void add_transform(TaskGraph& graph, Stage stage, PipelineShape::Transform transform, int chunks) {
  if (transform == PipelineShape::Transform::none) return;
  const int count = transform == PipelineShape::Transform::whole ? 1 : chunks;
  for (int k = 0; k < count; ++k) graph.add(stage, k);
}

}  // namespace

std::vector<PipelineTask> order_tasks(const PipelineShape& shape) {
  TaskGraph graph;
  for (int k = 0; k < shape.chunks; ++k) {
    graph.add(Stage::start, k);
    graph.add(Stage::finish, k);
  }
  add_transform(graph, Stage::before, shape.before, shape.befores());
  add_transform(graph, Stage::after, shape.after, shape.chunks - shape.head);
  const bool all_before = shape.before == PipelineShape::Transform::whole || shape.barrier == Barrier::before_start;
  const bool all_after = shape.after == PipelineShape::Transform::whole || shape.barrier == Barrier::finish_after;
  for (int k = 0; k < shape.chunks; ++k) {
    const Key start{Stage::start, k};
    const Key finish{Stage::finish, k};
    graph.wait(start, {Stage::before, k});
    if (all_before || (shape.head > 0 && k >= shape.head)) graph.wait_all(start, Stage::before, shape.befores());
    graph.wait(start, {Stage::start, k - 1});
    graph.wait(start, {Stage::finish, k - shape.in_flight});
    graph.wait(finish, start);
    graph.wait(finish, {Stage::finish, k - 1});
    const Key after{Stage::after, k - shape.head};
    graph.wait(after, finish);
    if (all_after) graph.wait_all(after, Stage::finish, shape.chunks);
  }
  // Transforms do not run ahead of the exchanges, or all the waiting would come behind them; with a head they share it.
  const int sent = shape.head > 0 ? shape.head : shape.chunks;
  for (int k = 0; k < shape.befores() && !all_before; ++k)
    graph.wait({Stage::before, k}, {Stage::start, k * sent / shape.befores() - 1});
  return graph.order();
}

}  // namespace shardfft
