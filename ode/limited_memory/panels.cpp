#include "ode/limited_memory/panels.hpp"

#include <algorithm>

#include "ode/limited_memory/limited_predictor.hpp"

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

std::string why_no_panels(const LimitedRun& run) {
  if (!run.is_grid()) return run.why_no_grid();
  if (run.processors > 1) return "several GPUs choose among many orders by rehearsing them";
  return run.depth > 1 ? "" : "with depth=1 no load is planned ahead";
}

/// Loads are paced so evenly that tasks wait for none, unless the bus works all the time: then it
/// brings one after the other, and the last task follows.
LimitedPrediction predict_panels(const LimitedRun& run) {
  const double loads = std::max(loads_of_panels(run, run.memory), static_cast<double>(run.data()));
  const double load_s = run.link_s + run.latency_s;
  const double tasks_s = static_cast<double>(run.tasks()) * run.mean_task_s();
  return {.loads = loads,
          .makespan_s = std::max(2 * load_s + tasks_s, loads * load_s + run.mean_task_s()),
          .sd_loads = 0.0};
}

const Register panels_model{
    LimitedModel{.name = "panels",
                 .place = 15,
                 .summary = "panels stay in memory while the rest streams past: a closed form"}};

const Register panels_predictor{LimitedPredictor{.name = "panel-streaming",
                                                 .model = "panels",
                                                 .evictions = {"belady"},
                                                 .alone = {.loads = 0.01, .makespan = 0.01},
                                                 .why_unavailable = why_no_panels,
                                                 .predict = predict_panels}};

}  // namespace

double loads_of_panels(const LimitedRun& run, std::size_t memory) {
  return std::min(loads_of_pivots(run.rows, run.columns, memory),
                  loads_of_pivots(run.columns, run.rows, memory));
}

}  // namespace damocles
