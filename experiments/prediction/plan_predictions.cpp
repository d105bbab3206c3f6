#include "experiments/prediction/plan_predictions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/platforms/measured_kernels.hpp"
#include "ode/static_plans/plan_predictor.hpp"

namespace damocles {
namespace {

/// Why the model says nothing of the strategy with these options, or "".
std::string why_other_plan(const ResolvedStrategy& resolved) {
  const std::string& name = resolved.choice.entry->name;
  for (const std::string& key : resolved.choice.spec.keys()) {
    const bool is_default = key == "prefetch" && resolved.choice.spec.word(key) == "grant";
    if (key == "eviction" || is_default) continue;
    return fmt::format("no model predicts '{}' with the option {}", name, key);
  }
  const std::string eviction = resolved.choice.eviction();
  if (eviction == "lru") return "";
  return fmt::format("no model predicts '{}' with eviction={}, but with lru", name, eviction);
}

PlanPrediction prediction_of(const Workload& workload, const Platform& platform,
                             const ResolvedStrategy& resolved, const PlannedRun& run) {
  if (needs_plan(workload) || !why_no_limited_run(workload, platform).empty()) {
    return plan_prediction(run);
  }
  const StrategyChoice& choice = resolved.choice;
  return plan_prediction(run,
                         limited_run(workload, platform, choice.eviction(), choice.entry->depth));
}

}  // namespace

std::string why_no_plan_predicted(const std::string& model, const Experiment& experiment,
                                  const ResolvedStrategy& resolved) {
  const std::string& name = resolved.choice.entry->name;
  if (Table<PlanPredictor>::find(name) == nullptr) {
    return fmt::format(
        "no model predicts '{}' where tasks wait for others or write; static schedules have one: {}",
        name, fmt::join(Table<PlanPredictor>::names(), ", "));
  }
  const Platform platform = experiment.scenario.draw(experiment.seed, 0);
  const std::string run = why_no_planned_run(experiment.workload, platform);
  if (!run.empty()) {
    return fmt::format("model {} does not predict '{}' on '{}': {}; use `damocles simulate`",
                       plan_model, experiment.workload.text(), experiment.scenario.text(), run);
  }
  std::string other = why_other_plan(resolved);
  if (!other.empty() || model == plan_model) return other;
  return fmt::format("model {} does not predict strategy '{}' there; model {} does", model,
                     resolved.asked, plan_model);
}

Record predicted_plan(const Experiment& experiment, const ResolvedStrategy& resolved,
                      std::uint64_t replicate) {
  const Platform platform = experiment.scenario.draw(experiment.seed, replicate);
  const auto& predictor = Table<PlanPredictor>::named(resolved.choice.entry->name);
  const PlannedRun run =
      planned_run(experiment.workload, platform, predictor.schedule, resolved.choice.entry->depth);
  const PlanPrediction prediction = prediction_of(experiment.workload, platform, resolved, run);
  Record record = make_record(experiment, resolved, replicate);
  record.source = "predicted";
  record.model = plan_model;
  record.eviction = eviction_name(resolved.choice, experiment.workload, platform);
  record.kernel_times = measured_kernels_in_use(*platform.machine, experiment.workload);
  const RunBounds bounds = run_bounds(experiment, platform, replicate);
  set_volume(record, std::max(prediction.loads, bounds.volume.lower), bounds.volume);
  record.bytes_loaded = prediction.bytes_loaded;
  record.bytes_written = static_cast<std::uint64_t>(prediction.bytes_home);
  record.planned_makespan_s = prediction.planned_makespan_s;
  set_predicted_makespan(record, prediction.makespan_s, bounds);
  set_flops(record, experiment.workload.graph().total_flops());
  const std::string outside = why_outside_plan_study(experiment.workload, run);
  record.domain = outside.empty() ? "inside" : "outside validated domain: " + outside;
  if (outside.empty()) {
    const std::string family = family_of(experiment.workload.text());
    record.expected_error = predictor.errors(family, run.processors.size()).loads;
  }
  return record;
}

}  // namespace damocles
