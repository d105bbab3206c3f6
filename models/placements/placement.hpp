#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/dependencies.hpp"
#include "models/digest.hpp"
#include "models/task_graph.hpp"
#include "models/workload.hpp"

namespace damocles {

/// What a file says of one task.
struct PlacedTask {
  TaskGraph::Index task = 0;
  std::vector<std::uint32_t> processors{};  ///< those that may run it; empty: any
  std::optional<double> turn{};  ///< where it is one: after those there whose turn is smaller
  std::optional<double> priority{};
  std::string where{};  ///< in the file: "line 7"
};

/// What a file says of a workload's tasks, as its reader found it.
struct PlacedTasks {
  std::vector<PlacedTask> tasks{};
  std::vector<Dependencies::Wait> waits{};  ///< beside the graph's
  std::optional<double> makespan_s{};       ///< of the run that was recorded, as measured
};

/// On which processors the tasks of a workload run, and in which order: said by a user, or
/// recorded.
struct GivenPlacement {
  using Index = TaskGraph::Index;

  SourceFile file{};
  /// Sets of processors, each ascending; the first is empty, and means any.
  std::vector<std::vector<std::uint32_t>> groups{{}};
  std::vector<std::uint32_t> group_of{};  ///< in groups, by task
  /// By processor, the tasks that run there in this order, whatever may run before.
  std::map<std::uint32_t, std::vector<Index>> lists{};
  std::vector<double> priorities{};         ///< by task
  std::vector<Dependencies::Wait> waits{};  ///< beside the graph's
  std::vector<std::string> where{};         ///< by task, in the file
  std::optional<double> makespan_s{};       ///< of the run that was recorded, as measured [s]

  /// Puts together what a file says. @throws InvalidInput, naming the file, where a task is placed
  /// twice or nowhere, or where tasks wait for each other in a circle through the orders on
  /// processors: the circle is shown
  static GivenPlacement of(SourceFile file, PlacedTasks placed, const TaskGraph& graph);

  /// "file 'x.rec', line 7": where a task is placed.
  [[nodiscard]] std::string place(Index task) const;
};

/// Reads a placement of the workload's tasks: StarPU's tasks.rec (.rec, records with a JobId) or
/// sched.rec (.rec), or our own (.json). Whether its processors are there is not asked yet.
/// @throws InvalidInput on another ending, a file that cannot be read or is malformed, or where
/// GivenPlacement::of refuses
[[nodiscard]] GivenPlacement read_placement(const std::string& path, const Workload& workload);

/// What was done: StarPU's tasks.rec. The k-th task in the order of submission is task k of the
/// workload, as read_tasks_rec() numbers them. It runs on WorkerId, after those there whose
/// StartTime is smaller; without WorkerId (StarPU's synchronisations) on any processor. The
/// recorded makespan is from the first StartTime to the last EndTime, which are in ms. Source:
/// StarPU, src/debug/traces/starpu_fxt.c.
[[nodiscard]] PlacedTasks read_recorded_placement(std::string_view text, const std::string& file,
                                                  const Workload& workload);

/// The number under which StarPU submits each task of the workload, its SubmitOrder: that of the
/// tasks.rec that it was read from, where that says one each; else 1, 2, ... @throws InvalidInput
/// where that file is no longer what it was
[[nodiscard]] std::vector<std::uint64_t> submit_orders(const Workload& workload);

/// What is to be done: sched.rec of starpu_replay. A task is meant by its SubmitOrder. It runs on
/// SpecificWorker, in its turn among those there with a Workerorder (1, 2, ... without a gap, for
/// which StarPU would wait for ever); or on one of Workers; or, where the record names none, on
/// any. DependsOn names more that it waits for, Priority counts in the place of the graph's.
/// Records of Prefetch are passed over. Source: StarPU, tools/starpu_replay_sched.c; handbook,
/// Static Scheduling (workerorder).
[[nodiscard]] PlacedTasks read_scheduled_placement(std::string_view text, const std::string& file,
                                                   const Workload& workload);

/// Our own:
///
///     {"damocles_placement": 1,
///      "processors": [["potrf 4", 2], ["trsm 5"]],
///      "groups": [{"tasks": [3, "gemm 9"], "processors": [0, 1]}, {"tasks": [4]}]}
///
/// Of each processor a list of tasks, which run in this order; and sets of processors of which any
/// may run the tasks (without `processors`: any at all) when they are ready. Tasks are meant by
/// index, from 0, or by a name that only one has. Either key may be left out.
[[nodiscard]] PlacedTasks read_json_placement(std::string_view text, const std::string& file,
                                              const Workload& workload);

}  // namespace damocles
