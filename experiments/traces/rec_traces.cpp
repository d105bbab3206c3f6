#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>

#include "experiments/traces/trace_files.hpp"
#include "models/placements/placement.hpp"

namespace damocles {
namespace {

using RecTask = TaskGraph::Index;

/// Where and when each task ran.
struct Ran {
  std::optional<ProcessorId> on{};
  double start_s = 0;
  std::optional<double> end_s{};
};

const TracedRun& only(const std::vector<TracedRun>& runs) {
  assert(runs.size() == 1 && runs.front().workload);
  return runs.front();
}

std::vector<Ran> ran(const TracedRun& run) {
  std::vector<Ran> result(run.workload->tasks());
  for (const RunEvent& event : run.events) {
    if (event.kind == RunEvent::Kind::task_started) {
      result[event.id].on = event.processor;
      result[event.id].start_s = event.time_s;
    } else if (event.kind == RunEvent::Kind::task_ended) {
      result[event.id].end_s = event.time_s;
    }
  }
  return result;
}

/// On one line, as recutils want it; `usual` where nothing is left.
std::string on_one_line(std::string text, const char* usual) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  const bool blank = text.find_first_not_of(" \t") == std::string::npos;
  return blank ? usual : text;
}

const char* mode_word(Access access) {
  if (commutes(access)) return "RWC";
  if (reduces(access)) return "X";
  return reads(access) ? writes(access) ? "RW" : "R" : "W";
}

/// In 1e9, so that the number read back is the same: one of the three nearest, where there is one.
double gflop(double flops) {
  const double nearest = flops / 1e9;
  for (const double to : {0.0, std::numeric_limits<double>::infinity()}) {
    const double next = std::nextafter(nearest, to);
    if (nearest * 1e9 != flops && next * 1e9 == flops) return next;
  }
  return nearest;
}

/// To 12 digits: differences of two keep the nanosecond after days.
std::string milliseconds(double seconds) { return fmt::format("{:.12g}", seconds * 1e3); }

/// The lines of what a task accesses. Handles are addresses; none is 0, which means nothing there.
std::string accesses_of(const TaskGraph& graph, RecTask task) {
  constexpr std::uint64_t apart = 0x100;
  std::vector<std::string> parameters;
  std::vector<std::string> handles;
  std::vector<std::string> modes;
  std::vector<std::uint64_t> sizes;
  graph.for_each_access(task, [&](RecTask data, Access access) {
    parameters.push_back(fmt::format("v{}", graph.bytes(data)));
    handles.push_back(fmt::format("{:x}", (data + std::uint64_t{1}) * apart));
    modes.emplace_back(mode_word(access));
    sizes.push_back(graph.bytes(data));
  });
  if (handles.empty()) return "";
  // starpu_replay counts the words of Parameters before it reads the others.
  return fmt::format("Parameters: {}\nHandles: {}\nModes: {}\nSizes: {}\n",
                     fmt::join(parameters, " "), fmt::join(handles, " "), fmt::join(modes, " "),
                     fmt::join(sizes, " "));
}

/// The tasks that each waits for.
std::vector<std::vector<RecTask>> waits_of(const TaskGraph& graph) {
  std::vector<std::vector<RecTask>> result(graph.tasks());
  for (RecTask task = 0; task < graph.tasks(); ++task) {
    for (const RecTask later : graph.dependencies().after(task)) result[later].push_back(task);
  }
  return result;
}

}  // namespace

std::string tasks_rec_trace(const std::vector<TracedRun>& runs) {
  const TracedRun& run = only(runs);
  const TaskGraph& graph = run.workload->graph();
  const auto orders = submit_orders(*run.workload);
  const auto waits = waits_of(graph);
  const auto done = ran(run);
  std::string text;
  const auto out = std::back_inserter(text);
  for (RecTask task = 0; task < graph.tasks(); ++task) {
    fmt::format_to(out, "Name: {}\nModel: {}\nJobId: {}\nSubmitOrder: {}\n",
                   on_one_line(graph.task_name(task), "task"),
                   on_one_line(graph.kind_name(task), "task"), orders[task], orders[task]);
    if (!graph.parts().priorities.empty()) {
      fmt::format_to(out, "Priority: {}\n", graph.priority(task));
    }
    if (!waits[task].empty()) {
      text += "DependsOn:";
      for (const RecTask before : waits[task]) fmt::format_to(out, " {}", orders[before]);
      text += '\n';
    }
    const Ran& here = done[task];
    if (here.on) {
      fmt::format_to(out, "WorkerId: {}\n", raw(*here.on));
      if (!run.memory_nodes.empty()) {
        fmt::format_to(out, "MemoryNode: {}\n", run.memory_nodes[raw(*here.on)]);
      }
      fmt::format_to(out, "StartTime: {}\n", milliseconds(here.start_s + run.overhead_s));
    }
    if (here.end_s) fmt::format_to(out, "EndTime: {}\n", milliseconds(*here.end_s));
    if (const auto footprint = graph.recorded(task).footprint) {
      fmt::format_to(out, "Footprint: {:08x}\n", *footprint);
    }
    fmt::format_to(out, "GFlop: {}\n{}MPIRank: -1\n\n", gflop(graph.flops(task)),
                   accesses_of(graph, task));
  }
  return text;
}

std::string sched_rec_trace(const std::vector<TracedRun>& runs) {
  const TracedRun& run = only(runs);
  const auto orders = submit_orders(*run.workload);
  const auto done = ran(run);
  std::vector<std::uint64_t> turns(run.workload->tasks(), 0);
  std::vector<std::uint64_t> last(run.processors.size(), 0);
  for (const RunEvent& event : run.events) {
    if (event.kind != RunEvent::Kind::task_started) continue;
    turns[event.id] = ++last[raw(event.processor)];
  }
  std::string text;
  for (std::size_t task = 0; task < done.size(); ++task) {
    if (!done[task].on) continue;
    fmt::format_to(std::back_inserter(text),
                   "SubmitOrder: {}\nSpecificWorker: {}\nWorkerorder: {}\n\n", orders[task],
                   raw(*done[task].on), turns[task]);
  }
  return text;
}

namespace {

const Register rec_formats{TraceFormat{.name = ".rec",
                                       .place = 4,
                                       .title = "StarPU's tasks.rec",
                                       .text = tasks_rec_trace,
                                       .one_run = true},
                           TraceFormat{.name = "sched.rec",
                                       .place = 5,
                                       .title = "for starpu_replay",
                                       .text = sched_rec_trace,
                                       .one_run = true}};

}  // namespace

}  // namespace damocles
