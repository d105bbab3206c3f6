#include "ode/limited_memory/task_lists.hpp"

#include <algorithm>
#include <numeric>

#include "ode/limited_memory/expected_ends.hpp"
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
  std::vector<double> up_to;  // of each processor, with the speeds of those before
  for (const double slowness : run.slowness) {
    up_to.push_back((up_to.empty() ? 0 : up_to.back()) + 1 / slowness);
  }
  const auto owner = [&] {
    if (up_to.empty()) return static_cast<std::size_t>(rng.below(run.processors));
    const double drawn = rng.uniform() * up_to.back();
    return static_cast<std::size_t>(std::upper_bound(up_to.begin(), up_to.end() - 1, drawn) -
                                    up_to.begin());
  };
  for (std::size_t task = 0; task < run.tasks(); ++task) {
    lists[owner()].push_back(static_cast<TaskGraph::Index>(task));
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
    std::size_t first = 0;
    for (std::size_t k = 1; k < run.processors; ++k) {
      if (free_s[k] + run.s(k, task) < free_s[first] + run.s(first, task)) first = k;
    }
    free_s[first] += run.s(first, task);
    lists[first].push_back(task);
  }
  return lists;
}

std::vector<TaskSequence> allotted_by_completion_time(const LimitedRun& run, bool transfers_delay) {
  std::vector<TaskSequence> lists(run.processors);
  ExpectedEnds ends(run, transfers_delay);
  for (const auto task : tasks_as_submitted(run)) {
    const auto choice = ends.choose(task);
    ends.allot(task, choice);
    lists[choice.processor].push_back(task);
  }
  return lists;
}

}  // namespace damocles
