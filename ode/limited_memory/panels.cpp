#include "ode/limited_memory/panels.hpp"

#include <fmt/format.h>

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

double load_s(const LimitedRun& run) { return run.link_s + run.latency_s; }
double tasks_s(const LimitedRun& run) {
  return static_cast<double>(run.tasks()) * run.mean_task_s();
}

/// Where loads take long, narrower panels may load more and end sooner: the strategy rehearses
/// them.
std::string why_rehearsals_decide(const LimitedRun& run) {
  constexpr double most = 0.35;
  const double share = loads_of_panels(run, run.memory) * load_s(run) / tasks_s(run);
  if (share <= most) return "";
  return fmt::format("transfers take {:.2g} of the time of the tasks, validated up to {}", share,
                     most);
}

/// Loads are paced so evenly that tasks wait for none, unless the bus works all the time: then it
/// brings one after the other, and the last task follows.
LimitedPrediction predict_panels(const LimitedRun& run) {
  const double loads = std::max(loads_of_panels(run, run.memory), static_cast<double>(run.data()));
  return {.loads = loads,
          .makespan_s =
              std::max(2 * load_s(run) + tasks_s(run), loads * load_s(run) + run.mean_task_s()),
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
                                                 .predict = predict_panels,
                                                 .why_wrong = why_rehearsals_decide}};

}  // namespace

double loads_of_panels(const LimitedRun& run, std::size_t memory) {
  return std::min(loads_of_pivots(run.rows, run.columns, memory),
                  loads_of_pivots(run.columns, run.rows, memory));
}

}  // namespace damocles
