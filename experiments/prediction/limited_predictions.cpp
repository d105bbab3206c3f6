#include "experiments/prediction/limited_predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/prediction/plan_predictions.hpp"
#include "models/platforms/heterogeneity.hpp"
#include "models/platforms/machine_keys.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/quantity.hpp"
#include "ode/limited_memory/hiding_memory.hpp"
#include "ode/model.hpp"
#include "ode/static_plans/plan_predictor.hpp"

namespace damocles {
namespace {

/// Whether the model of static schedules answers for the strategy: where tasks wait for others or
/// write and, if it is such a schedule, where processors differ.
bool is_of_plan(const Experiment& experiment, const std::string& strategy) {
  if (needs_plan(experiment.workload)) return true;
  return Table<PlanPredictor>::find(strategy) != nullptr &&
         processors_differ(*experiment.scenario.machine());
}

LimitedRun unchecked_run(const StrategyChoice& choice, const Workload& workload,
                         const Platform& platform) {
  LimitedRun run = limited_run(workload, platform, choice.eviction(), choice.entry->depth);
  run.strategy = choice.spec;
  return run;
}

/// The first option of the strategy that the model does not know, or "".
std::string unknown_option(const LimitedPredictor& predictor, const Spec& spec) {
  const auto& known = predictor.options;
  for (const std::string& key : spec.keys()) {
    if (key == "eviction") continue;
    if (std::find(known.begin(), known.end(), key) == known.end()) return key;
  }
  return "";
}

/// Loads of a run in which nothing stays in memory.
double inputs_of_tasks(const Workload& workload) {
  const TaskGraph& graph = workload.graph();
  double sum = 0;
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    sum += static_cast<double>(graph.inputs(task).size());
  }
  return sum;
}

/// Whether a run may have such loads, or nearly: models are asymptotic, and say anything of a
/// handful of tasks.
bool is_possible(double loads, double least, double most) {
  constexpr double slack = 0.05;
  return loads >= least * (1 - slack) && loads <= most * (1 + slack);
}

std::string hiding_line(const LimitedRun& run, std::optional<std::size_t> items,
                        std::string_view strategies) {
  if (!items) {
    return fmt::format("{}: no memory is large enough to hide transfers behind computing\n",
                       strategies);
  }
  return fmt::format("{}: transfers hide behind computing from {} data items on ({})\n", strategies,
                     *items, size_text(*items * run.graph->bytes(0)));
}

}  // namespace

std::string modelled_platform(const std::string& platform) {
  const Spec given = Spec::parse(platform, "platform");
  if (given.name() != "gpus") return platform;
  constexpr std::array<std::string_view, 7> unknown{"buses",   "duplex",   "peers",   "writeback",
                                                    "streams", "decision", "handover"};
  Spec known = Spec::parse(given.name(), given.what());
  for (const std::string& key : given.keys()) {
    if (std::find(unknown.begin(), unknown.end(), key) == unknown.end()) {
      known.set(key, given.word(key).value());
    }
  }
  const auto buses = given.number("buses", 1, most_limited_processors);
  const auto rate = parse_quantity(given.word("bandwidth").value_or(""), Unit::bytes_per_s);
  if (buses && rate) known.set("bandwidth", fmt::format("{:g}GB/s", *buses * *rate / 1e9));
  return known.text();
}

std::optional<LimitedTrust> limited_trust(const std::string& strategy,
                                          const Experiment& experiment) {
  const std::size_t processors = experiment.scenario.processors();
  const std::string family = family_of(experiment.workload.text());
  if (is_of_plan(experiment, strategy)) {
    const auto* const planned = Table<PlanPredictor>::find(strategy);
    if (planned == nullptr) return std::nullopt;
    return LimitedTrust{std::string(plan_model), planned->errors(family, processors),
                        limits_of_plan_study()};
  }
  const auto* const predictor = Table<LimitedPredictor>::find(strategy);
  if (predictor == nullptr) return std::nullopt;
  const bool speeds_differ =
      heterogeneity(experiment.scenario.draw(experiment.seed, 0).speeds).has_value();
  return LimitedTrust{predictor->model, predictor->errors(family, processors, speeds_differ),
                      limits_of_study(family, speeds_differ)};
}

std::string why_no_limited_model(const StrategyChoice& choice, const Workload& workload,
                                 const Platform& platform) {
  const std::string& name = choice.entry->name;
  const auto* const predictor = Table<LimitedPredictor>::find(name);
  if (predictor == nullptr) {
    return fmt::format(
        "no model predicts '{}' with limited memory; docs/explanation/limited_memory_theory.md lists the {} strategies that have one",
        name, Table<LimitedPredictor>::entries().size());
  }
  const std::string option = unknown_option(*predictor, choice.spec);
  if (!option.empty()) {
    return fmt::format("no model predicts '{}' with the option {}", name, option);
  }
  const std::string eviction = choice.eviction();
  const auto& evictions = predictor->evictions;
  if (std::find(evictions.begin(), evictions.end(), eviction) == evictions.end()) {
    return fmt::format("no model predicts '{}' with eviction={}, but with {}", name, eviction,
                       fmt::join(evictions, ", "));
  }
  if (predictor->why_unavailable == nullptr) return "";
  return predictor->why_unavailable(unchecked_run(choice, workload, platform));
}

