#include "device/standin/graph.hpp"

#include <algorithm>
#include <utility>

namespace shardfft::device::standin {

bool Graph::all_before(const std::vector<int>& last) const {
  std::vector<bool> seen(nodes.size(), false);
  std::vector<int> open = last;
  std::size_t found = 0;
  while (!open.empty()) {
    const auto node = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (seen[node]) continue;
    seen[node] = true;
    ++found;
    open.insert(open.end(), nodes[node].after.begin(), nodes[node].after.end());
  }
  return found == nodes.size();
}

void GraphLaunch::begin() {
  begun_ = graph_->running = true;
  left_ = graph_->nodes.size();
  missing_.resize(left_);
  before_.resize(left_);
  for (std::size_t i = 0; i < left_; ++i) {
    const std::vector<int>& after = graph_->nodes[i].after;
    missing_[i] = static_cast<int>(after.size());
    for (const int earlier : after) before_[static_cast<std::size_t>(earlier)].push_back(static_cast<int>(i));
    if (after.empty()) ready_.push_back(static_cast<int>(i));
  }
}

bool GraphLaunch::step(std::mt19937_64& random) {
  if (!begun_) begin();
  if (left_ == 0) return end();
  std::swap(ready_[random() % ready_.size()], ready_.back());
  const auto node = static_cast<std::size_t>(ready_.back());
  ready_.pop_back();
  --left_;
  for (const int next : before_[node])
    if (--missing_[static_cast<std::size_t>(next)] == 0) ready_.push_back(next);
  try {
    graph_->nodes[node].work();
  } catch (...) {
    end();  // the rest of this launch is dropped
    throw;
  }
  return left_ == 0 && end();
}

bool GraphLaunch::end() {
  graph_->running = false;
  return true;
}

}  // namespace shardfft::device::standin
