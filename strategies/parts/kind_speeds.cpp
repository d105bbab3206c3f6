#include "strategies/parts/kind_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace damocles {
namespace {

/// By kind of task whether the processor runs it; of kinds that no task has, that it does.
std::vector<bool> kinds_run(const TaskGraph& graph, const Durations& durations,
                            std::size_t processor, std::size_t task_kinds) {
  std::vector<bool> result(task_kinds, true);
  if (durations.all_run_all()) return result;
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    if (!durations.runs(processor, task)) result[graph.parts().task_kinds[task]] = false;
  }
  return result;
}

}  // namespace

KindSpeeds::KindSpeeds(const StrategyContext& context) {
  const std::size_t task_kinds =
      std::max<std::size_t>(1, context.workload.graph().parts().kind_names.size());
  const Durations durations(context.workload, context.platform);
  tell_kinds(context, durations, task_kinds);
  take_means(context.workload.graph(), durations, task_kinds);
  for (std::size_t task_kind = 0; task_kind < task_kinds; ++task_kind) {
    const auto least =
        std::min_element(mean_s_.begin(), mean_s_.end(),
                         [&](const auto& a, const auto& b) { return a[task_kind] < b[task_kind]; });
    fastest_.push_back(static_cast<std::size_t>(least - mean_s_.begin()));
  }
  for (std::size_t kind = 0; kind < count_.size(); ++kind) {
    std::vector<std::size_t> order;
    for (std::size_t task_kind = 0; task_kind < task_kinds; ++task_kind) {
      if (std::isfinite(mean_s_[kind][task_kind])) order.push_back(task_kind);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return gain(kind, a) > gain(kind, b); });
    orders_.push_back(std::move(order));
  }
}

void KindSpeeds::tell_kinds(const StrategyContext& context, const Durations& durations,
                            std::size_t task_kinds) {
  const Platform& platform = context.platform;
  if (!platform.machine) {  // nothing is known but their speeds: one kind
    kind_of_.assign(platform.processors(), 0);
    count_ = {static_cast<double>(platform.processors())};
    return;
  }
  std::vector<std::pair<std::string, std::vector<bool>>> kinds;
  for (std::size_t p = 0; p < platform.processors(); ++p) {
    const std::pair kind(platform.machine->processors[p].kind,
                         kinds_run(context.workload.graph(), durations, p, task_kinds));
    const auto at = std::find(kinds.begin(), kinds.end(), kind);
    kind_of_.push_back(static_cast<std::size_t>(at - kinds.begin()));
    if (at == kinds.end()) {
      kinds.push_back(kind);
      count_.push_back(0);
    }
    ++count_[kind_of_.back()];
  }
}

void KindSpeeds::take_means(const TaskGraph& graph, const Durations& durations,
                            std::size_t task_kinds) {
  const auto& kinds = graph.parts().task_kinds;
  std::vector<std::vector<double>> able(count_.size(), std::vector<double>(task_kinds, 0));
  mean_s_ = able;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<TaskGraph::Index>(t);
    const std::size_t task_kind = kinds.empty() ? 0 : kinds[t];
    for (std::size_t p = 0; p < kind_of_.size(); ++p) {
      if (!durations.runs(p, task)) continue;
      mean_s_[kind_of_[p]][task_kind] += durations.s(p, task);
      ++able[kind_of_[p]][task_kind];
    }
  }
  for (std::size_t kind = 0; kind < count_.size(); ++kind) {
    for (std::size_t task_kind = 0; task_kind < task_kinds; ++task_kind) {
      double& mean = mean_s_[kind][task_kind];
      const double of = able[kind][task_kind];
      mean = of > 0 ? mean / of : std::numeric_limits<double>::infinity();
    }
  }
}

double KindSpeeds::slow_factor(ProcessorId processor, std::size_t task_kind) const {
  return mean_s_[kind_of_[raw(processor)]][task_kind] / mean_s_[fastest_[task_kind]][task_kind];
}

double KindSpeeds::gain(std::size_t kind, std::size_t task_kind) const {
  double other_s = std::numeric_limits<double>::infinity();
  for (std::size_t other = 0; other < count_.size(); ++other) {
    if (other != kind) other_s = std::min(other_s, mean_s_[other][task_kind]);
  }
  return other_s / mean_s_[kind][task_kind];
}

}  // namespace damocles
