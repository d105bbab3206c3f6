#include "orders/ready_schedules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace damocles {
namespace {

using ReadyTask = PlannedGraph::Index;
constexpr double infinite_s = std::numeric_limits<double>::infinity();

/// Places, until all are placed, the pair of a ready task and a processor that runs it of which
/// key(task, processor) is least; ties: the lower task, then the lower processor.
template <typename Key>
void place_by_least(const PlannedGraph& graph, AppendedSchedule& schedule, Key&& key) {
  while (!schedule.ready().empty()) {
    std::optional<decltype(key(ReadyTask{}, std::size_t{}))> least;
    std::pair<ReadyTask, std::size_t> best;
    for (const ReadyTask task : schedule.ready()) {
      for (std::size_t k = 0; k < graph.processors(); ++k) {
        if (!graph.runs(task, k)) continue;
        const auto here = key(task, k);
        if (least && !(here < *least)) continue;
        least = here;
        best = {task, k};
      }
    }
    schedule.place(best.first, best.second);
  }
}

/// Where a task ends first, and how much later it would end elsewhere.
struct FirstEnd {
  std::size_t processor = 0;
  double end_s = infinite_s;
  double next_s = infinite_s;

  [[nodiscard]] double sufferage_s() const { return next_s - end_s; }
};

FirstEnd first_end(const PlannedGraph& graph, const AppendedSchedule& schedule, ReadyTask task) {
  FirstEnd first;
  for (std::size_t k = 0; k < graph.processors(); ++k) {
    const double end_s = schedule.end_s(task, k);
    if (end_s < first.end_s) {
      first = {k, end_s, first.end_s};
    } else {
      first.next_s = std::min(first.next_s, end_s);
    }
  }
  return first;
}

/// Of ready tasks, each where it ends first, the one for which `sign` times that end is least.
std::vector<Placement> min_or_max_min(const PlannedGraph& graph, double sign) {
  AppendedSchedule schedule(graph);
  while (!schedule.ready().empty()) {
    double least = infinite_s;
    std::pair<ReadyTask, std::size_t> best;
    for (const ReadyTask task : schedule.ready()) {
      const FirstEnd first = first_end(graph, schedule, task);
      if (sign * first.end_s >= least) continue;
      least = sign * first.end_s;
      best = {task, first.processor};
    }
    schedule.place(best.first, best.second);
  }
  return std::move(schedule).take();
}

/// Over all processors; the longest finite duration where it is infinite.
double median_duration(const PlannedGraph& graph, ReadyTask task) {
  std::vector<double> sorted;
  for (std::size_t k = 0; k < graph.processors(); ++k) sorted.push_back(graph.duration_s(task, k));
  std::sort(sorted.begin(), sorted.end());
  const double median = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  if (std::isfinite(median)) return median;
  return *std::find_if(sorted.rbegin(), sorted.rend(), [](double s) { return std::isfinite(s); });
}

}  // namespace

std::vector<Placement> hlfet_schedule(const PlannedGraph& graph) {
  AppendedSchedule schedule(graph);
  for (const ReadyTask task : by_priority(graph, static_levels(graph, mean_durations(graph)))) {
    std::pair least{infinite_s, infinite_s};
    std::size_t best = 0;
    for (std::size_t k = 0; k < graph.processors(); ++k) {
      if (!graph.runs(task, k)) continue;
      const std::pair here{schedule.start_s(task, k), schedule.end_s(task, k)};
      if (here >= least) continue;
      least = here;
      best = k;
    }
    schedule.place(task, best);
  }
  return std::move(schedule).take();
}

std::vector<Placement> etf_schedule(const PlannedGraph& graph) {
  const std::vector<double> levels = static_levels(graph, mean_durations(graph));
  AppendedSchedule schedule(graph, levels);
  place_by_least(graph, schedule, [&](ReadyTask task, std::size_t k) {
    return std::tuple{schedule.start_s(task, k), -levels[task], task, schedule.end_s(task, k)};
  });
  return std::move(schedule).take();
}

std::vector<Placement> dls_schedule(const PlannedGraph& graph) {
  std::vector<double> medians(graph.tasks());
  for (ReadyTask task = 0; task < medians.size(); ++task) {
    medians[task] = median_duration(graph, task);
  }
  const std::vector<double> levels = static_levels(graph, medians);
  AppendedSchedule schedule(graph, levels);
  place_by_least(graph, schedule, [&](ReadyTask task, std::size_t k) {
    return -(levels[task] - schedule.start_s(task, k) + medians[task] - graph.duration_s(task, k));
  });
  return std::move(schedule).take();
}

std::vector<Placement> min_min_schedule(const PlannedGraph& graph) {
  return min_or_max_min(graph, 1);
}

std::vector<Placement> max_min_schedule(const PlannedGraph& graph) {
  return min_or_max_min(graph, -1);
}

std::vector<Placement> sufferage_schedule(const PlannedGraph& graph) {
  AppendedSchedule schedule(graph);
  while (!schedule.ready().empty()) {
    struct Claim {
      ReadyTask task = 0;
      double sufferage_s = -1;
    };
    std::vector<Claim> claims(graph.processors());
    for (const ReadyTask task : schedule.ready()) {
      const FirstEnd first = first_end(graph, schedule, task);
      Claim& claim = claims[first.processor];
      if (first.sufferage_s() > claim.sufferage_s) claim = {task, first.sufferage_s()};
    }
    for (std::size_t k = 0; k < claims.size(); ++k) {
      if (claims[k].sufferage_s >= 0) schedule.place(claims[k].task, k);
    }
  }
  return std::move(schedule).take();
}

}  // namespace damocles
