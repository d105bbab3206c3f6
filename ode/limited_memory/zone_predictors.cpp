// Static zones of a grid, one for each processor: what it computes is known, but for the tasks with
// which others help it at the end.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/static_start.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/shared_queue.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

StaticStart static_start_of(const std::string& partition) {
  return StaticStart(Spec::parse("hybrid:zones=" + partition, "strategy"));
}

std::vector<TaskLines> zones_of(const LimitedRun& run, const StaticStart& start) {
  return start.zones(*run.workload, run.relative_speeds);
}

TaskSequence tasks_of(const TaskLines& zone) {
  TaskSequence tasks;
  for (std::uint64_t at = 0; at < zone.lines(); ++at) {
    const auto line = zone.line(at);
    for (std::uint64_t task = 0; task < line.tasks; ++task) {
      tasks.push_back(static_cast<Index>(raw(line.first) + task));
    }
  }
  return tasks;
}

/// A zone whose tasks one processor computes.
struct OwnZone {
  TaskSequence tasks{};
  TaskSequence read{};  // data items
  std::size_t taken = 0;
  std::size_t asked_for = 0;
};

/// Rows have lower numbers than columns.
TaskSequence data_in_order(const TaskGraph& graph, const TaskSequence& tasks) {
  TaskSequence read;
  for (const Index task : tasks) {
    for (const Index data : graph.inputs(task)) read.push_back(data);
  }
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  return read;
}

/// The next of them, if any is left.
std::optional<Index> next_of(const TaskSequence& all, std::size_t& at) {
  return at < all.size() ? std::optional(all[at++]) : std::nullopt;
}

/// As static-columns and static-nrrp: at its first request a processor is given all tasks of its
/// zone, row by row, and is to load the rows, then the columns that these read.
LimitedPrediction predict_zones(const LimitedRun& run, const std::string& partition) {
  std::vector<OwnZone> all;
  for (const TaskLines& lines : zones_of(run, static_start_of(partition))) {
    all.push_back({.tasks = tasks_of(lines)});
    all.back().read = data_in_order(*run.graph, all.back().tasks);
  }
  return mean_of_draws(run, few_draws(run), [&](const LimitedRun& one, std::uint64_t draw) {
    auto zones = all;
    const auto next = [&](std::size_t k) { return next_of(zones[k].tasks, zones[k].taken); };
    const auto ahead = [&](std::size_t k) { return next_of(zones[k].read, zones[k].asked_for); };
    return drawn_with_buffer(one, next, Taken::when_there_is_room, draw, ahead);
  });
}
LimitedPrediction predict_columns(const LimitedRun& run) { return predict_zones(run, "columns"); }
LimitedPrediction predict_nrrp(const LimitedRun& run) { return predict_zones(run, "nrrp"); }

/// The zones of hybrid: the first tasks of each are its processor's alone. Who has computed its own
/// zone helps where most open tasks are for each that computes them, from the end.
class HelpedZones {
 public:
  explicit HelpedZones(const LimitedRun& run) {
    const StaticStart start = static_start_of("auto");
    for (const TaskLines& zone : zones_of(run, start)) {
      const double speed = run.relative_speeds[zones_.size()];
      zones_.push_back({tasks_of(zone), start.kept(zone, speed, *run.workload)});
      zones_.back().end = zones_.back().tasks.size();
      at_.push_back(at_.size());
    }
  }

  std::optional<Index> next(std::size_t processor) {
    Zone& own = zones_[processor];
    if (own.next < own.kept) return own.tasks[own.next++];
    Zone& open = zones_[open_zone(processor)];
    if (open.open() == 0) return std::nullopt;
    return &open == &own ? own.tasks[own.next++] : open.tasks[--open.end];
  }

 private:
  struct Zone {
    TaskSequence tasks;
    std::size_t kept;  // of the first tasks
    std::size_t next = 0;
    std::size_t end = 0;
    std::size_t computed_by = 1;  // processors
    [[nodiscard]] std::size_t open() const {
      const std::size_t first = std::max(next, kept);
      return end > first ? end - first : 0;
    }
  };

  std::size_t open_zone(std::size_t processor) {
    std::size_t& at = at_[processor];
    if (zones_[at].open() > 0) return at;
    --zones_[at].computed_by;
    double most = 0;
    for (std::size_t zone = 0; zone < zones_.size(); ++zone) {
      const double each = static_cast<double>(zones_[zone].open()) /
                          (1 + static_cast<double>(zones_[zone].computed_by));
      if (each <= most) continue;
      most = each;
      at = zone;
    }
    ++zones_[at].computed_by;
    return at;
  }

  std::vector<Zone> zones_;      // by processor
  std::vector<std::size_t> at_;  // by processor: the zone that it computes
};

LimitedPrediction predict_helped_zones(const LimitedRun& run) {
  return mean_of_draws(run, few_draws(run), [](const LimitedRun& one, std::uint64_t draw) {
    HelpedZones zones(one);
    const auto next = [&zones](std::size_t processor) { return zones.next(processor); };
    return drawn_with_buffer(one, next, Taken::when_there_is_room, draw);
  });
}

LimitedPredictor zoned(const char* strategy, LimitedPrediction (*predict)(const LimitedRun&)) {
  return {.name = strategy,
          .model = "counted",
          .alone = {.loads = 0.005, .makespan = 0.005},
          .several = {.loads = 0.005, .makespan = 0.005},
          .different_speeds = {.loads = 0.005, .makespan = 0.005},
          .why_unavailable = [](const LimitedRun& run) { return run.why_no_grid(); },
          .predict = predict};
}

const Register static_zones{zoned("static-columns", predict_columns),
                            zoned("static-nrrp", predict_nrrp),
                            zoned("hybrid", predict_helped_zones)};

}  // namespace
}  // namespace damocles
