#include "ode/limited_memory/panels.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/planned_lists.hpp"
#include "orders/panel_order.hpp"
#include "orders/panel_plans.hpp"

namespace damocles {
namespace {

/// Panels of so many of the pivots, as even as possible, in as few as fit beside the data item that
/// streams past; and another one, as one place is that of the transfer. The streams turn at the end
/// of a panel; what fits beside the next panel is not loaded again.
double loads_of_pivots(std::size_t pivots, std::size_t streams, std::size_t memory) {
  const std::size_t widest = std::max<std::size_t>(memory, 3) - 2;
  const std::size_t panels = (pivots + widest - 1) / widest;
  const std::size_t width = (pivots + panels - 1) / panels;
  const std::size_t kept = std::min(streams, memory - 1 - width);
  return static_cast<double>(pivots + panels * streams) - static_cast<double>((panels - 1) * kept);
}

/// Whether loads are planned: with depth=1 no load runs beside a task.
bool has_paced_loads(const LimitedRun& run) {
  return run.depth > 1 && run.strategy.word("pace") != "false";
}
bool is_ranked_by_bytes(const LimitedRun& run) { return run.strategy.word("rank") == "bytes"; }

double load_s(const LimitedRun& run) { return run.link_s + run.latency_s; }
double tasks_s(const LimitedRun& run) {
  return static_cast<double>(run.tasks()) * run.mean_task_s();
}

/// Where loads take long, narrower panels may load more and end sooner.
bool widest_panels_are_best(const LimitedRun& run) {
  constexpr double most = 0.35;
  if (!run.is_grid() || run.processors > 1) return false;
  if (!has_paced_loads(run) || is_ranked_by_bytes(run)) return false;
  return loads_of_panels(run, run.memory) * load_s(run) <= most * tasks_s(run);
}

/// What processors count on, beside the largest task that transfers may run ahead of.
/// @param memory_bytes  what orders are made for
std::vector<Pace> panel_paces(const LimitedRun& run, std::uint64_t memory_bytes) {
  const TaskGraph& graph = *run.graph;
  std::vector<Pace> paces;
  for (std::size_t k = 0; k < run.processors; ++k) {
    paces.push_back({.flops_per_s = graph.flops(0) / run.s(k, 0),
                     .bytes_per_s = static_cast<double>(graph.bytes(0)) / run.link_s,
                     .load_latency_s = run.latency_s,
                     .spare_bytes = run.memory * graph.bytes(0) - memory_bytes});
  }
  return paces;
}

/// The plans that the strategy would choose.
std::vector<PacedOrder> plans_of(const LimitedRun& run) {
  const TaskGraph& graph = *run.graph;
  std::uint64_t memory = run.memory * graph.bytes(0);
  if (run.depth > 1) memory -= graph.bytes(0);
  for (TaskGraph::Index task = 0; task < run.tasks(); ++task) {
    memory = std::max(memory, graph.footprint(task));
  }
  const auto paces = panel_paces(run, memory);
  const double bus_bytes_per_s = static_cast<double>(graph.bytes(0)) / run.bus_s;
  if (has_paced_loads(run) && !is_ranked_by_bytes(run)) {
    return panel_plans(graph, memory, paces, bus_bytes_per_s);
  }
  const auto sequences = panel_sequences(graph, memory, run.processors);
  const auto parts = split_orders(graph, sequences, memory, run.relative_speeds).front().parts;
  if (has_paced_loads(run)) return paced_together(graph, parts, memory, paces, bus_bytes_per_s);
  std::vector<PacedOrder> plans;
  for (const auto& part : parts) plans.push_back({.order = part, .loads = {}});
  return plans;
}

LimitedPrediction predict_planned_panels(const LimitedRun& run) {
  return predict_plans(run, plans_of(run));
}

/// Loads are paced so evenly that tasks wait for none, unless the bus works all the time: then it
/// brings one after the other, and the last task follows.
LimitedPrediction predict_widest_panels(const LimitedRun& run) {
  const double loads = std::max(loads_of_panels(run, run.memory), static_cast<double>(run.data()));
  const double makespan_s =
      std::max(2 * load_s(run) + tasks_s(run), loads * load_s(run) + run.mean_task_s());
  return {
      .loads = loads,
      .makespan_s = makespan_s,
      .sd_loads = 0.0,
      .courses = run.with_course ? predict_planned_panels(run).courses : std::vector<RunCourse>{}};
}

LimitedPrediction predict_panels(const LimitedRun& run) {
  return widest_panels_are_best(run) ? predict_widest_panels(run) : predict_planned_panels(run);
}

const Register panels_model{
    LimitedModel{.name = "panels",
                 .place = 15,
                 .summary = "panels stay in memory while the rest streams past: a closed form, or "
                            "the plan of the order chosen"}};

const Register panels_predictor{
    LimitedPredictor{.name = "panel-streaming",
                     .model = "panels",
                     .evictions = {"belady"},
                     .options = {"pace", "rank"},
                     .alone = {.loads = 0.005, .makespan = 0.005},
                     .several = {.loads = 0.005, .makespan = 0.005},
                     .alone_elsewhere = {.loads = 0.005, .makespan = 0.005},
                     .several_elsewhere = {.loads = 0.005, .makespan = 0.005},
                     .different_speeds = {.loads = 0.005, .makespan = 0.005},
                     .predict = predict_panels}};

}  // namespace

double loads_of_panels(const LimitedRun& run, std::size_t memory) {
  return std::min(loads_of_pivots(run.rows, run.columns, memory),
                  loads_of_pivots(run.columns, run.rows, memory));
}

}  // namespace damocles