LimitedRun modelled_run(const StrategyChoice& choice, const Workload& workload,
                        const Platform& platform) {
  const MachineModel& machine = *platform.machine;
  refuse_unfit(workload, machine, memory_bytes(machine, workload), machine.write_back);
  return unchecked_run(choice, workload, platform);
}

std::string why_not_predicted(const std::string& model, const Experiment& experiment,
                              const ResolvedStrategy& resolved) {
  if (Table<Model>::find(model) != nullptr) {
    return fmt::format(
        "model {} assumes unlimited memory, but '{}' limits it; give --model all, or the platform homogeneous:p={}",
        model, experiment.scenario.text(), experiment.scenario.processors());
  }
  if (is_of_plan(experiment, resolved.choice.entry->name)) {
    return why_no_plan_predicted(model, experiment, resolved);
  }
  if (model == plan_model) {
    return fmt::format(
        "model {} is of tasks that wait for others or write, not of the independent ones of '{}'",
        model, experiment.workload.text());
  }
  const Platform platform = experiment.scenario.draw(experiment.seed, 0);
  const std::string run = why_no_limited_run(experiment.workload, platform);
  if (!run.empty()) {
    return fmt::format(
        "with limited memory models predict independent tasks on equal GPUs and one bus, not '{}' on '{}': {}; use `damocles simulate`",
        experiment.workload.text(), experiment.scenario.text(), run);
  }
  std::string nothing = why_no_limited_model(resolved.choice, experiment.workload, platform);
  if (!nothing.empty()) return nothing;
  const auto& predictor = Table<LimitedPredictor>::named(resolved.choice.entry->name);
  if (predictor.model == model) return "";
  return fmt::format("model {} does not predict strategy '{}'; model {} does", model,
                     resolved.asked, predictor.model);
}

Record limited_prediction(const Experiment& experiment, const ResolvedStrategy& resolved,
                          const std::string& model, std::uint64_t replicate) {
  if (is_of_plan(experiment, resolved.choice.entry->name)) {
    return predicted_plan(experiment, resolved, replicate);
  }
  const Platform platform = experiment.scenario.draw(experiment.seed, replicate);
  const auto& predictor = Table<LimitedPredictor>::named(resolved.choice.entry->name);
  const LimitedRun run = modelled_run(resolved.choice, experiment.workload, platform);
  const LimitedPrediction prediction = predictor.predict(run);
  Record record = make_record(experiment, resolved, replicate);
  record.source = "predicted";
  record.model = model;
  record.eviction = eviction_name(resolved.choice, experiment.workload, platform);
  const RunBounds bounds = run_bounds(experiment, platform, replicate);
  const double most = inputs_of_tasks(experiment.workload);
  if (!is_possible(prediction.loads, bounds.volume.lower, most)) {
    record.status = {Status::Kind::outside_domain};
    return record;
  }
  set_volume(record, std::clamp(prediction.loads, bounds.volume.lower, most), bounds.volume);
  record.bytes_loaded = *record.loads * static_cast<double>(experiment.workload.graph().bytes(0));
  if (prediction.sd_loads) record.sd = *prediction.sd_loads / ratio_bound(record);
  set_predicted_makespan(record, prediction.makespan_s, bounds);
  set_flops(record, experiment.workload.graph().total_flops());
  std::string outside = why_outside_study(run);
  if (outside.empty() && predictor.why_wrong != nullptr) outside = predictor.why_wrong(run);
  record.domain = outside.empty() ? "inside" : "outside validated domain: " + outside;
  if (outside.empty()) {
    record.expected_error =
        predictor.errors(run.family, run.processors, !run.slowness.empty()).loads;
  }
  return record;
}

PredictedCourse predicted_course(const Experiment& experiment, const ResolvedStrategy& resolved) {
  const Platform platform = experiment.scenario.draw(experiment.seed, 0);
  LimitedRun run = modelled_run(resolved.choice, experiment.workload, platform);
  run.with_course = true;
  const auto& predictor = Table<LimitedPredictor>::named(resolved.choice.entry->name);
  return {.prediction = predictor.predict(run), .memory = run.memory};
}

std::string hiding_memories(const Experiment& experiment, const std::vector<Record>& records) {
  if (!experiment.scenario.machine()) return "";
  const Platform platform = experiment.scenario.draw(experiment.seed, 0);
  if (!why_no_limited_run(experiment.workload, platform).empty()) return "";
  const LimitedRun run = limited_run(experiment.workload, platform, "lru");
  if (!run.is_grid() || !run.slowness.empty()) return "";  // derived for equal GPUs
  std::vector<std::string> dealt;
  for (const Record& record : records) {
    const std::string name = strategy_called(Spec::parse(record.strategy, "strategy").name()).name;
    const auto* const predictor = Table<LimitedPredictor>::find(name);
    const bool deals = record.status.kind == Status::Kind::ok && predictor != nullptr &&
                       run.processors <= predictor->in_rounds_up_to;
    if (deals && std::find(dealt.begin(), dealt.end(), record.strategy) == dealt.end()) {
      dealt.push_back(record.strategy);
    }
  }
  std::string lines;
  if (!dealt.empty()) {
    lines +=
        hiding_line(run, hiding_memory_of_rounds(run), fmt::format("{}", fmt::join(dealt, ", ")));
  }
  if (run.processors > 1) return lines;
  return lines + hiding_line(run, hiding_memory_of_panels(run), "panel-streaming");
}

}  // namespace damocles
