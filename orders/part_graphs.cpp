#include "orders/part_graphs.hpp"

#include <algorithm>
#include <utility>

namespace damocles {

TaskGraph PartGraphs::of(std::span<const Index> tasks) {
  used_.clear();
  for (const Index task : tasks) {
    for (const Index data : graph_.inputs(task)) {
      if (left_out_[data] == 0) used_.push_back(data);
    }
  }
  std::sort(used_.begin(), used_.end());
  used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
  TaskGraph::Parts parts;
  for (const Index data : used_) {
    local_[data] = static_cast<Index>(parts.bytes.size());
    parts.bytes.push_back(graph_.bytes(data));
  }
  std::vector<Index> reads;
  for (const Index task : tasks) {
    reads.clear();
    for (const Index data : graph_.inputs(task)) {
      if (left_out_[data] == 0) reads.push_back(local_[data]);
    }
    parts.add_task(reads, weights_ == Weights::flops ? graph_.flops(task) : 0);
  }
  return TaskGraph(std::move(parts));
}

}  // namespace damocles
