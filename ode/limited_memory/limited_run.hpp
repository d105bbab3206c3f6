#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/spec.hpp"
#include "models/workload.hpp"

namespace damocles {

/// Tasks in the order in which a processor takes them.
using TaskSequence = std::vector<TaskGraph::Index>;

/// The workloads of which the study makes no difference: by name, products that also read C apart,
/// and those whose tasks come in random order.
[[nodiscard]] std::string family_of(std::string_view workload);
/// That whose tasks form a grid of two indices.
inline constexpr std::string_view grid_family = "gemm2d";

/// A run with limited memory as its models see it: tasks that wait for nobody, whose data items
/// have one size, on processors with equal memories, fed by one bus.
struct LimitedRun {
  const Workload* workload = nullptr;  ///< outlives it
  const TaskGraph* graph = nullptr;    ///< that of the workload
  std::string family{};                ///< of the workload
  std::size_t rows = 0;                ///< of the grid of tasks; 0: they form none of 2 indices
  std::size_t columns = 0;
  std::size_t processors = 0;
  std::size_t memory = 0;  ///< data items that fit into one
  std::size_t depth = 0;   ///< tasks in a processor's buffer, the running one included
  Spec strategy{};         ///< with its options
  std::string eviction{};  ///< name of the policy
  double task_s = 0;       ///< of a task on the first processor; the mean where they differ
  std::vector<double> unequal_s{};  ///< of each task, where they differ
  /// Of each processor, where their speeds differ: times by which its tasks take longer than on the
  /// first.
  std::vector<double> slowness{};
  std::vector<double> relative_speeds{};  ///< of each processor, adding up to 1
  double jitter = 0;                      ///< the most by which a task takes longer, at random [1]
  double bus_s = 0;                       ///< of a data item over the whole bus, without latency
  double link_s = 0;                      ///< over the link of a processor, at least bus_s
  double latency_s = 0;                   ///< of each transfer, before its bytes flow
  double request_s = 0;         ///< more of it, where the next task waits for the transfer
  bool with_course = false;     ///< predictions say when loads and tasks end
  std::size_t most_draws = 16;  ///< of a model whose runs are drawn; fewer are rougher
  /// Who asks has no use for a run that takes longer or loads more: a model may stop there, and say
  /// that both are infinite.
  double most_makespan_s = std::numeric_limits<double>::infinity();
  double most_loads = std::numeric_limits<double>::infinity();

  /// Why a model of grids says nothing of it, or "".
  [[nodiscard]] std::string why_no_grid() const {
    return is_grid() ? "" : "its model is of gemm2d";
  }
  [[nodiscard]] std::size_t tasks() const { return graph->tasks(); }
  [[nodiscard]] bool is_grid() const { return rows > 0; }
  /// Of the task on the first processor, without jitter.
  [[nodiscard]] double s(TaskGraph::Index task) const {
    return unequal_s.empty() ? task_s : unequal_s[task];
  }
  /// The same on any.
  [[nodiscard]] double s(std::size_t processor, TaskGraph::Index task) const {
    return slowness.empty() ? s(task) : s(task) * slowness[processor];
  }
  [[nodiscard]] double mean_task_s() const { return task_s * (1 + jitter / 2); }
  [[nodiscard]] std::size_t data() const { return graph->data(); }
  /// What so many tasks take at least, together, that take this long without jitter: their mean is
  /// known, and their sum is less than 10 standard deviations below it.
  [[nodiscard]] double least_s(std::size_t count, double each_s) const;
  /// Of processors that all compute all the time.
  [[nodiscard]] double least_makespan_s() const;
  /// Tasks that all processors together compute while the bus brings one data item, inverted:
  /// transfers take longer than tasks where it is above 1.
  [[nodiscard]] double transfers_a_task() const {
    return static_cast<double>(processors) * (bus_s + latency_s) / task_s;
  }
};

/// Whether they differ in speed, memory or link, or some compute in host memory.
[[nodiscard]] bool processors_differ(const MachineModel& machine);

/// Why models say nothing of a run there, or "".
[[nodiscard]] std::string why_no_limited_run(const Workload& workload, const Platform& platform);

/// @param depth  0: as the platform says, or as many as the machine needs
/// @pre why_no_limited_run() is ""; the workload outlives it
[[nodiscard]] LimitedRun limited_run(const Workload& workload, const Platform& platform,
                                     const std::string& eviction, std::size_t depth = 0);

}  // namespace damocles
