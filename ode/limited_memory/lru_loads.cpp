#include <algorithm>

#include "ode/limited_memory/counted_loads.hpp"
#include "ode/limited_memory/recency_list.hpp"

namespace damocles {

LoadsByTask lru_loads(const TaskGraph& graph, const TaskSequence& list, std::size_t memory) {
  RecencyList held(graph.data());
  LoadsByTask loads;
  loads.reserve(list.size());
  for (const auto task : list) {
    const auto inputs = graph.inputs(task);
    std::uint32_t missing = 0;
    for (const auto item : inputs) {
      if (held.holds(item)) continue;
      ++missing;
      if (held.size() >= memory) {
        const auto victim = held.oldest_if([&](TaskGraph::Index one) {
          return std::find(inputs.begin(), inputs.end(), one) == inputs.end();
        });
        if (victim) held.remove(*victim);
      }
      held.add(item);
    }
    for (const auto item : inputs) held.touch(item);
    loads.push_back({.task = task, .needed = missing});
  }
  return loads;
}

}  // namespace damocles
