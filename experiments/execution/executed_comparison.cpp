// `compare --backend`.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "experiments/commands/command.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/commands/run_options.hpp"
#include "experiments/execution/agreement.hpp"
#include "experiments/execution/execution.hpp"
#include "experiments/execution/run_summary.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/traces/trace_files.hpp"
#include "gpu/arithmetic/block_product.hpp"
#include "gpu/backend.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

/// The model whose predictions stand beside executed runs: it alone has a band.
constexpr const char* banded_model = "refined";

std::string shown_percent(const std::optional<double>& share, const char* format) {
  return number_cell(share ? std::optional(100 * *share) : std::nullopt, format);
}

std::string table_of_verdicts(const std::vector<Agreement>& rows, const Experiment& experiment,
                              const std::string& backend, const TableStyle& style) {
  std::vector<std::vector<std::string>> lines{
      {"strategy", "beta", "predicted", "predicted_sd", "simulated", "simulated_sd", "executed",
       "executed_sd", "exec/sim", "within", "makespan", "verdict"}};
  for (const Agreement& row : rows) {
    const auto& predicted = row.predicted;
    lines.push_back(
        {row.strategy, number_cell(row.simulated.beta, "{:.4f}"),
         number_cell(predicted ? predicted->volume_ratio : std::nullopt, "{:.4f}"),
         number_cell(predicted ? predicted->sd : std::nullopt, "{:.4f}"),
         number_cell(row.simulated.volume_ratio, "{:.4f}"), number_cell(row.simulated.sd, "{:.4f}"),
         number_cell(row.executed.volume_ratio, "{:.4f}"), number_cell(row.executed.sd, "{:.4f}"),
         shown_percent(row.difference, "{:+.2f} %"), shown_percent(row.allowed, "{:.2f} %"),
         shown_percent(row.makespan_error, "{:+.1f} %"), row.verdict()});
  }
  const std::string heading = fmt::format(
      "{} on {}, executed on {}: {}, {}, {}; {} {:.6g} loads\n"
      "means of {} simulated and {} executed run(s), seed {}; volume = loads / {}\n"
      "verdict `agrees`: the executed mean is within the 95 % interval of the simulated one (half width: within) "
      "and in the predicted band (2 sd), and the makespan within {:.0f} % of the simulated one\n",
      experiment.workload.text(), experiment.scenario.text(), backend,
      counted(experiment.workload.tasks(), "task"),
      counted(experiment.workload.data(), "data item"),
      counted(experiment.scenario.processors(), "processor"),
      ratio_bound_words(rows.front().simulated), ratio_bound(rows.front().simulated),
      *rows.front().simulated.n, *rows.front().executed.n, experiment.seed,
      ratio_bound_words(rows.front().simulated), 100 * Agreement::time_tolerance);
  return wrapped(heading, style) + "\n" + aligned(lines, style);
}

nlohmann::ordered_json json_of_agreements(const std::vector<Agreement>& rows) {
  auto result = nlohmann::ordered_json::array();
  for (const Agreement& row : rows) {
    result.push_back(
        {{"strategy", row.strategy},
         {"predicted", json_number(row.predicted ? row.predicted->volume_ratio : std::nullopt)},
         {"simulated", json_number(row.simulated.volume_ratio)},
         {"executed", json_number(row.executed.volume_ratio)},
         {"difference", row.difference},
         {"allowed", row.allowed},
         {"makespan_error", json_number(row.makespan_error)},
         {"verdict", row.verdict()}});
  }
  return result;
}

/// Why makespans are not judged, as a line below the table, or "".
std::string time_note(const std::vector<Agreement>& rows, const Experiment& experiment,
                      const std::string& backend) {
  const bool judged = std::any_of(rows.begin(), rows.end(),
                                  [](const Agreement& row) { return row.makespan_error; });
  if (judged) return "";
  const bool paces = Table<BackendEntry>::named(backend).paces_tasks;
  if (!experiment.scenario.machine()) {
    return fmt::format("makespan not judged: runs are not paced{}\n",
                       paces ? "; give --pace 1ms" : "");
  }
  const std::string why =
      fmt::format("makespan not judged: '{}' has the rates of a preset, not of this machine",
                  experiment.scenario.text());
  // Only products have a speed that can be calibrated.
  if (!multiplication_of(experiment.workload, {})) {
    return fmt::format("{}{}\n", why, paces ? "; give --pace 1ms" : "");
  }
  return fmt::format(
      "{}; `damocles calibrate '{}' --processors {} --backend {} -o here.toml` and compare on here.toml{}\n",
      why, experiment.workload.text(), experiment.scenario.processors(),
      Table<BackendEntry>::named(backend).run == nullptr ? backend : "host",
      paces ? ", or give --pace 1ms" : "");
}

