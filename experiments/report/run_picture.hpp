// A run as the page of a report draws it: Gantt chart, memory over time, grid.

#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/explain/critical_path.hpp"
#include "experiments/report/report.hpp"
#include "experiments/traces/timeline.hpp"
#include "experiments/traces/trace_files.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// What one processor did, and what its memory held.
struct PictureRow {
  std::string name;
  ProcessorTimeline line;
  std::vector<Residency> resident{};  ///< none where data have no sizes
  std::vector<Residency> in_use{};    ///< inputs of the running task; none where nobody tells them
  std::uint64_t memory_bytes = 0;     ///< 0: unlimited
};

/// One run, from a recording or from a trace.
struct RunPicture {
  Record record;
  double makespan_s = 0;
  bool measured = false;  ///< its times are those of an executed run
  std::vector<PictureRow> processors;
  std::vector<PathLink> path{};      ///< the critical path; none where nobody explains the run
  std::vector<std::string> kinds{};  ///< of tasks, where they are several
  std::function<std::size_t(std::uint64_t task)> kind_of{};
  std::function<std::string(std::uint64_t task)> task_name;
  std::function<std::string(std::uint64_t data)> data_name;
};

/// @pre the run knows its workload
[[nodiscard]] RunPicture picture_of(const TracedRun& run);

/// What the run is compared by.
[[nodiscard]] ShownRun shown_run(const RunPicture& run);

/// JSON for the page's scripts.
///
/// Times are whole numbers of `tick_s`, a hundred-millionth of the makespan, each counted from the
/// start of the activity before it. Of a run with more than 200 000 activities the page gets sums
/// over 2000 slices of time instead, which is what a screen shows. Loads and memory are sampled at
/// up to 500 instants, the greatest value of each interval. Of a critical path with more than 10
/// 000 links the page gets the longest link that starts in each ten-thousandth of the makespan.
/// @param explanation  what explain says of it, or null
[[nodiscard]] std::string picture_json(const RunPicture& run, nlohmann::ordered_json explanation);

}  // namespace damocles
