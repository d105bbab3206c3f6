#include "ode/limited_memory/panels.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/pace.hpp"
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

std::string why_no_plan(const LimitedRun& run) {
  return run.depth > 1 ? "" : "with depth=1 no load is planned ahead";
}

double load_s(const LimitedRun& run) { return run.link_s + run.latency_s; }
double tasks_s(const LimitedRun& run) {
  return static_cast<double>(run.tasks()) * run.mean_task_s();
}

/// Where loads take long, narrower panels may load more and end sooner.
bool widest_panels_are_best(const LimitedRun& run) {
  constexpr double most = 0.35;
  if (!run.is_grid() || run.processors > 1) return false;
  return loads_of_panels(run, run.memory) * load_s(run) <= most * tasks_s(run);
}

/// When things happen in a plan that takes this time: tasks end evenly, and a load begins when the
/// tasks before it and the load before have ended.
/// @param load_s  of each, while the others load too
ProcessorCourse course_of(const PacedOrder& plan, double makespan_s, double load_s) {
  const auto tasks = static_cast<double>(plan.order.size());
  ProcessorCourse course;
  for (const PlannedLoad& load : plan.loads) {
    const double begins_s = makespan_s * static_cast<double>(load.after) / tasks;
    const double before_s = course.loads_s.empty() ? 0 : course.loads_s.back();
    course.loads_s.push_back(std::max(begins_s, before_s) + load_s);
  }
  for (std::size_t t = 0; t < plan.order.size(); ++t) {
    course.ends_s.push_back(makespan_s * static_cast<double>(t + 1) / tasks);
  }
  return course;
}

/// Of all plans; processors without one rest.
/// @param longer  so many times as long as planned
RunCourse course_of_all(const LimitedRun& run, const std::vector<PacedOrder>& plans,
                        double longer) {
  const auto working = std::count_if(plans.begin(), plans.end(),
                                     [](const auto& plan) { return !plan.order.empty(); });
  const double each_s =
      std::max(run.link_s, static_cast<double>(working) * run.bus_s) + run.latency_s;
  RunCourse course;
  for (const PacedOrder& plan : plans) {
    course.push_back(course_of(plan, plan.makespan_s * longer, each_s));
  }
  return course;
}

/// What the order loads, and how long it takes, that the strategy would choose.
LimitedPrediction predict_planned_panels(const LimitedRun& run) {
  const TaskGraph& graph = *run.graph;
  const auto item_bytes = static_cast<double>(graph.bytes(0));
  std::uint64_t largest_task = 0;
  for (TaskGraph::Index task = 0; task < run.tasks(); ++task) {
    largest_task = std::max(largest_task, graph.footprint(task));
  }
  const std::uint64_t all = run.memory * graph.bytes(0);
  const std::uint64_t memory = std::max(largest_task, all - graph.bytes(0));
  std::vector<Pace> paces;
  for (std::size_t k = 0; k < run.processors; ++k) {
    paces.push_back({.flops_per_s = graph.flops(0) / run.s(k, 0),
                     .bytes_per_s = item_bytes / run.link_s,
                     .load_latency_s = run.latency_s,
                     .spare_bytes = all - memory});
  }
  const auto plans = panel_plans(graph, memory, paces, item_bytes / run.bus_s);
  LimitedPrediction result{.sd_loads = 0.0};
  for (const PacedOrder& plan : plans) {
    result.loads += static_cast<double>(plan.loads.size());
    result.makespan_s = std::max(result.makespan_s, plan.makespan_s);
  }
  const double longer = run.mean_task_s() / run.task_s;
  result.makespan_s *= longer;
  if (run.with_course) result.courses = {course_of_all(run, plans, longer)};
  return result;
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
                     .alone = {.loads = 0.01, .makespan = 0.01},
                     .several = {.loads = 0.04, .makespan = 0.03},
                     .alone_elsewhere = {.loads = 0.075, .makespan = 0.065},
                     .several_elsewhere = {.loads = 0.06, .makespan = 0.03},
                     .different_speeds = {.loads = 0.12, .makespan = 0.03},
                     .why_unavailable = why_no_plan,
                     .predict = predict_panels}};

}  // namespace

double loads_of_panels(const LimitedRun& run, std::size_t memory) {
  return std::min(loads_of_pivots(run.rows, run.columns, memory),
                  loads_of_pivots(run.columns, run.rows, memory));
}

}  // namespace damocles
