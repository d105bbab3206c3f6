#include "experiments/studies/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "experiments/origin.hpp"
#include "experiments/studies/prediction_part.hpp"
#include "models/bounds/grid_bound.hpp"
#include "models/bounds/workload_bound.hpp"
#include "models/placements/placement.hpp"
#include "models/platforms/durations.hpp"
#include "models/platforms/energy.hpp"
#include "models/platforms/heterogeneity.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/platforms/scenario.hpp"
#include "models/platforms/use_recorded_times.hpp"
#include "models/precision.hpp"
#include "models/quantity.hpp"
#include "strategies/parts/known_order.hpp"

namespace damocles {

StrategyChoice chosen_strategy(const std::string& asked, const Workload& workload) {
  StrategyChoice choice = StrategyChoice::parse(asked, workload);
  if (choice.entry->has_threshold && choice.spec.has("tasks-left") && choice.spec.has("beta")) {
    choice.spec.refuse("give beta or tasks-left, not both");
  }
  return choice;
}

ResolvedStrategy resolve_strategy(const std::string& asked, const Workload& workload,
                                  const Platform& platform) {
  ResolvedStrategy result{asked, chosen_strategy(asked, workload), std::nullopt};
  if (!result.choice.entry->has_threshold) return result;
  Spec& spec = result.choice.spec;
  const double most = std::numeric_limits<double>::max();
  if (spec.has("tasks-left")) {
    const double left = *spec.number("tasks-left", 0, most);
    result.beta = left > 0 ? std::max(0.0, std::log(static_cast<double>(workload.tasks()) / left))
                           : std::numeric_limits<double>::infinity();
  } else if (spec.word("beta").value_or("auto") == "auto") {
    result.beta = prediction_part("beta=auto").automatic_beta(result.choice, workload, platform);
    spec.set("beta", fmt::format("{}", *result.beta));
  } else {
    result.beta = *spec.number("beta", 0, most);
  }
  return result;
}

ResolvedStrategy resolve_strategy(const std::string& asked, const Experiment& experiment) {
  return resolve_strategy(asked, experiment.workload, experiment.scenario.draw(experiment.seed, 0));
}

Record make_record(const Experiment& experiment, const std::string& strategy,
                   std::uint64_t replicate) {
  Record record;
  record.strategy = strategy;
  record.workload = experiment.workload.text();
  record.platform = experiment.scenario.text();
  record.processors = experiment.scenario.processors();
  record.tasks = experiment.workload.tasks();
  record.data = experiment.workload.data();
  record.seed = experiment.seed;
  record.replicate = replicate;
  record.inputs = inputs_of(experiment);
  record.version = program_version();
  record.status = {Status::Kind::ok};
  return record;
}

Record make_record(const Experiment& experiment, const ResolvedStrategy& resolved,
                   std::uint64_t replicate) {
  Record record = make_record(experiment, resolved.asked, replicate);
  if (resolved.choice.placement != nullptr) {
    record.inputs += fmt::format("{}placement={}", record.inputs.empty() ? "" : " ",
                                 resolved.choice.placement->file.digest);
  }
  if (resolved.beta && std::isfinite(*resolved.beta)) record.beta = resolved.beta;
  return record;
}

RunBounds run_bounds(const Experiment& experiment, const Platform& platform,
                     std::uint64_t replicate) {
  const Workload& workload = experiment.workload;
  RunBounds bounds{volume_bounds(workload, platform)};
  if (!platform.machine) return bounds;
  const LoadBound loads{static_cast<std::uint64_t>(bounds.volume.lower)};
  const auto durations = Durations::drawn(workload, platform, experiment.seed, replicate);
  bounds.makespan_s = workload_makespan_bound(workload, platform, durations, loads).seconds;
  return bounds;
}

bool alike_replicates(const Scenario& scenario) {
  return !scenario.random() && !(scenario.machine() && scenario.machine()->noise);
}

namespace {

void set_makespan(Record& record, double makespan_s, const RunBounds& bounds) {
  record.makespan_s = makespan_s;
  if (!(bounds.makespan_s > 0)) return;
  record.makespan_lower_bound_s = bounds.makespan_s;
  record.makespan_ratio = makespan_s / bounds.makespan_s;
}

}  // namespace

void set_predicted_makespan(Record& record, double makespan_s, const RunBounds& bounds) {
  set_makespan(record, makespan_s, bounds);
  if (record.makespan_ratio.value_or(1) < 1) set_makespan(record, bounds.makespan_s, bounds);
}

Record simulated_record(const Experiment& experiment, const ResolvedStrategy& resolved,
                        const Platform& platform, std::uint64_t replicate, const Trace& trace) {
  return simulated_record(experiment, resolved, platform, replicate, trace,
                          run_bounds(experiment, platform, replicate));
}

Record simulated_record(const Experiment& experiment, const ResolvedStrategy& resolved,
                        const Platform& platform, std::uint64_t replicate, const Trace& trace,
                        const RunBounds& bounds) {
  Record record = make_record(experiment, resolved, replicate);
  record.source = "simulated";
  record.heterogeneity = heterogeneity(platform.speeds);
  set_volume(record, static_cast<double>(trace.total_loads()), bounds.volume);
  set_makespan(record, trace.makespan_s, bounds);
  record.busy_fraction = trace.busy_fraction();
  if (!platform.machine) return record;
  record.kernel_times = measured_kernels_in_use(*platform.machine, experiment.workload);
  record.eviction = eviction_name(resolved.choice, experiment.workload, platform);
  record.bytes_loaded = static_cast<double>(
      std::accumulate(trace.bytes_loaded.begin(), trace.bytes_loaded.end(), std::uint64_t{0}));
  set_movement(record, trace);
  set_flops(record, experiment.workload.graph().total_flops());
  record.planned_makespan_s = trace.planned_makespan_s;
  if (platform.machine->has_powers()) record.energy_j = energy_j(*platform.machine, trace);
  return record;
}

void set_movement(Record& record, const Trace& trace) {
  const auto total = [](const std::vector<std::uint64_t>& counts) -> Record::Count {
    if (counts.empty()) return std::nullopt;
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  record.evictions = total(trace.evictions);
  record.invalidations = total(trace.invalidations);
  record.loads_first = total(trace.loads_first);
  record.loads_after_eviction = total(trace.loads_after_eviction);
  record.loads_after_invalidation = total(trace.loads_after_invalidation);
  record.loads_from_peers = total(trace.loads_from_peers);
  record.bytes_written = total(trace.bytes_written);
}

void set_flops(Record& record, double flops) {
  record.flops = flops;
  if (*record.makespan_s > 0) record.gflops = flops / *record.makespan_s / 1e9;
}

void set_volume(Record& record, double loads, const VolumeBounds& bounds) {
  record.loads = loads;
  record.lower_bound = bounds.lower;
  record.balanced_bound = bounds.balanced;
  if (ratio_bound(record) > 0) record.volume_ratio = loads / ratio_bound(record);
}

std::string_view ratio_bound_words(const Record& record) {
  return record.balanced_bound ? "balanced bound" : "lower bound";
}

double ratio_bound(const Record& record) {
  return record.balanced_bound.value_or(record.lower_bound.value_or(0));
}

std::string note_on_precisions(const Workload& workload, const Scenario& scenario) {
  const auto& machine = scenario.machine();
  const auto computed = workload.precision();
  if (!machine || !machine->preset_precision || !computed ||
      *machine->preset_precision == *computed) {
    return "";
  }
  return fmt::format(
      "note: tasks of '{}' compute in {}, and the GFlop/s of '{}' are a preset's in {}; "
      "give gflops= or, of a preset that has it, precision={}",
      workload.text(), precision_word(*computed), scenario.text(),
      precision_word(*machine->preset_precision), precision_word(*computed));
}

std::string note_on_one_rate(const Workload& workload, const Scenario& scenario) {
  const auto& machine = scenario.machine();
  if (!machine || !factorises(workload)) return "";
  std::vector<std::string> rates;
  std::vector<std::string> keys;
  for (const bool core : {false, true}) {
    const auto found = std::find_if(
        machine->processors.begin(), machine->processors.end(), [&](const ProcessorModel& one) {
          return one.in_host_memory == core && one.kernel_times.empty() &&
                 one.kernels != kernels_by_flops;
        });
    if (found == machine->processors.end()) continue;
    rates.push_back(
        fmt::format("{:g} GFlop/s on a {}", found->flops_per_s / 1e9, core ? "core" : "GPU"));
    keys.emplace_back(core ? "cpu_times=core" : "times=v100");
  }
  if (rates.empty()) return "";
  return fmt::format(
      "note: all kinds of tasks of '{}' run at the rate of GEMM, {}; add {} for measured times of each kind",
      workload.text(), fmt::join(rates, " and "), fmt::join(keys, ","));
}

std::vector<std::string> notes_on_files(const Workload& workload, const Scenario& scenario) {
  const auto& source = workload.source();
  if (!source) return {};
  std::vector<std::string> notes;
  for (const std::string& assumed : source->notes) notes.push_back("note: " + assumed);
  if (!scenario.machine()) return notes;
  for (const std::string& lack : lacking_recorded_times(*scenario.machine(), workload)) {
    notes.push_back(fmt::format("note: file '{}': {}", source->path, lack));
  }
  return notes;
}

std::vector<std::string> placement_files(const std::vector<std::string>& strategies) {
  std::vector<std::string> paths;
  for (const auto& strategy : strategies) {
    const auto path = Spec::parse(strategy, "strategy").word("placement");
    if (path) paths.push_back(*path);
  }
  return paths;
}

std::vector<std::string> notes_on_recorded_runs(const Experiment& experiment) {
  std::vector<std::string> notes;
  for (const auto& strategy : experiment.strategies) {
    if (placement_files({strategy}).empty()) continue;
    const auto choice = StrategyChoice::parse(strategy, experiment.workload);
    if (choice.placement == nullptr || !choice.placement->makespan_s) continue;
    notes.push_back(fmt::format(
        "note: the run recorded in '{}' took {:.6g} s, from its first start to its last end, as recorded; '{}' simulates its placement and order",
        choice.placement->file.path, *choice.placement->makespan_s, strategy));
  }
  return notes;
}

VolumeBounds volume_bounds(const Workload& workload, const Platform& platform) {
  if (platform.machine) {
    return {static_cast<double>(workload_load_bound(workload, *platform.machine).loads), {}};
  }
  // One processor may compute everything: nothing more holds of the volume alone.
  VolumeBounds bounds{compulsory_loads(workload), {}};
  if (workload.is_grid()) bounds.balanced = balanced_bound(workload, platform.relative_speeds());
  return bounds;
}

std::string eviction_name(const StrategyChoice& choice, const Workload& workload,
                          const Platform& platform) {
  const std::string name = choice.eviction();
  const bool guesses = name == "belady" && !order_is_known(choice, workload, platform);
  return guesses ? "belady-known" : name;
}

}  // namespace damocles
