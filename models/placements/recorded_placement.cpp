#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <utility>

#include "models/graph_files/json_text.hpp"
#include "models/graph_files/rec_records.hpp"
#include "models/placements/placement.hpp"

namespace damocles {
namespace {

/// Of a record of tasks.rec, what says where and when a task ran.
enum RunKey : std::uint8_t {
  run_control,
  run_name,
  run_model,
  run_job,
  run_order,
  run_worker,
  run_start,
  run_end
};
constexpr std::array<std::string_view, 8> run_keys{
    "Control", "Name", "Model", "JobId", "SubmitOrder", "WorkerId", "StartTime", "EndTime"};

struct Done {
  std::uint64_t order = 0;
  std::size_t line = 0;
  std::string name{};
  std::string kind{};  // "": not told
  std::optional<std::uint32_t> worker{};
  std::optional<double> start_ms{};
  std::optional<double> end_ms{};
};

Done done(const RecRecords& record) {
  Done result{.order = record.whole(run_order).value_or(0), .line = record.line()};
  result.kind = as_utf8(record.value(run_model));
  const RunKey called = record.has(run_name) ? run_name : run_model;
  result.name = as_utf8(fmt::format("{} {}", record.value(called), record.value(run_job)));
  const auto worker = record.whole(run_worker);
  if (worker && *worker > std::numeric_limits<std::uint32_t>::max()) {
    record.refuse(run_worker, fmt::format("is {}; write the number of a worker", *worker));
  }
  if (worker) result.worker = static_cast<std::uint32_t>(*worker);
  result.start_ms = record.number(run_start);
  result.end_ms = record.number(run_end);
  if (result.start_ms && result.end_ms && *result.end_ms < *result.start_ms) {
    record.refuse(run_end,
                  fmt::format("is {}, before StartTime {}; write the time at which it ended",
                              *result.end_ms, *result.start_ms));
  }
  return result;
}

/// From the first start to the last end, where some task has both [s].
std::optional<double> recorded_makespan_s(const std::vector<Done>& tasks) {
  std::optional<double> start;
  std::optional<double> end;
  for (const Done& task : tasks) {
    if (!task.start_ms || !task.end_ms) continue;
    start = std::min(start.value_or(*task.start_ms), *task.start_ms);
    end = std::max(end.value_or(*task.end_ms), *task.end_ms);
  }
  if (!start) return std::nullopt;
  return (*end - *start) / 1000;
}

}  // namespace

PlacedTasks read_recorded_placement(std::string_view text, const std::string& file,
                                    const Workload& workload) {
  std::istringstream in{std::string(text)};
  RecRecords records(in, file, run_keys);
  std::vector<Done> tasks;
  while (records.next()) {
    if (records.value(run_control) != "WontUse") tasks.push_back(done(records));
  }
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const Done& a, const Done& b) { return a.order < b.order; });
  const TaskGraph& graph = workload.graph();
  if (tasks.size() > graph.tasks()) {
    const Done& first = tasks[graph.tasks()];
    records.refuse_at(
        first.line,
        fmt::format(
            "'{}' is task {} in the order of submission, but the workload has {}; give the workload that was run",
            shown(first.name), graph.tasks() + 1, graph.tasks()));
  }
  PlacedTasks result{.makespan_s = recorded_makespan_s(tasks)};
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const Done& task = tasks[k];
    const auto index = static_cast<TaskGraph::Index>(k);
    const std::string& kind = graph.kind_name(index);
    if (!kind.empty() && !task.kind.empty() && kind != task.kind) {
      records.refuse_at(
          task.line,
          fmt::format(
              "task {} in the order of submission is of kind '{}' here and '{}' in the workload, '{}'; give the "
              "workload that was run",
              k + 1, shown(task.kind), shown(kind), shown(graph.task_name(index))));
    }
    PlacedTask placed{.task = index, .where = fmt::format("line {}", task.line)};
    if (task.worker) {
      placed.processors = {*task.worker};
      placed.turn = task.start_ms;
    }
    result.tasks.push_back(std::move(placed));
  }
  return result;
}

}  // namespace damocles
