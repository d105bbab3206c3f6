#include "experiments/execution/execution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <numeric>

#include "experiments/interrupt.hpp"
#include "experiments/message.hpp"
#include "gpu/backend.hpp"
#include "gpu/calibration.hpp"
#include "gpu/runtime.hpp"
#include "models/error.hpp"
#include "models/host_machine.hpp"
#include "models/parallel.hpp"
#include "models/platforms/heterogeneity.hpp"
#include "models/platforms/memory_limits.hpp"
#include "sim/simulate.hpp"
#include "strategies/runtime/replay_runtime.hpp"

namespace damocles {
namespace {

/// Buses and links at the pace of the tasks.
MachineModel slowed(const MachineModel& machine, double time_scale) {
  MachineModel result = machine.with_rates_times(1 / time_scale);
  result.latency_s *= time_scale;
  return result;
}

/// Each has three threads and memory of its own.
void refuse_too_many_processors(const Experiment& experiment) {
  constexpr std::size_t most = 4096;
  if (experiment.scenario.processors() <= most) return;
  throw InvalidInput(
      fmt::format("{} processors are more than can be executed here; give at most {}",
                  experiment.scenario.processors(), most));
}

DeviceRequest request_of(const Experiment& experiment, const ExecutionOptions& options) {
  DeviceRequest request{.processors = experiment.scenario.processors()};
  request.multiprocessors = options.multiprocessors;
  if (const auto& machine = experiment.scenario.machine();
      machine && machine->any_in_host_memory()) {
    for (const auto& processor : machine->processors)
      request.in_host_memory.push_back(processor.in_host_memory);
  }
  return request;
}

/// See Workbench::time_scale().
double scale_of_pace(const Experiment& experiment, const ExecutionOptions& options,
                     const Platform& platform) {
  if (!options.pace_s) return 0;
  if (!platform.machine) return *options.pace_s * platform.mean_speed();
  const double flops =
      experiment.workload.graph().total_flops() / static_cast<double>(experiment.workload.tasks());
  return *options.pace_s * platform.mean_speed() / flops;
}

/// The same at the platform's times, as far as the backend keeps them.
DeviceRequest in_platform_time(const Experiment& experiment, const ExecutionOptions& options,
                               double time_scale) {
  DeviceRequest request = request_of(experiment, options);
  request.paced = time_scale > 0;
  if (experiment.scenario.machine() && options.throttle) {
    request.bus = slowed(*experiment.scenario.machine(), time_scale > 0 ? time_scale : 1);
    request.writes_on_bus = request.bus->write_back;
  }
  return request;
}

std::string_view word_for(ArithmeticOptions::Compute compute) {
  constexpr std::array<std::string_view, 4> words{"auto", "product", "checksum", "empty"};
  return words.at(static_cast<std::size_t>(compute));
}

std::string_view word_for(Check check) {
  constexpr std::array<std::string_view, 4> words{"auto", "full", "freivalds", "none"};
  return words.at(static_cast<std::size_t>(check));
}

/// The options that change what is measured, but for those that are as by default, and the machine.
std::string inputs_of_runs(const ExecutionOptions& options, const std::string& machine) {
  const ExecutionOptions usual;
  const ArithmeticOptions& with = options.arithmetic;
  std::vector<std::string> parts;
  const auto add = [&](bool differs, std::string_view name, const std::string& value) {
    if (differs) parts.push_back(fmt::format("{}={}", name, value));
  };
  add(with.compute != usual.arithmetic.compute, "compute", std::string(word_for(with.compute)));
  add(with.precision != usual.arithmetic.precision, "precision",
      std::string(precision_word(with.precision)));
  add(with.tile != usual.arithmetic.tile, "tile", fmt::format("{}", with.tile));
  add(with.rank != usual.arithmetic.rank, "inner", fmt::format("{}", with.rank));
  add(options.check != usual.check, "verify", std::string(word_for(options.check)));
  if (options.pace_s) add(true, "pace", fmt::format("{:.12g}s", *options.pace_s));
  add(!options.throttle, "throttle", "no");
  add(options.depth != usual.depth, "depth", fmt::format("{}", options.depth));
  add(!options.multiprocessors.empty(), "sms",
      fmt::format("{}", fmt::join(options.multiprocessors, ",")));
  add(true, "machine", fmt::format("\"{}\"", machine));
  return fmt::format("{}", fmt::join(parts, " "));
}

/// What the check of its result says of a run that did not fail.
void take_verdict(Executed& run, Verification verification) {
  run.verification = std::move(verification);
  if (!run.verification.right) {
    run.execution.failure = run.verification.text;
    run.record.status = {Status::Kind::failed};
  } else if (run.verification.check == Check::none) {
    run.record.status = {Status::Kind::unverified};
  }
}

}  // namespace

std::unique_ptr<Device> make_device(const Experiment& experiment, const ExecutionOptions& options) {
  return Table<BackendEntry>::named(options.backend).make(request_of(experiment, options));
}

Experiment with_copies_in_real_time(Experiment experiment, const ExecutionOptions& options) {
  const BackendEntry& backend = Table<BackendEntry>::named(options.backend);
  const auto& machine = experiment.scenario.machine();
  if (!options.pace_s || !machine || backend.throttles_copies) return experiment;
  refuse_unlimited(experiment.workload);
  const Platform platform = experiment.scenario.draw(experiment.seed, 0);
  const double factor = 1 / scale_of_pace(experiment, options, platform);
  experiment.scenario = Scenario::of_machine(experiment.scenario.text(), slowed(*machine, factor),
                                             experiment.scenario.source());
  return experiment;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

Workbench::Workbench(const Experiment& experiment, const ExecutionOptions& options,
                     std::unique_ptr<Device> device)
    : experiment_(experiment),
      options_(options),
      arithmetic_(Arithmetic::of(experiment.workload, options.arithmetic, experiment.seed)),
      device_(std::move(device)) {
  if (experiment.scenario.machine()) refuse_unlimited(experiment.workload);
  refuse_too_many_processors(experiment);
  const BackendEntry& backend = Table<BackendEntry>::named(options.backend);
  if (!backend.data_of_any_sizes && !arithmetic_.uniform_bytes()) {
    throw InvalidInput(fmt::format(
        "the data of '{}' have several sizes, and the {} device has slots of one; use --backend host",
        experiment.workload.text(), backend.name));
  }
  if (backend.run != nullptr) return;
  if (!device_) {
    device_ = backend.make(in_platform_time(
        experiment, options, time_scale(experiment.scenario.draw(experiment.seed, 0))));
  }
  store_ = std::make_unique<Store>(arithmetic_, *device_);
}

Workbench::~Workbench() = default;

DeviceDescription Workbench::device() const { return device_ ? device_->description() : runtime_; }

double Workbench::peak_flops_per_s() const {
  constexpr double measuring_s = 0.05;
  if (!device_ || options_.pace_s || arithmetic_.kernel().kind != Kernel::Kind::product) return 0;
  return measure_peak(arithmetic_, experiment_.workload, *device_, measuring_s);
}

MachineModel Workbench::as_executed(MachineModel machine) const {
  if (!device_) return machine;
  if (machine.loads_ahead == 0) {
    machine.loads_ahead = device_->loads_ahead(experiment_.workload.graph().mean_bytes());
  }
  // Several processors on one GPU would share its way to host memory, which no machine model has.
  const bool sends = arithmetic_.sends_results() && device_->processors() == 1;
  const std::size_t places = sends ? device_->output_places() : 0;
  if (!machine.write_back && machine.output_places == 0 && places > 0) {
    machine.output_places = places;
    machine.duplex = true;
  }
  return machine;
}

double Workbench::time_scale(const Platform& platform) const {
  return scale_of_pace(experiment_, options_, platform);
}

ExecutorOptions Workbench::executor_options(const Platform& platform,
                                            std::uint64_t replicate) const {
  return {.seed = experiment_.seed,
          .replicate = replicate,
          .depth = options_.depth,
          .time_scale = time_scale(platform),
          .keep_events = options_.keep_events,
          .interrupted = &RunsThatEndThemselves::asked()};
}

Executed Workbench::run(const std::string& strategy, std::uint64_t replicate) {
  const Platform platform = experiment_.scenario.draw(experiment_.seed, replicate);
  const ResolvedStrategy planned = resolve_strategy(strategy, experiment_.workload, platform);
  if (!device_) return run_by_runtime(planned, platform, replicate);
  store_->renew();
  return finish(planned, platform, replicate,
                execute(experiment_.workload, platform, planned.choice, arithmetic_, *store_,
                        *device_, executor_options(platform, replicate)));
}

/// Its own process, which makes the platform of the replicate again.
Executed Workbench::run_by_runtime(const ResolvedStrategy& resolved, const Platform& platform,
                                   std::uint64_t replicate) {
  const ArithmeticOptions& with = options_.arithmetic;
  RuntimeAnswer answer = Table<BackendEntry>::named(options_.backend)
                             .run({.workload = experiment_.workload.text(),
                                   .platform = experiment_.scenario.text(),
                                   .strategy = resolved.choice.spec.text(),
                                   .seed = experiment_.seed,
                                   .replicate = replicate,
                                   .compute = std::string(word_for(with.compute)),
                                   .precision = std::string(precision_word(with.precision)),
                                   .tile = with.tile,
                                   .rank = with.rank,
                                   .check = std::string(word_for(options_.check)),
                                   .interrupted = &RunsThatEndThemselves::asked()});
  runtime_ = answer.device;
  Executed result = counted(resolved, platform, replicate, std::move(answer.execution));
  if (platform.machine) result.record.eviction = options_.backend;  // it chooses, not our policy
  if (result.record.status.kind == Status::Kind::failed) return result;
  if (answer.flops > 0) set_flops(result.record, answer.flops);
  take_verdict(result, std::move(answer.verification));
  refuse_infinite(result.record);
  return result;
}

Executed Workbench::replay(const Decisions& decisions, const std::string& strategy,
                           std::uint64_t replicate) {
  if (!device_) static_cast<void>(make_device(experiment_, options_));  // which says why not
  const Platform platform = experiment_.scenario.draw(experiment_.seed, replicate);
  const ResolvedStrategy planned = resolve_strategy(strategy, experiment_.workload, platform);
  std::vector<std::uint64_t> memory;
  if (platform.machine) {
    memory = memory_bytes(*platform.machine, experiment_.workload);
  } else {
    experiment_.workload.refuse_dependencies();
    std::uint64_t all = 0;
    for (std::uint64_t data = 0; data < arithmetic_.data(); ++data) {
      all += arithmetic_.data_bytes(DataId{data});
    }
    memory.assign(platform.processors(), all);
  }
  check_decisions(decisions, experiment_.workload, platform, memory,
                  [&](DataId data) { return arithmetic_.data_bytes(data); });
  store_->renew();
  ExecutorOptions how = executor_options(platform, replicate);
  how.writes_count = platform.machine && platform.machine->write_back;
  const RunsThatEndThemselves on_interrupt;
  return finish(planned, platform, replicate,
                execute(
                    experiment_.workload, platform, arithmetic_, *store_, *device_, memory,
                    [&](ExecutionBackend& backend) {
                      return std::make_unique<ReplayRuntime>(decisions, experiment_.workload,
                                                             platform, backend);
                    },
                    how));
}

Record Workbench::identity(const ResolvedStrategy& resolved, std::uint64_t replicate) const {
  Record record = make_record(experiment_, resolved, replicate);
  record.source = "executed";
  record.model = options_.backend;
  record.inputs += record.inputs.empty() ? "" : " ";
  record.inputs += inputs_of_runs(options_, device_ ? device_->description().name : machine_name());
  return record;
}

Record Workbench::identity(const std::string& strategy, std::uint64_t replicate) const {
  return identity(resolve_strategy(strategy, experiment_), replicate);
}

Executed Workbench::finish(const ResolvedStrategy& resolved, const Platform& platform,
                           std::uint64_t replicate, Execution execution) const {
  Executed result = finished(resolved, platform, replicate, std::move(execution));
  refuse_infinite(result.record);
  return result;
}

/// The row of what was counted; its status is ok, or failed.
Executed Workbench::counted(const ResolvedStrategy& resolved, const Platform& platform,
                            std::uint64_t replicate, Execution execution) const {
  Executed result{identity(resolved, replicate), std::move(execution), {}};
  const Trace& trace = result.execution.trace;
  Record& record = result.record;
  record.heterogeneity = heterogeneity(platform.speeds);
  set_volume(record, static_cast<double>(trace.total_loads()),
             volume_bounds(experiment_.workload, platform));
  if (platform.machine) {
    record.eviction = eviction_name(resolved.choice, experiment_.workload, platform);
    set_movement(record, trace);
  }
  record.bytes_loaded = static_cast<double>(
      std::accumulate(trace.bytes_loaded.begin(), trace.bytes_loaded.end(), std::uint64_t{0}));
  record.makespan_s = trace.makespan_s;
  record.busy_fraction = trace.busy_fraction();
  record.planned_makespan_s = trace.planned_makespan_s;
  record.scheduling_s = trace.scheduling_s;
  if (!result.execution.failure.empty()) record.status = {Status::Kind::failed};
  return result;
}

Executed Workbench::finished(const ResolvedStrategy& resolved, const Platform& platform,
                             std::uint64_t replicate, Execution execution) const {
  Executed result = counted(resolved, platform, replicate, std::move(execution));
  Record& record = result.record;
  if (record.status.kind == Status::Kind::failed) return result;
  if (arithmetic_.kernel().kind == Kernel::Kind::product) {
    set_flops(record, arithmetic_.flops(TaskId{0}) * static_cast<double>(arithmetic_.tasks()));
  }
  const StoppableLoops while_checking(RunsThatEndThemselves::asked());
  try {
    take_verdict(result, verify(arithmetic_, experiment_.workload, *store_, options_.check));
  } catch (const LoopStopped& stopped) {
    result.execution.failure = stopped.what();
    record.status = {Status::Kind::failed};
  }
  return result;
}

std::vector<RunToMake> all_runs(const Experiment& experiment) {
  std::vector<RunToMake> runs;
  for (const auto& strategy : experiment.strategies) {
    for (std::uint64_t replicate = 0; replicate < experiment.replicates; ++replicate) {
      runs.push_back({strategy, replicate});
    }
  }
  return runs;
}

double expected_s(const Workbench& bench, const Experiment& experiment,
                  const std::vector<RunToMake>& runs) {
  double total_s = 0;
  const Platform platform = experiment.scenario.draw(experiment.seed, 0);
  if (bench.time_scale(platform) == 0) return 0;
  std::map<std::string, double> runs_of;
  for (const RunToMake& run : runs) ++runs_of[run.strategy];
  for (const auto& [strategy, count] : runs_of) {
    const ResolvedStrategy planned = resolve_strategy(strategy, experiment.workload, platform);
    const Trace trace = simulate(experiment.workload, platform, planned.choice, experiment.seed, 0);
    total_s += trace.makespan_s * bench.time_scale(platform) * count;
  }
  return total_s;
}

std::vector<Executed> run_executions(Workbench& bench, const Experiment& experiment,
                                     const std::vector<RunToMake>& runs, const Progress& progress,
                                     const std::function<void(const Executed&)>& each) {
  std::vector<Executed> result;
  constexpr double worth_a_note_s = 30;
  const double will_take_s = expected_s(bench, experiment, runs);
  constexpr double longest_s = 30 * 86'400;  // nobody waits longer, and clocks overflow
  if (will_take_s > longest_s) {
    throw InvalidInput(
        fmt::format("at this pace the runs take about {:.2g} s, more than the {:.0f} s of a month; "
                    "give a smaller --pace",
                    will_take_s, longest_s));
  }
  if (will_take_s > worth_a_note_s) {
    print_diagnostic(fmt::format(
        "at this pace the runs take about {:.0f} s; a smaller --pace is quicker", will_take_s));
  }
  if (progress) progress(0, runs.size(), 0);
  const RunsThatEndThemselves on_interrupt;
  for (const RunToMake& run : runs) {
    result.push_back(bench.run(run.strategy, run.replicate));
    const bool failed = !result.back().execution.failure.empty();
    const std::size_t done = failed ? runs.size() : result.size();
    if (progress) progress(done, runs.size(), share_of_rows(done, runs.size()));
    if (each && !failed) each(result.back());
    if (failed) return result;
  }
  return result;
}

}  // namespace damocles
