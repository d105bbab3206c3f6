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

void set_names(TracedRun& run, const Workload& workload, const Platform& platform) {
  for (std::size_t p = 0; p < platform.processors(); ++p) {
    run.processors.push_back(platform.name(p));
  }
  if (platform.machine) {
    std::size_t gpus = 0;
    for (const ProcessorModel& one : platform.machine->processors) {
      run.memory_nodes.push_back(one.in_host_memory ? 0 : ++gpus);
    }
    if (run.record.source == "simulated") run.overhead_s = platform.machine->overhead_s;
  }
  run.task_name = [=](TaskId task) { return workload.task_name(task); };
  run.data_name = [=](DataId data) { return workload.data_name(data); };
  if (!workload.has_sizes()) return;
  run.data_bytes = [=](DataId data) {
    return workload.is_grid() ? workload.weights().bytes
                              : workload.graph().bytes(static_cast<TaskGraph::Index>(raw(data)));
  };
}

}  // namespace

TracedRun traced_run(const Workload& workload, const Platform& platform, const Record& record,
                     std::vector<RunEvent> events) {
  TracedRun run;
  run.name = record.source;
  run.record = record;
  run.events = std::move(events);
  for (const RunEvent& event : run.events) run.makespan_s = std::max(run.makespan_s, event.time_s);
  run.makespan_s = record.makespan_s.value_or(run.makespan_s);
  set_names(run, workload, platform);
  run.workload = workload;
  run.inputs = [=](std::uint64_t task) {
    std::vector<std::uint64_t> data;
    workload.for_each_input(TaskId{task}, [&](DataId input) { data.push_back(raw(input)); });
    return data;
  };
  return run;
}

std::vector<std::string> kinds_of(const TracedRun& run) {
  if (!run.workload || run.workload->is_grid()) return {};
  const auto& parts = run.workload->graph().parts();
  const bool several = parts.kind_names.size() > 1 && !parts.task_kinds.empty();
  return several ? parts.kind_names : std::vector<std::string>{};
}

std::size_t kind_of(const TracedRun& run, std::uint64_t task) {
  return run.workload->graph().parts().task_kinds[task];
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
