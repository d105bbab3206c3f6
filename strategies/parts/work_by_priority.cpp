#include "strategies/parts/work_by_priority.hpp"

#include <algorithm>

namespace damocles {

WorkByPriority::WorkByPriority(const TaskGraph& graph, std::size_t processors) {
  std::vector<double> priorities;
  priorities.reserve(graph.tasks());
  for (Index task = 0; task < graph.tasks(); ++task) priorities.push_back(graph.priority(task));
  std::vector<double> distinct = priorities;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  ranks_.reserve(priorities.size());
  for (const double priority : priorities) {
    const auto at = std::lower_bound(distinct.begin(), distinct.end(), priority);
    ranks_.push_back(static_cast<std::size_t>(at - distinct.begin()));
  }
  sums_s_.assign(processors, std::vector<double>(distinct.size() + 1, 0));
}

void WorkByPriority::add(std::size_t processor, Index task, double work_s) {
  auto& sums = sums_s_[processor];
  for (std::size_t at = ranks_[task] + 1; at < sums.size(); at += at & (~at + 1))
    sums[at] += work_s;
}

double WorkByPriority::behind_s(std::size_t processor, std::size_t rank) const {
  const auto& sums = sums_s_[processor];
  double behind = 0;
  for (std::size_t at = rank; at > 0; at -= at & (~at + 1)) behind += sums[at];
  return behind;
}

}  // namespace damocles
