#include "ode/limited_memory/task_lists.hpp"

#include <algorithm>
#include <numeric>

#include "ode/limited_memory/prediction_streams.hpp"

namespace damocles {

TaskSequence tasks_as_submitted(const LimitedRun& run) {
  TaskSequence tasks(run.tasks());
  std::iota(tasks.begin(), tasks.end(), TaskGraph::Index{0});
  return tasks;
}

std::vector<TaskSequence> dealt_in_turn(const LimitedRun& run) {
  std::vector<TaskSequence> lists(run.processors);
  for (std::size_t task = 0; task < run.tasks(); ++task) {
    lists[task % run.processors].push_back(static_cast<TaskGraph::Index>(task));
  }
  return lists;
}

std::vector<TaskSequence> partitioned_lists(const LimitedRun& run, PartitionOptions::Cost cost) {
  Rng rng(0, Draw::prediction, 0, prediction_stream::partitions);
  const auto parts = partition(*run.graph, run.processors, rng.next(), {.cost = cost});
  std::vector<TaskSequence> lists(run.processors);
  for (std::size_t task = 0; task < parts.size(); ++task) {
    lists[parts[task]].push_back(static_cast<TaskGraph::Index>(task));
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

std::vector<TaskSequence> planned_lists(const LimitedRun& run, Placed order) {
  TaskSequence tasks = tasks_as_submitted(run);
  if (order != Placed::as_submitted && !run.unequal_s.empty()) {
    std::stable_sort(tasks.begin(), tasks.end(), [&](TaskGraph::Index one, TaskGraph::Index other) {
      return order == Placed::longest_first ? run.s(one) > run.s(other) : run.s(one) < run.s(other);
    });
  }
  std::vector<TaskSequence> lists(run.processors);
  std::vector<double> free_s(run.processors, 0);
  for (const auto task : tasks) {
    const auto first = std::min_element(free_s.begin(), free_s.end());
    *first += run.s(task);
    lists[static_cast<std::size_t>(first - free_s.begin())].push_back(task);
  }
  return lists;
}

std::vector<TaskSequence> allotted_by_completion_time(const LimitedRun& run, bool transfers_delay) {
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
      for (const auto item : run.graph->inputs(task))
        transfers += sent[k][item] != 0 ? 0 : transfer_s;
      const double end = std::max(free_s[k], transfers_delay ? transfers : 0) + run.s(task);
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
