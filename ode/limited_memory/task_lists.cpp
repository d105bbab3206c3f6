#include "ode/limited_memory/task_lists.hpp"

#include <algorithm>

namespace damocles {

std::vector<TaskSequence> dealt_in_turn(const LimitedRun& run) {
  std::vector<TaskSequence> lists(run.processors);
  for (std::size_t task = 0; task < run.tasks(); ++task) {
    lists[task % run.processors].push_back(static_cast<TaskGraph::Index>(task));
  }
  return lists;
}

std::vector<TaskSequence> dealt_at_random(const LimitedRun& run, Rng& rng) {
  std::vector<TaskSequence> lists(run.processors);
  for (std::size_t task = 0; task < run.tasks(); ++task) {
    lists[rng.below(run.processors)].push_back(static_cast<TaskGraph::Index>(task));
  }
  return lists;
}

std::vector<TaskSequence> allotted_by_completion_time(const LimitedRun& run) {
  std::vector<TaskSequence> lists(run.processors);
  std::vector<std::vector<char>> sent(run.processors, std::vector<char>(run.data(), 0));
  std::vector<double> free_s(run.processors, 0);
  const auto sharing = 2 * static_cast<double>(run.processors);
  const double transfer_s = run.latency_s + std::max(run.link_s, sharing * run.bus_s);
  for (std::size_t at = 0; at < run.tasks(); ++at) {
    const auto task = static_cast<TaskGraph::Index>(at);
    std::size_t best = 0;
    double least = 0;
    double end_of_best = 0;
    for (std::size_t k = 0; k < run.processors; ++k) {
      double transfers = 0;
      for (const auto item : run.graph->inputs(task)) transfers += sent[k][item] ? 0 : transfer_s;
      const double end = std::max(free_s[k], transfers) + run.task_s;
      if (k > 0 && end + transfers >= least) continue;
      best = k;
      least = end + transfers;
      end_of_best = end;
    }
    free_s[best] = end_of_best;
    for (const auto item : run.graph->inputs(task)) sent[best][item] = 1;
    lists[best].push_back(task);
  }
  return lists;
}

}  // namespace damocles
