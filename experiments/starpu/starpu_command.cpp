#include "experiments/starpu/starpu_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>

#include "damocles_version.hpp"
#include "experiments/commands/command_line.hpp"
#include "experiments/interrupt.hpp"
#include "experiments/message.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/rows.hpp"
#include "gpu/factorisation/factorisation.hpp"
#include "gpu/host/host_kernels.hpp"
#include "gpu/starpu/run_here.hpp"
#include "gpu/starpu/workers.hpp"
#include "gpu/starpu_run.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"
#include "sim/simulate.hpp"

namespace damocles {
namespace {

/// The command line as the user wrote it.
struct StarpuOptions {
  std::string workload;
  std::string strategies = "eager,lws,dmda,darts";
  std::string policies = "eager,lws,dmda";
  std::string workers = "2";
  std::string memory;
  std::string compute;
  std::string check = "auto";
  std::string seed = "1";
  std::string replicates = "1";
  std::string standstill = "60s";
  std::string format = "table";
};

/// Who schedules, in one row.
struct Scheduler {
  std::string name;
  bool ours = false;
};

struct SchedulerRow {
  Scheduler scheduler;
  std::optional<double> simulated_loads;
  std::vector<RuntimeAnswer> runs;
  std::string failure;
};

std::uint64_t number_of_option(const char* option, const std::string& text, std::uint64_t lowest,
                               std::uint64_t highest) {
  const auto value = parse_integer(text);
  if (value && *value >= lowest && *value <= highest) return *value;
  throw InvalidInput(
      fmt::format("{} '{}': give a whole number from {} to {}", option, text, lowest, highest));
}

/// How often `once` runs in a twentieth of a second, a second.
double rate_of(const std::function<void()>& once) {
  constexpr double enough_s = 0.05;
  using Clock = std::chrono::steady_clock;
  once();
  const auto begin = Clock::now();
  for (double count = 1;; ++count) {
    once();
    const std::chrono::duration<double> took = Clock::now() - begin;
    if (took.count() > enough_s) return count / took.count();
  }
}

/// What a core multiplies and copies here: what strategies and StarPU's policies are told.
struct CoreRates {
  double gflops;
  double bytes_per_s;
};

CoreRates measure_core() {
  constexpr std::size_t side = 128;
  std::vector<float> x(side * side, 1);
  std::vector<float> y(side * side, 1);
  std::vector<float> z(side * side, 1);
  const auto bytes = [](std::vector<float>& all) {
    return std::as_writable_bytes(std::span(all)).data();
  };
  const Kernel kernel{.m = side, .n = side, .k = side};
  TaskCall call;
  call.inputs = {{bytes(x), x.size() * sizeof(float)}, {bytes(y), y.size() * sizeof(float)}};
  call.output = bytes(z);
  const double products = rate_of([&] { run_on_host(kernel, call); });
  std::vector<std::byte> from(std::size_t{1} << 22U);
  std::vector<std::byte> to(from.size());
  const double copies = rate_of([&] { std::memcpy(to.data(), from.data(), from.size()); });
  return {2e-9 * side * side * side * products, copies * static_cast<double>(from.size())};
}

/// The platform that the workers are. Without --memory all compute where the data lie; strategies,
/// which plan for processors with a memory of their own, see as many that hold all data.
std::string platform_text(const StarpuOptions& options, const Workload& workload,
                          std::uint64_t workers) {
  const CoreRates rates = measure_core();
  const std::string core = fmt::format("{:.4g}", rates.gflops);
  const std::string common =
      fmt::format("gflops={},bandwidth={:.4g}GB/s", core, rates.bytes_per_s / 1e9);
  if (options.memory.empty()) {
    std::uint64_t bytes = 0;
    for (const std::uint64_t data : workload.graph().parts().bytes) bytes += data;
    return fmt::format("gpus:k={},memory={}B,{}", workers, bytes, common);
  }
  const std::string cores =
      workers > 1 ? fmt::format(",cpus={},cpu_gflops={}", workers - 1, core) : "";
  return fmt::format("gpus:k=1,memory={},{}{}", options.memory, common, cores);
}

/// Factorisations factorise; all others compute what `damocles run` does.
std::string compute_of(const StarpuOptions& options, const Workload& workload) {
  if (!options.compute.empty()) return options.compute;
  const Precision precision = workload.precision().value_or(Precision::fp32);
  const bool kept = precision == Precision::fp32 || precision == Precision::fp64;
  return kept && Factorisation::of(workload, precision) ? "factorise" : "auto";
}

std::vector<Scheduler> schedulers_of(const StarpuOptions& options) {
  std::vector<Scheduler> result;
  for (const bool ours : {true, false}) {
    const std::string& list = ours ? options.strategies : options.policies;
    if (list == "none" || list.empty()) continue;
    for (const std::string& name : split_specs(list)) result.push_back({name, ours});
  }
  if (result.empty()) throw InvalidInput("nothing to run: give --strategies or --policies");
  const auto known = starpu_policies();
  for (const Scheduler& scheduler : result) {
    const bool is_known = std::find(known.begin(), known.end(), scheduler.name) != known.end();
    if (!scheduler.ours && !is_known) refuse_unknown("policy of StarPU", scheduler.name, known);
  }
  return result;
}

/// StarPU's policies that a strategy of ours of the same name follows.
bool has_counterpart(const Scheduler& scheduler) {
  return scheduler.ours || (scheduler.name != "random" && scheduler.name != "heft" &&
                            Table<StrategyEntry>::find(scheduler.name) != nullptr);
}

std::optional<double> simulated_loads(const Scheduler& scheduler, const Workload& workload,
                                      const Platform& platform, std::uint64_t seed,
                                      std::uint64_t replicates) {
  if (!has_counterpart(scheduler)) return std::nullopt;
  double loads = 0;
  for (std::uint64_t replicate = 0; replicate < replicates; ++replicate) {
    const ResolvedStrategy planned = resolve_strategy(scheduler.name, workload, platform);
    loads += static_cast<double>(
        simulate(workload, platform, planned.choice, seed, replicate).total_loads());
  }
  return loads / static_cast<double>(replicates);
}

double total_of(const std::vector<std::uint64_t>& values) {
  double sum = 0;
  for (const std::uint64_t value : values) sum += static_cast<double>(value);
  return sum;
}

/// The mean over the runs of a row.
double mean_of_row(const SchedulerRow& row,
                   const std::function<double(const RuntimeAnswer&)>& value) {
  double sum = 0;
  for (const RuntimeAnswer& run : row.runs) sum += value(run);
  return sum / static_cast<double>(row.runs.size());
}

/// The numbers of a row, by the names of their columns.
struct RowNumbers {
  double loads;
  double loaded_mb;
  double home_mb;
  double makespan_s;
  double gflops;
  double overhead_us;
  double deciding_us;
  double error;
};

RowNumbers numbers_of(const SchedulerRow& row) {
  const auto tasks = [](const RuntimeAnswer& run) { return total_of(run.execution.trace.tasks); };
  return {
      mean_of_row(row, [](const auto& run) { return total_of(run.execution.trace.loads); }),
      mean_of_row(
          row, [](const auto& run) { return 1e-6 * total_of(run.execution.trace.bytes_loaded); }),
      mean_of_row(row,
                  [](const auto& run) {
                    return 1e-6 * (total_of(run.execution.trace.bytes_written) +
                                   static_cast<double>(run.execution.bytes_summed));
                  }),
      mean_of_row(row, [](const auto& run) { return run.execution.trace.makespan_s; }),
      mean_of_row(
          row, [](const auto& run) { return 1e-9 * run.flops / run.execution.trace.makespan_s; }),
      mean_of_row(row,
                  [&](const auto& run) {
                    const Trace& trace = run.execution.trace;
                    double busy_s = 0;
                    for (const double one : trace.busy_s) busy_s += one;
                    return 1e6 *
                           (static_cast<double>(trace.busy_s.size()) * trace.makespan_s - busy_s) /
                           tasks(run);
                  }),
      mean_of_row(
          row,
          [&](const auto& run) { return 1e6 * run.execution.trace.scheduling_s / tasks(run); }),
      mean_of_row(row, [](const auto& run) { return run.verification.worst; })};
}

std::string table_of(const std::vector<SchedulerRow>& rows) {
  std::vector<std::vector<std::string>> lines{{"scheduler", "of", "loads", "simulated", "MB loaded",
                                               "MB returned", "makespan_s", "GFlop/s",
                                               "overhead_us", "deciding_us", "error"}};
  for (const SchedulerRow& row : rows) {
    auto& line = lines.emplace_back(
        std::vector<std::string>{row.scheduler.name, row.scheduler.ours ? "Damocles" : "StarPU"});
    if (row.runs.empty()) {
      line.resize(lines.front().size(), "–");
      continue;
    }
    const RowNumbers of = numbers_of(row);
    const auto cell = [](double value) { return fmt::format("{:.5g}", value); };
    line.insert(line.end(),
                {cell(of.loads), number_cell(row.simulated_loads, "{:.5g}"), cell(of.loaded_mb),
                 cell(of.home_mb), cell(of.makespan_s), of.gflops > 0 ? cell(of.gflops) : "–",
                 cell(of.overhead_us), row.scheduler.ours ? cell(of.deciding_us) : "–",
                 fmt::format("{:.2g}", of.error)});
  }
  return aligned(lines, style_for({}));
}

nlohmann::ordered_json json_of(const std::vector<SchedulerRow>& rows) {
  auto all = nlohmann::ordered_json::array();
  for (const SchedulerRow& row : rows) {
    nlohmann::ordered_json one{{"scheduler", row.scheduler.name},
                               {"of", row.scheduler.ours ? "damocles" : "starpu"},
                               {"failure", row.failure}};
    if (row.simulated_loads) one["simulated_loads"] = *row.simulated_loads;
    if (!row.runs.empty()) {
      const RowNumbers of = numbers_of(row);
      one.update({{"runs", row.runs.size()},
                  {"loads", of.loads},
                  {"loaded_MB", of.loaded_mb},
                  {"home_MB", of.home_mb},
                  {"makespan_s", of.makespan_s},
                  {"gflops", of.gflops},
                  {"overhead_us", of.overhead_us},
                  {"deciding_us", of.deciding_us},
                  {"verification", row.runs.back().verification.text},
                  {"driver", row.runs.back().device.driver}});
    }
    all.push_back(std::move(one));
  }
  return all;
}

/// All runs of a row; what goes wrong in one ends the row.
void run_row(SchedulerRow& row, StarpuRun run, const ResolvedStrategy* planned,
             std::uint64_t replicates) {
  if (planned != nullptr) {
    run.strategy = planned->choice.spec.text();
  } else {
    run.policy = row.scheduler.name;
  }
  for (run.replicate = 0; run.replicate < replicates; ++run.replicate) {
    try {
      RuntimeAnswer answer = run_on_starpu(run);
      if (!answer.execution.failure.empty()) throw DeviceError(answer.execution.failure);
      if (!answer.verification.right) throw DeviceError(answer.verification.text);
      row.runs.push_back(std::move(answer));
    } catch (const DeviceError& error) {
      row.failure = error.what();
      row.runs.clear();
      return;
    }
  }
}

void print_rows(const std::vector<SchedulerRow>& rows, const StarpuOptions& options,
                const std::string& platform) {
  if (options.format == "json") {
    const nlohmann::ordered_json whole{
        {"workload", options.workload}, {"platform", platform}, {"rows", json_of(rows)}};
    fmt::print("{}", json_text(whole));
    return;
  }
  fmt::print("{}", table_of(rows));
  const auto done = std::find_if(rows.begin(), rows.end(),
                                 [](const SchedulerRow& row) { return !row.runs.empty(); });
  if (done == rows.end()) return;
  const RuntimeAnswer& run = done->runs.back();
  fmt::print("{}, {}; on {}\nresult: {}\n", run.device.name, run.device.driver, platform,
             run.verification.text);
}

void run_rows(const StarpuOptions& options) {
  const std::vector<std::string> formats{"table", "json"};
  if (std::find(formats.begin(), formats.end(), options.format) == formats.end()) {
    refuse_unknown("format", options.format, formats);
  }
  constexpr std::uint64_t most_workers = 64;
  const auto workers = number_of_option("--workers", options.workers, 1, most_workers);
  const auto replicates = number_of_option("--replicates", options.replicates, 1, 1000);
  const auto standstill = parse_quantity(options.standstill, Unit::seconds);
  if (!standstill || !(*standstill > 0)) {
    throw InvalidInput(fmt::format("--standstill '{}': give a time, as 60s", options.standstill));
  }
  const Workload workload = Workload::parse(options.workload);
  const auto schedulers = schedulers_of(options);
  StarpuRun run;
  run.workload = options.workload;
  run.platform = platform_text(options, workload, workers);
  run.seed = number_of_option("--seed", options.seed, 0, ~std::uint64_t{0});
  run.compute = compute_of(options, workload);
  run.check = options.check;
  run.shared = options.memory.empty();
  run.standstill_s = *standstill;
  run.interrupted = &RunsThatEndThemselves::asked();
  const Scenario scenario = Scenario::parse(run.platform).for_tasks_of(workload);
  const Platform platform = scenario.draw(run.seed, 0);
  // All that may be refused is, before anything runs.
  std::vector<std::optional<ResolvedStrategy>> plans;
  for (const Scheduler& scheduler : schedulers) {
    plans.emplace_back();
    if (scheduler.ours) plans.back() = resolve_strategy(scheduler.name, workload, platform);
    if (scheduler.ours) refuse_heterogeneous(*plans.back()->choice.entry, workload, platform);
  }
  std::vector<SchedulerRow> rows;
  const RunsThatEndThemselves on_interrupt;
  for (std::size_t i = 0; i < schedulers.size(); ++i) {
    SchedulerRow& row = rows.emplace_back(SchedulerRow{schedulers[i], {}, {}, {}});
    if (!run.shared) {
      row.simulated_loads =
          simulated_loads(schedulers[i], workload, platform, run.seed, replicates);
    }
    run_row(row, run, plans[i] ? &*plans[i] : nullptr, replicates);
  }
  print_rows(rows, options, run.platform);
  std::string failures;
  for (const SchedulerRow& row : rows) {
    if (row.failure.empty()) continue;
    failures +=
        fmt::format("{}{}: {}", failures.empty() ? "" : "; ", row.scheduler.name, row.failure);
  }
  if (!failures.empty()) throw std::runtime_error(failures);
}

constexpr const char* starpu_description =
    "Run a workload on StarPU, under strategies of Damocles and policies of StarPU, and check the "
    "result. Products and factorisations (cholesky, lu) really compute; other "
    "workloads of `damocles list workloads` compute checksums. StarPU moves the data; loads and bytes "
    "are its own bus statistics. docs/reference/starpu_runtime.md says how.";

void set_up_run_on_starpu(Command command) {
  const auto options = std::make_shared<StarpuOptions>();
  command.argument("WORKLOAD", options->workload, "what is computed, as cholesky:n=10,tile=256");
  command.list("--strategies", options->strategies, "LIST",
               "strategies of Damocles, with options; or none (default eager,lws,dmda,darts)");
  command.list("--policies", options->policies, "LIST",
               "policies of StarPU; or none (default eager,lws,dmda)");
  command.option("--workers", options->workers, "N", "CPU workers (default 2)");
  command.option(
      "--memory", options->memory, "SIZE",
      "one worker has a memory of its own of this size, as 20data or 64MiB; the others use host "
      "memory (default: all use host memory, and nothing moves)");
  command.option(
      "--compute", options->compute, "NAME",
      "auto, product, checksum, factorise or empty (default: factorisations factorise, else auto)");
  command.option("--verify", options->check, "NAME", "auto (the default), full, freivalds or none");
  command.option("--seed", options->seed, "N", "seed of all random numbers (default 1)");
  command.option("--replicates", options->replicates, "N", "runs of each (default 1)");
  command.option("--standstill", options->standstill, "TIME",
                 "end a run as failed if no task ends for this time (default 60s)");
  command.option("--format", options->format, "NAME", "table (the default) or json");
  command.footer(
      "EXAMPLES\n"
      "  damocles-starpu cholesky:n=10,tile=256,deps=true --strategies lws,darts,dmda --workers 2\n"
      "  damocles-starpu gemm2d:n=20,tile=64,k=256 --workers 1 --memory 10data\n");
  command.runs([options] { run_rows(*options); });
}

int print_and_return_status(int status, const std::string& message) {
  print_diagnostic(message);
  return status;
}

}  // namespace

int run_starpu_program(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "one") {
    return answer_one(std::span(words).subspan(1));
  }
  keep_standard_streams();
  end_on_interrupt();
  try {
    CommandLine line("damocles-starpu", starpu_description,
                     std::string("damocles-starpu ") + version);
    set_up_run_on_starpu(line.program().add("run", starpu_description));
    if (words.empty()) words.emplace_back("--help");
    const bool asks_version = words.front() == "--version" || words.front() == "-V";
    if (!asks_version && words.front() != "run") words.insert(words.begin(), "run");
    fmt::print("{}", line.run(words));
    return std::fflush(stdout) == 0 ? 0 : 1;
  } catch (const InvalidInput& error) {
    return print_and_return_status(2, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return print_and_return_status(2, words_on_file(error));
  } catch (const std::exception& error) {
    return print_and_return_status(1, error.what());
  }
}

}  // namespace damocles
