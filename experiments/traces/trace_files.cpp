#include "experiments/traces/trace_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/results/output_file.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_tasks = 2'000'000;

const TraceFormat& trace_format_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const TraceFormat* format = nullptr;
  for (const TraceFormat& other : Table<TraceFormat>::entries()) {
    const bool longer = format == nullptr || other.name.size() > format->name.size();
    if (longer && name.ends_with(other.name)) format = &other;
  }
  if (format != nullptr) return *format;
  std::vector<std::string> known;
  for (const TraceFormat& other : Table<TraceFormat>::entries()) {
    known.push_back(fmt::format("{} ({})", other.name, other.title));
  }
  throw InvalidInput(fmt::format("trace '{}': unknown ending; end the name in {}", path.string(),
                                 fmt::join(known, ", ")));
}

std::string grid_task(const Workload& workload, TaskId task) {
  const auto [i, j, l] = workload.indices(task);
  if (workload.dimensions() == 2) return fmt::format("task ({},{})", i, j);
  return fmt::format("task ({},{},{})", i, j, l);
}

std::string grid_data(const Workload& workload, DataId data) {
  const std::uint64_t m = workload.extent(0);
  const std::uint64_t n = workload.extent(1);
  const std::uint64_t k = workload.extent(2);
  std::uint64_t id = raw(data);
  if (workload.dimensions() == 2) {
    return id < m ? fmt::format("a {}", id) : fmt::format("b {}", id - m);
  }
  if (id < m * k) return fmt::format("A ({},{})", id / k, id % k);
  id -= m * k;
  if (id < k * n) return fmt::format("B ({},{})", id / n, id % n);
  id -= k * n;
  return fmt::format("C ({},{})", id / n, id % n);
}

void set_names(TracedRun& run, const Workload& workload) {
  using Index = TaskGraph::Index;
  if (workload.is_grid()) {
    run.task_name = [=](TaskId task) { return grid_task(workload, task); };
    run.data_name = [=](DataId data) { return grid_data(workload, data); };
    if (!workload.has_sizes()) return;
    run.data_bytes = [=](DataId) { return workload.weights().bytes; };
    return;
  }
  run.task_name = [=](TaskId task) {
    return workload.graph().task_name(static_cast<Index>(raw(task)));
  };
  run.data_name = [=](DataId data) {
    return workload.graph().data_name(static_cast<Index>(raw(data)));
  };
  run.data_bytes = [=](DataId data) {
    return workload.graph().bytes(static_cast<Index>(raw(data)));
  };
}

}  // namespace

TracedRun traced_run(const Workload& workload, const Record& record, std::vector<RunEvent> events) {
  TracedRun run;
  run.name = record.source;
  run.record = record;
  run.events = std::move(events);
  for (const RunEvent& event : run.events) {
    run.makespan_s = std::max(run.makespan_s, event.time_s);
    run.processors = std::max<std::size_t>(run.processors, raw(event.processor) + 1);
  }
  run.makespan_s = record.makespan_s.value_or(run.makespan_s);
  run.processors = record.processors.value_or(run.processors);
  set_names(run, workload);
  run.workload = workload;
  run.inputs = [=](std::uint64_t task) {
    std::vector<std::uint64_t> data;
    workload.for_each_input(TaskId{task}, [&](DataId input) { data.push_back(raw(input)); });
    return data;
  };
  return run;
}

void write_trace(const std::filesystem::path& path, const std::vector<TracedRun>& runs) {
  write_output(path, trace_format_of(path).text(runs));
}

void check_trace(const std::filesystem::path& path, std::uint64_t tasks, std::size_t runs) {
  const TraceFormat& format = trace_format_of(path);
  if (format.one_run && runs > 1) {
    throw InvalidInput(fmt::format("trace '{}': {} holds one run, but here are {}; give .json",
                                   path.string(), format.title, runs));
  }
  check_writable(path);
  if (tasks <= most_tasks) return;
  throw InvalidInput(
      fmt::format("trace '{}': {} tasks are more than a viewer opens; trace at most {}",
                  path.string(), tasks, most_tasks));
}

std::vector<Residency> residency(const TracedRun& run, std::size_t processor) {
  std::vector<RunEvent> changes;
  for (const RunEvent& event : run.events) {
    const bool change = event.kind == RunEvent::Kind::load_ended ||
                        event.kind == RunEvent::Kind::created ||
                        event.kind == RunEvent::Kind::evicted;
    if (change && raw(event.processor) == processor) changes.push_back(event);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const RunEvent& a, const RunEvent& b) { return a.time_s < b.time_s; });
  std::vector<Residency> result;
  std::uint64_t bytes = 0;
  for (const RunEvent& event : changes) {
    const std::uint64_t size = run.data_bytes(DataId{event.id});
    bytes = event.kind == RunEvent::Kind::evicted ? bytes - size : bytes + size;
    result.push_back({event.time_s, bytes});
  }
  return result;
}

}  // namespace damocles
