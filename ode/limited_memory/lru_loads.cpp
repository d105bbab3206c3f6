#include <algorithm>

#include "ode/limited_memory/counted_loads.hpp"

namespace damocles {

TaskLoads LruMemory::run(TaskGraph::Index task) {
  const auto inputs = graph_->inputs(task);
  std::uint32_t missing = 0;
  for (const auto item : inputs) {
    if (held_.holds(item)) continue;
    ++missing;
    if (held_.size() >= memory_) {
      const auto victim = held_.oldest_if([&](TaskGraph::Index one) {
        return std::find(inputs.begin(), inputs.end(), one) == inputs.end();
      });
      if (victim) held_.remove(*victim);
    }
    held_.add(item);
  }
  for (const auto item : inputs) held_.touch(item);
  return {.task = task, .needed = missing};
}

LoadsByTask lru_loads(const TaskGraph& graph, const TaskSequence& list, std::size_t memory) {
  LruMemory held(graph, memory);
  LoadsByTask loads;
  loads.reserve(list.size());
  for (const auto task : list) loads.push_back(held.run(task));
  return loads;
}

}  // namespace damocles
