#include "models/bounds/shortest_times.hpp"

#include <algorithm>
#include <limits>

namespace damocles {

ShortestTimes::ShortestTimes(const TaskGraph& graph, const Durations& durations)
    : durations_(durations) {
  const auto kinds = durations.alike();
  if (!durations.not_by_flops() && !durations.teams().any()) {
    fastest_ = std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
                 return a.rate < b.rate;
               })->first;
    return;
  }
  times_.assign(graph.tasks(), std::numeric_limits<double>::infinity());
  for (std::size_t t = 0; t < times_.size(); ++t) {
    const auto task = static_cast<TaskGraph::Index>(t);
    for (const auto& kind : kinds) times_[t] = std::min(times_[t], durations.s(kind.first, task));
    for (const auto& group : durations.teams().groups()) {
      const std::size_t most = durations.teams().most(group.front(), task);
      times_[t] = std::min(times_[t], durations.s(group.front(), task, most));
    }
  }
}

}  // namespace damocles