/// Replicate 0 simulated and executed, in the time of the executed run.
void write_both(const std::string& path, const Experiment& experiment,
                const std::vector<Record>& records, std::vector<RunEvent> simulated,
                const Executed& executed, double time_scale) {
  if (path.empty()) return;
  if (time_scale <= 0) time_scale = 1;
  const auto row = std::find_if(records.begin(), records.end(), [](const Record& record) {
    return record.source == "simulated" && record.replicate == 0U;
  });
  for (RunEvent& event : simulated) event.time_s *= time_scale;
  Record record = *row;
  record.makespan_s = *record.makespan_s * time_scale;
  const Workload& workload = experiment.workload;
  const Platform platform = experiment.scenario.draw(experiment.seed, 0);
  write_trace(path, {traced_run(workload, platform, record, std::move(simulated)),
                     traced_run(workload, platform, executed.record, executed.execution.events)});
}

}  // namespace

extern "C" void damocles_compare_executed(const CommonOptions& options,
                                          const RunOptions& run_options) {
  Experiment experiment = options.experiment();
  if (experiment.scenario.machine()) {
    if (options.models != "all") {
      throw InvalidInput("compare --backend asks no model of limited memory; leave out --model");
    }
  } else {
    experiment.models = choose_models(options.models);
  }
  leave_out_silent_models(experiment, options.models);
  std::vector<RunEvent> events;
  if (!options.trace.empty()) {
    check_trace(options.trace, experiment.workload.tasks(), 2);  // simulated and executed
    experiment.watcher = [&](const RunEvent& event) { events.push_back(event); };
  }
  ExecutionOptions how = run_options.parsed(experiment.workload);
  run_options.refuse_events(options);
  how.keep_events = true;
  experiment = with_copies_in_real_time(std::move(experiment), how);
  Workbench bench(experiment, how);
  if (const auto& machine = experiment.scenario.machine()) {
    // Loads that are queued further ahead are other loads, and results take time on their way: what
    // is simulated does as much.
    experiment.scenario = Scenario::of_machine(
        experiment.scenario.text(), bench.as_executed(*machine), experiment.scenario.source());
  }
  auto records = run_jobs(jobs(experiment), options.threads(), terminal_progress(options.quiet));
  const double peak = bench.peak_flops_per_s();
  const auto runs =
      run_executions(bench, experiment, all_runs(experiment), terminal_progress(options.quiet),
                     runs_told(options.quiet, options.output));
  options.print_left_out(experiment);
  for (const Executed& run : runs) records.push_back(run.record);
  const TimeScale time_scale = [&](std::uint64_t replicate) {
    const double paced = bench.time_scale(experiment.scenario.draw(experiment.seed, replicate));
    const auto& machine = experiment.scenario.machine();
    return paced == 0 && machine && !machine->preset_rates ? 1 : paced;
  };
  const auto rows = agreements(records, banded_model, time_scale);
  const auto write_rows = [&] {
    switch (options.chosen_format()) {
      case Format::table:
        if (rows.empty()) break;  // the first run failed
        write_output(
            options.output,
            table_of_verdicts(rows, experiment, how.backend, style_for(options.output)) +
                time_note(rows, experiment, how.backend) + "\n" +
                details_table(runs, peak, style_for(options.output)) +
                wrapped(run_summary(runs, bench.device(), peak), style_for(options.output)));
        break;
      case Format::json: {
        auto whole = json_of_records(records, "compare");
        whole["agreement"] = json_of_agreements(rows);
        whole["execution"] = run_details(runs, bench.device(), peak);
        write_output(options.output, json_text(whole));
        break;
      }
      default:
        options.write(records, "compare");
    }
  };
  run_all_then_rethrow({write_rows, [&] {
                          write_both(options.trace, experiment, records, events, runs.front(),
                                     time_scale(0));
                        }});
  const std::string& failure = runs.back().execution.failure;
  if (!failure.empty()) {
    throw std::runtime_error(fmt::format("{} failed: {}", runs.back().record.strategy, failure));
  }
}

}  // namespace damocles
