#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "models/ids.hpp"
#include "orders/planned_graph.hpp"
#include "orders/planned_line.hpp"

namespace damocles {

/// When and where a task runs.
struct Placement {
  ProcessorId processor{};
  double start_s = 0;
  double end_s = 0;
};

/// A schedule in the making: tasks are placed one after the other.
class PlannedSchedule {
 public:
  using Index = PlannedGraph::Index;

  /// The graph outlives it.
  explicit PlannedSchedule(const PlannedGraph& graph)
      : graph_(graph),
        lines_(graph.processors()),
        placements_(graph.tasks()),
        placed_(graph.tasks(), false) {}

  /// When all that the task is passed by tasks that are placed is there.
  [[nodiscard]] double data_s(Index task, std::size_t processor) const;
  /// The same on every processor, in O(p + sites tasks) and what O(tasks) processors take, where so
  /// many tasks pass something.
  void data_everywhere(Index task, std::vector<double>& data_s) const;
  /// When the last task of the processor ends.
  [[nodiscard]] double free_s(std::size_t processor) const { return lines_[processor].end_s(); }
  /// The earliest start of so long a task from then on, in a gap [s].
  [[nodiscard]] double earliest_s(std::size_t processor, double from_s, double duration_s) const {
    return lines_[processor].earliest_s(from_s, duration_s);
  }
  /// In the earliest gap that is long enough, once its data are there; insertion as HEFT's.
  /// @pre the processor runs the task
  [[nodiscard]] Placement in_gap(Index task, std::size_t processor) const {
    return in_gap(task, processor, data_s(task, processor));
  }
  /// The same, from then on.
  [[nodiscard]] Placement in_gap(Index task, std::size_t processor, double from_s) const;
  /// In a gap, where that ends first; ties: the lower processor.
  [[nodiscard]] Placement where_it_ends_first(Index task) const;
  [[nodiscard]] const Placement& placement(Index task) const { return placements_[task]; }

  void place(Index task, const Placement& placement);

  /// Shape (tasks).
  [[nodiscard]] std::vector<Placement> take() && { return std::move(placements_); }

 private:
  const PlannedGraph& graph_;
  std::vector<PlannedLine> lines_;
  std::vector<Placement> placements_;
  std::vector<bool> placed_;
  mutable std::vector<double> data_s_;  // of where_it_ends_first()
  mutable std::vector<double> site_s_;  // of data_everywhere()
};

/// A schedule in the making, without insertion: each task that is placed goes behind all others of
/// its processor. It knows the ready tasks, those of which all that they wait for is placed.
///
/// Ready tasks are *alike* that take the same on every processor, have their data everywhere at the
/// same times, and have equal traits: whatever rule chooses by these alone, and of equal ones the
/// lowest, need look at the lowest only.
class AppendedSchedule {
 public:
  using Index = PlannedGraph::Index;

  /// @param traits  what else a rule looks at, the same number of each task, by task; the graph
  ///                outlives the schedule
  explicit AppendedSchedule(const PlannedGraph& graph, std::vector<double> traits = {});
  AppendedSchedule(const AppendedSchedule&) = delete;
  AppendedSchedule& operator=(const AppendedSchedule&) = delete;
  ~AppendedSchedule() = default;

  /// Of ready tasks alike the lowest, ascending; empty when all are placed.
  [[nodiscard]] const std::vector<Index>& ready() const { return lowest_; }
  /// How many ready tasks there are in all, and how many alike to this one, itself included.
  [[nodiscard]] std::size_t ready_in_all() const { return ready_in_all_; }
  [[nodiscard]] std::size_t alike(Index task) const { return alike_to_[task]->second.size(); }
  /// When the processor is free and the task's data are there. @pre the task is ready
  [[nodiscard]] double start_s(Index task, std::size_t processor) const {
    return std::max(schedule_.free_s(processor), data_s_[task * graph_.processors() + processor]);
  }
  /// Infinite where the processor cannot run it.
  [[nodiscard]] double end_s(Index task, std::size_t processor) const {
    return start_s(task, processor) + graph_.duration_s(task, processor);
  }
  /// As soon as it can start there. @pre the task is ready, and the processor runs it
  void place(Index task, std::size_t processor);

  /// Shape (tasks).
  [[nodiscard]] std::vector<Placement> take() && { return std::move(schedule_).take(); }

 private:
  /// Ready tasks, by all in which those are equal that are alike.
  using Alike = std::map<std::vector<double>, std::set<Index>>;

  void add(Index task);
  void remove(Index task);
  [[nodiscard]] std::vector<Index>::iterator place_in_lowest(Index task);

  const PlannedGraph& graph_;
  PlannedSchedule schedule_;
  std::vector<double> traits_;
  std::vector<std::size_t> waits_;    // for how many tasks that are not placed
  std::vector<double> data_s_;        // by task and processor, of those that are or were ready
  std::vector<double> everywhere_s_;  // of the latest
  Alike alike_;
  std::vector<Alike::iterator> alike_to_;  // by task, of those that are ready
  std::vector<Index> lowest_;
  std::size_t ready_in_all_ = 0;
};

}  // namespace damocles
