#include "orders/ready_order.hpp"

#include <set>
#include <utility>

namespace damocles {

std::vector<TaskGraph::Index> ready_order(const TaskGraph& graph, ReadyFirst first) {
  using Index = TaskGraph::Index;
  Countdown waits(graph.dependencies(), graph.tasks());
  std::vector<Index> arrivals;  // tasks as they become ready
  arrivals.reserve(graph.tasks());
  for (Index task = 0; task < graph.tasks(); ++task) {
    if (!waits.waits(task)) arrivals.push_back(task);
  }
  const auto arrive = [&](Index later) { arrivals.push_back(later); };
  if (first == ReadyFirst::earliest) {
    for (std::size_t at = 0; at < arrivals.size(); ++at) waits.ended(arrivals[at], arrive);
    return arrivals;
  }
  std::vector<Index> order;
  order.reserve(graph.tasks());
  std::set<std::pair<double, std::size_t>> ready;  // by priority, then arrival
  for (std::size_t next = 0; order.size() < graph.tasks();) {
    for (; next < arrivals.size(); ++next) ready.emplace(-graph.priority(arrivals[next]), next);
    const Index task = arrivals[ready.begin()->second];
    ready.erase(ready.begin());
    order.push_back(task);
    waits.ended(task, arrive);
  }
  return order;
}

bool is_chain(const TaskGraph& graph) {
  const auto order = graph.dependencies().order(graph.tasks());
  for (std::size_t at = 1; at < order.size(); ++at) {
    if (!graph.dependencies().waits(order[at], order[at - 1])) return false;
  }
  return true;
}

}  // namespace damocles
