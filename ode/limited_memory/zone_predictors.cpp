// Static zones of a grid, one for each processor: what it computes is known, but for the tasks with
// which others help it at the end.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/static_start.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/shared_queue.hpp"
#include "ode/limited_memory/viewed_lists.hpp"

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

/// As static-columns and static-nrrp: at its first request a processor is given all tasks of its
/// zone, row by row, and is to load the rows, then the columns that these read.
LimitedPrediction predict_zones(const LimitedRun& run, const std::string& partition) {
  ViewedLists all{.taken = Taken::when_there_is_room};
  for (const TaskLines& zone : zones_of(run, static_start_of(partition))) {
    const TaskSequence tasks = tasks_of(zone);
    std::set<Index> read;  // rows have the lower numbers
    for (const Index task : tasks) {
      for (const Index data : run.graph->inputs(task)) read.insert(data);
    }
    all.lists.emplace_back(run, tasks,
                           ListView{.tasks = 1,
                                    .ahead = ListView::Ahead::as_proposed,
                                    .proposed = {read.begin(), read.end()}});
  }
  return predict_viewed(run, std::move(all));
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
    return drawn_under_lru(one, next, Taken::when_there_is_room, draw);
  });
}

/// The columns of a zone that fit, but leave so few places that it matters who has them; 0: all
/// zones have more, or too few.
std::size_t hardly_fit(const LimitedRun& run, const std::string& partition,
                       std::size_t (*places)(std::size_t columns)) {
  for (const TaskLines& zone : zones_of(run, static_start_of(partition))) {
    const Cuboid around = zone.around();
    const std::size_t columns = around.last[1] - around.first[1];
    if (run.memory > columns && run.memory < columns + places(columns)) return columns;
  }
  return 0;
}

std::string why_hardly(const LimitedRun& run, std::size_t columns) {
  if (columns == 0) return "";
  return fmt::format("memory of {} data items, hardly more than the {} columns of a zone",
                     run.memory, columns);
}
/// Rows loaded ahead take the places of columns that the next row reads, now and then.
std::string why_rows_crowd(const LimitedRun& run, const std::string& partition) {
  return why_hardly(run,
                    hardly_fit(run, partition, [](std::size_t columns) { return columns / 2; }));
}
/// One data item is missing of those that are read again and again.
std::string why_short(const LimitedRun& run) {
  return why_hardly(run, hardly_fit(run, "auto", [](std::size_t) { return std::size_t{2}; }));
}

LimitedPredictor zoned(const char* strategy, LimitedPrediction (*predict)(const LimitedRun&),
                       std::string (*wrong)(const LimitedRun&)) {
  return {.name = strategy,
          .model = "counted",
          .alone = {.loads = 0.005, .makespan = 0.005},
          .several = {.loads = 0.03, .makespan = 0.02},
          .different_speeds = {.loads = 0.01, .makespan = 0.005},
          .why_unavailable = [](const LimitedRun& run) { return run.why_no_grid(); },
          .predict = predict,
          .why_wrong = wrong};
}

const Register static_zones{
    zoned("static-columns", predict_columns,
          [](const LimitedRun& run) { return why_rows_crowd(run, "columns"); }),
    zoned("static-nrrp", predict_nrrp,
          [](const LimitedRun& run) { return why_rows_crowd(run, "nrrp"); }),
    zoned("hybrid", predict_helped_zones, why_short)};

}  // namespace
}  // namespace damocles
