#include "ode/static_plans/plan_predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ode/limited_memory/shared_queue.hpp"
#include "ode/static_plans/planned_loads.hpp"
#include "ode/static_plans/planned_pace.hpp"

namespace damocles {
namespace {

constexpr std::array plan_families{"cholesky",        "lu",       "gemm3d", "stencil", "layered",
                                   "starpu-cholesky", "starpu-lu"};
constexpr std::size_t fewest_planned_tasks = 20;
constexpr std::size_t most_planned_tasks = 11'500;
constexpr std::size_t most_planned_gpus = 4;
constexpr std::size_t most_planned_cores = 12;
constexpr std::size_t least_planned_memory = 6;

const Register plan_model_entry{
    LimitedModel{.name = std::string(plan_model),
                 .place = 60,
                 .summary = "the plan of a static schedule is known; loads are counted along it"}};

PlanPredictor planned_by(std::string_view name) {
  return {.name = std::string(name),
          .schedule = schedule_called(name),
          .alone = {.loads = 0.015, .makespan = 0.01},
          .several = {.loads = 0.01, .makespan = 0.01},
          .independent = {.loads = 0.005, .makespan = 0.005}};
}

/// Of each static schedule.
struct RegisterPlans {
  RegisterPlans() {
    for (const NamedSchedule& one : named_schedules()) {
      Table<PlanPredictor>::add(planned_by(one.name));
    }
  }
};
const RegisterPlans registered_plans;

/// All tasks in the order of these starts; ties as planned.
std::vector<TaskGraph::Index> by_starts(const PlannedRun& run, const PlannedPace& pace) {
  std::vector<TaskGraph::Index> order = run.plan.order;
  std::stable_sort(order.begin(), order.end(), [&](TaskGraph::Index a, TaskGraph::Index b) {
    return pace.starts_s[a] < pace.starts_s[b];
  });
  return order;
}

/// Over some draws of the jitter: it decides how long equal processors ask for the bus at the same
/// moments.
double mean_makespan_s(const PlannedRun& run, const PlannedLoads& counted) {
  const std::uint64_t draws = run.jitter > 0 && run.graph->tasks() <= 100'000 ? 4 : 1;
  double sum_s = 0;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    sum_s += planned_pace(run, counted, draw).makespan_s;
  }
  return sum_s / static_cast<double>(draws);
}

/// GPUs come first.
bool gpus_differ(const PlannedRun& run) {
  const PlannedRun::Processor& first = run.processors.front();
  for (std::size_t k = 1; k < run.own_memories(); ++k) {
    const PlannedRun::Processor& one = run.processors[k];
    if (one.memory_bytes != first.memory_bytes || one.link_bytes_per_s != first.link_bytes_per_s ||
        run.durations.class_of(k) != run.durations.class_of(0)) {
      return true;
    }
  }
  return false;
}

/// Bytes of the data items that a list accesses.
std::uint64_t accessed_bytes(const TaskGraph& graph, const std::vector<TaskGraph::Index>& list) {
  std::vector<bool> met(graph.data(), false);
  std::uint64_t bytes = 0;
  for (const TaskGraph::Index task : list) {
    for (const TaskGraph::Index item : graph.inputs(task)) {
      if (!met[item]) bytes += graph.bytes(item);
      met[item] = true;
    }
  }
  return bytes;
}

/// Where a memory lacks room for a few of the data items that its GPU accesses, a buffer of more
/// than three tasks may spare these: the loader evicts nothing that a buffered task accesses.
std::string why_buffer_decides(const PlannedRun& run) {
  constexpr std::size_t deep = 3;
  for (std::size_t k = 0; k < run.own_memories(); ++k) {
    const PlannedRun::Processor& one = run.processors[k];
    const std::uint64_t accessed = accessed_bytes(*run.graph, run.plan.of_processors[k]);
    if (one.depth <= deep || accessed <= one.memory_bytes) continue;
    const double items = static_cast<double>(accessed - one.memory_bytes) / run.graph->mean_bytes();
    if (items >= static_cast<double>(one.depth)) continue;
    return fmt::format(
        "a memory {:.0f} data items short of what its GPU accesses, fewer than the buffer's {} tasks",
        items, one.depth);
  }
  return "";
}

}  // namespace

PlanPrediction plan_prediction(const PlannedRun& run) {
  PlannedLoads counted = planned_loads(run, run.plan.order);
  double makespan_s = planned_pace(run, counted).makespan_s;
  if (run.processors.size() > 1) {
    // Where transfers hold the processors up, the starts come in another order than planned.
    counted = planned_loads(run, by_starts(run, planned_pace(run, counted)));
    makespan_s = mean_makespan_s(run, counted);
  }
  return {.loads = static_cast<double>(counted.loads),
          .bytes_loaded = static_cast<double>(counted.bytes_loaded),
          .bytes_home = static_cast<double>(counted.bytes_home),
          .makespan_s = makespan_s,
          .planned_makespan_s = run.plan.makespan_s};
}

PlanPrediction plan_prediction(const PlannedRun& run, const LimitedRun& limited) {
  const LimitedPrediction followed =
      predict_in_order(limited, run.plan.of_processors, Taken::when_there_is_room);
  return {.loads = followed.loads,
          .bytes_loaded = followed.loads * static_cast<double>(run.graph->bytes(0)),
          .makespan_s = followed.makespan_s,
          .planned_makespan_s = run.plan.makespan_s};
}

bool needs_plan(const Workload& workload) {
  return workload.has_dependencies() || workload.writes();
}

std::string why_outside_plan_study(const Workload& workload, const PlannedRun& run) {
  const std::string family = family_of(workload.text());
  // Tasks that wait for nobody are this model's where GPUs differ.
  const bool independent = !needs_plan(workload);
  if (independent && family != grid_family) {
    return fmt::format("the independent tasks of {}, validated for {}", family, grid_family);
  }
  if (!independent &&
      std::find(plan_families.begin(), plan_families.end(), family) == plan_families.end()) {
    return fmt::format("the tasks of {}, validated for {}", family, fmt::join(plan_families, ", "));
  }
  const std::size_t tasks = run.graph->tasks();
  if (tasks < fewest_planned_tasks) {
    return fmt::format("{} tasks, validated from {}", tasks, fewest_planned_tasks);
  }
  if (tasks > most_planned_tasks) {
    return fmt::format("{} tasks, validated up to {}", tasks, most_planned_tasks);
  }
  const std::size_t gpus = run.own_memories();
  if (gpus == 0 || gpus > most_planned_gpus) {
    return fmt::format("{} GPUs, validated for 1 to {}", gpus, most_planned_gpus);
  }
  const std::size_t cores = run.processors.size() - gpus;
  if (cores > (independent ? 0 : most_planned_cores)) {
    return independent ? "cores beside independent tasks, validated for GPUs alone"
                       : fmt::format("{} cores, validated up to {}", cores, most_planned_cores);
  }
  if (!independent && gpus_differ(run)) return "GPUs that differ, validated for equal ones";
  const std::uint64_t items = run.processors.front().memory_bytes / run.graph->bytes(0);
  if (items >= least_planned_memory) return why_buffer_decides(run);
  return fmt::format("memory of {} data items, validated from {}", items, least_planned_memory);
}

std::string limits_of_plan_study() {
  return fmt::format(
      "{} to {} tasks of {}, or {} on GPUs of different speeds, memory of {} or more data items, up to {} GPUs and {} cores",
      fewest_planned_tasks, most_planned_tasks, fmt::join(plan_families, ", "), grid_family,
      least_planned_memory, most_planned_gpus, most_planned_cores);
}

}  // namespace damocles
