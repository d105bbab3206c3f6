#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/traces/timeline.hpp"
#include "models/platforms/platform.hpp"
#include "models/runs/record.hpp"
#include "models/runs/trace.hpp"
#include "models/table.hpp"
#include "models/workload.hpp"

namespace damocles {

/// One run to be drawn: its events, what it was, and what its processors, tasks and data are
/// called.
struct TracedRun {
  std::string name;  ///< tells the runs of one file apart
  Record record;     ///< what was asked, and what came of it
  std::vector<RunEvent> events;
  double makespan_s = 0;
  std::vector<std::string> processors{};  ///< their names
  /// Where each computes, as StarPU numbers memories: 0 is the host's. Empty: memory is unlimited.
  std::vector<std::size_t> memory_nodes{};
  double overhead_s = 0;  ///< the part of each task's time before it computes, as simulated
  std::function<std::string(TaskId)> task_name;
  std::function<std::string(DataId)> data_name;
  std::function<std::uint64_t(DataId)> data_bytes{};  ///< [B]; empty where data have no size
  TaskInputs inputs{};                                ///< empty: not told
  std::optional<Workload> workload{};                 ///< of which it is a run
};

/// A run of the workload on the platform, named after the record's source; its processors, tasks
/// and data have the names that these give them. Without a makespan the record's run is as long as
/// its events.
[[nodiscard]] TracedRun traced_run(const Workload& workload, const Platform& platform,
                                   const Record& record, std::vector<RunEvent> events);

/// The kinds of tasks that the run's workload names, where they are several; else none.
[[nodiscard]] std::vector<std::string> kinds_of(const TracedRun& run);
/// Which of them the task is. @pre there are some
[[nodiscard]] std::size_t kind_of(const TracedRun& run, std::uint64_t task);

/// A format of traces, in a file of its own.
struct TraceFormat {
  static constexpr const char* what = "trace format";
  std::string name;  ///< how its files' names end, as .json; the longest that fits counts
  int place = 0;     ///< in lists
  std::string title;
  std::string (*text)(const std::vector<TracedRun>& runs);
  bool one_run = false;  ///< no file has more than one
};

/// Writes the runs, simulated and executed alike, into one file, in the format of its ending.
/// Whole or not at all.
/// @throws InvalidInput on another ending, or where it cannot be written
void write_trace(const std::filesystem::path& path, const std::vector<TracedRun>& runs);
/// Refuses early what write_trace could not write: another ending, a folder that is not there, more
/// runs than the format holds, or more than 2 10^6 tasks, which no viewer opens.
void check_trace(const std::filesystem::path& path, std::uint64_t tasks, std::size_t runs = 1);

/// Chrome trace event format, as Perfetto and chrome://tracing open it.
///
/// A process is a processor; its threads are `compute` (category task), `copy`, with more of them
/// where copies overlap (category copy, and instants of categories eviction, with the item that got
/// the room, and invalidation), and `wait` (category wait). Times in microseconds. Where the graph
/// names several kinds of tasks, `kind` in `args` says which, and `cname` has a colour for it.
/// Counter `resident` [B] where data have sizes. otherData.runs says of each run what it was, which
/// processes it has, and where its time went. Source: "Trace Event Format", Google, 2016.
[[nodiscard]] std::string chrome_trace(const std::vector<TracedRun>& runs);

/// Pajé, as ViTE opens it: containers run / processor / engine; states of engines, evictions
/// and invalidations as events, bytes resident as a variable. Times in seconds, never decreasing.
/// Source: Schnorr, Stein, Chassin de Kergommeaux, "Pajé trace file", 2013.
[[nodiscard]] std::string paje_trace(const std::vector<TracedRun>& runs);

/// StarPU's tasks.rec, as read_tasks_rec(), read_recorded_placement() and starpu_replay read it:
/// the graph, which worker ran each task, in which memory, and when, in ms: what it read back takes
/// as long on workers of the same kinds. All that a task waits for is in
/// DependsOn, as starpu_replay keeps no order of its own. What a task sends to host memory beside
/// its data, and the names of data, have no place there. @pre one run, which knows its workload
/// Source: StarPU, src/debug/traces/starpu_fxt.c, tools/starpu_replay.c.
[[nodiscard]] std::string tasks_rec_trace(const std::vector<TracedRun>& runs);

/// sched.rec, by which starpu_replay runs the tasks of that tasks.rec, or of the one that the
/// workload was read from, on the same workers in the same order. @pre as tasks_rec_trace()
/// Source: StarPU, tools/starpu_replay_sched.c.
[[nodiscard]] std::string sched_rec_trace(const std::vector<TracedRun>& runs);

/// Bytes in one processor's memory after each change, in order of time.
struct Residency {
  double time_s;
  std::uint64_t bytes;
};
[[nodiscard]] std::vector<Residency> residency(const TracedRun& run, std::size_t processor);

}  // namespace damocles
