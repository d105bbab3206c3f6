#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "experiments/commands/command.hpp"
#include "experiments/message.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/stored_rows.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/all_strategies.hpp"
#include "experiments/studies/rows.hpp"
#include "experiments/studies/summary.hpp"
#include "experiments/traces/decision_files.hpp"
#include "experiments/traces/trace_files.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "models/spec.hpp"
#include "models/workloads/family.hpp"
#include "strategies/registry.hpp"

namespace damocles {

std::uint64_t parse_integer_option(const std::string& option, const std::string& text,
                                   std::uint64_t lowest, std::uint64_t highest) {
  const auto value = parse_integer(text);
  if (!value || *value < lowest || *value > highest) {
    throw InvalidInput(
        fmt::format("{} '{}': give a whole number from {} to {}", option, text, lowest, highest));
  }
  return *value;
}

void CommonOptions::add_experiment(Command command, bool of_models) {
  models_only = of_models;
  command.argument("WORKLOAD", workload, "outer:n=N, matrix:n=N, ... (damocles list workloads)");
  command.argument(
      "PLATFORM", platform,
      fmt::format(
          "homogeneous:p=P, {}uniform:p=P,lo=L,hi=H, FILE.toml, ... (damocles list platforms)",
          of_models ? "" : "gpus:k=K,memory=500MB, "));
  command.option("--seed", seed, "N", "seed of all random numbers (default 1)");
}

void CommonOptions::add_strategies(Command command) {
  command.list(
      "--strategies,--strategy", strategies, "LIST",
      "all (those that the workload and platform allow; a note names the others), or a comma-separated list, as "
      "random,dynamic-2phases:beta=3 or darts,hfp:eviction=lru (default: all where memory is unlimited, else a dozen that represent the others)");
}

void CommonOptions::add_models(Command command) {
  command.option(
      "--model", models, "LIST",
      "models: all, or a comma-separated list of paper, corrected, exact, refined, ode, or with limited memory of counted, panels, characteristic-time, box-growth, choice-chain (default all)");
}

void CommonOptions::add_replicates(Command command, const std::string& meaning) {
  command.option("--replicates", replicates, "N", meaning);
  command.flag("--quiet", quiet, "hide progress and notes; warnings stay");
}

void CommonOptions::add_runs(Command command) {
  add_replicates(command, "runs of each strategy (default 10)");
  command.option("--jobs", jobs, "N", "threads; 0: all that are available (default 0)");
}

void CommonOptions::add_output(Command command) {
  command.option(
      "--format", format, "NAME",
      "table, csv or json (default: from the ending of FILE, .txt for a table; a table without FILE)");
  command.option("-o,--output", output, "FILE",
                 "write to FILE, atomically, instead of standard output");
  command.flag(
      "--summary", summary,
      "one row for each strategy, in CSV and JSON too: number of replicates (n), the mean of each column, "
      "and of volume_ratio also sd and ci95, half the width of its 95 % confidence interval");
}

void CommonOptions::add_store(Command command) {
  command.option(
      "--store", store, "FILE.db",
      "take rows that are in this database from it, and add the others to it; the answer "
      "is the same");
  as_given = [command] { return command.as_given(); };
}

void CommonOptions::add_answer(Command command) {
  command.option("--format", format, "NAME",
                 "table (text) or json (default: from the ending of FILE)");
  command.option("-o,--output", output, "FILE",
                 "write to FILE, atomically, instead of standard output");
  command.flag("--quiet", quiet, "hide notes; warnings stay");
}

bool CommonOptions::answers_in_json(const std::string& what) const {
  const Format chosen = chosen_format();
  if (chosen == Format::csv) {
    throw InvalidInput(fmt::format(
        "{} is no table of rows; give --format json, or a name ending in .txt or .json", what));
  }
  return chosen == Format::json;
}

void CommonOptions::add_table(Command command) {
  tables_of_results = true;
  command.describe("--format",
                   "table, csv, json, jsonl, markdown or latex "
                   "(default: from the ending of FILE, .txt for a table; a table without FILE)");
  command.option(
      "--sort", table.sort, "COLUMN",
      "sort a table by this column (default: makespan_s where memory is limited, else loads)");
  command.option("--top", top, "N", "show the first N rows of a table");
  command.option("--columns", columns, "LIST",
                 "show these columns of a table, as strategy,makespan_s,evictions");
  command.flag("--wide", table.wide, "show all columns of a table, not only those that fit");
}

void CommonOptions::add_trace(Command command, const std::string& required) {
  command.option("--trace", trace, "FILE",
                 "write a trace of replicate 0: tasks, copies, evictions and waits; "
                 ".json for Perfetto and `damocles plot gantt`, .trace or .paje for ViTE; "
                 "NAME.rec as StarPU's tasks.rec, sched.rec for starpu_replay" +
                     (required.empty() ? "" : "; requires " + required));
}

void CommonOptions::add_recording(Command command, const std::string& required) {
  command.option("--record", recording, "FILE",
                 "write the decisions of replicate 0, for `damocles replay`; requires " + required);
}

namespace {

/// Whether `text` begins with the name of one of the forms, as `damocles list` shows them.
bool has_form(const std::vector<std::array<std::string, 2>>& forms, const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  return std::any_of(forms.begin(), forms.end(), [&](const auto& form) {
    return form[0].substr(0, form[0].find(':')) == name;
  });
}

}  // namespace

void refuse_swapped(const std::string& workload, const std::string& platform) {
  const bool is_workload = has_form(Workload::forms(), platform);
  const bool is_platform = has_form(Scenario::forms(), workload) || workload.ends_with(".toml");
  if (!is_workload || !is_platform) return;
  throw InvalidInput(
      fmt::format("'{0}' is a platform and '{1}' a workload; give the workload first: {1} {0}",
                  workload, platform));
}

namespace {

void note_if_any(const std::string& text) {
  if (!text.empty()) note(text);
}

/// Says which options of strategies mean nothing, as no memory is limited.
void note_idle_options(const Experiment& experiment) {
  if (experiment.scenario.machine()) return;
  for (const auto& strategy : experiment.strategies) {
    const Spec spec = Spec::parse(strategy, StrategyEntry::what);
    for (const char* const key : {"eviction", "buffer", "patient"}) {
      if (!spec.has(key)) continue;
      note(fmt::format("note: strategy '{}': {}= has no effect, as '{}' has unlimited memory",
                       strategy, key, experiment.scenario.text()));
    }
  }
}

}  // namespace

void require_one_strategy(const std::string& option, const Experiment& experiment) {
  if (experiment.strategies.size() == 1) return;
  throw InvalidInput(fmt::format("{} requires exactly one strategy, not {}; give --strategies NAME",
                                 option, experiment.strategies.size()));
}

Experiment CommonOptions::experiment() const {
  refuse_swapped(workload, platform);
  Experiment result{.workload = Workload::parse(workload), .scenario = Scenario::parse(platform)};
  result.scenario = result.scenario.for_tasks_of(result.workload);
  if (models_only && !result.scenario.machine() && result.workload.has_dependencies()) {
    throw InvalidInput(fmt::format(
        "with unlimited memory models support no dependencies between tasks, which '{}' has; use "
        "`damocles simulate` on gpus:k=2,memory=500MB, or `damocles predict` of a static schedule, as heft",
        workload));
  }
  result.strategies = choose_strategies(strategies, result.workload, result.scenario.machine());
  result.replicates = parse_integer_option("--replicates", replicates, 1, 1'000'000);
  result.seed = parse_integer_option("--seed", seed, 0, std::numeric_limits<std::uint64_t>::max());
  result.charge_scheduling = charge_scheduling;
  if (charge_scheduling && !result.scenario.machine()) {
    throw InvalidInput("--count-decision-time needs a platform of limited memory, as gpus:k=2");
  }
  for (const auto& [option, file] :
       {std::pair("--trace", trace), std::pair("--record", recording)}) {
    if (file.empty()) continue;
    require_one_strategy(option, result);
    if (store.empty()) continue;
    throw InvalidInput(fmt::format(
        "{} and --store: a row of a store has no events; leave out one of them", option));
  }
  if (!trace.empty()) check_trace(trace, result.workload.tasks());
  if (!recording.empty()) check_recording(recording, result.workload.tasks());
  check_files(result);
  if (tables_of_results) (void)table_choice();  // refused now, not when all has run
  note_idle_options(result);
  if (!quiet) note_if_any(note_on_changed_default(result.workload));
  return result;
}

std::string CommonOptions::note_on_left_out(const Experiment& experiment) const {
  if (strategies != "all") return "";
  const auto all = AllStrategies::on(experiment.workload, experiment.scenario.machine());
  return all.left_out.empty() ? "" : "not run by --strategies all: " + all.text_of_left_out();
}

void CommonOptions::print_left_out(const Experiment& experiment) const {
  const std::string left_out = quiet ? "" : note_on_left_out(experiment);
  if (!left_out.empty()) print_diagnostic(left_out);
}

Experiment CommonOptions::experiment_to_simulate() const {
  Experiment result = experiment();
  note_if_any(note_on_precisions(result.workload, result.scenario));
  if (!quiet) note_if_any(note_on_one_rate(result.workload, result.scenario));
  for (const auto& of_file : notes_on_files(result.workload, result.scenario)) note(of_file);
  for (const auto& of_run : notes_on_recorded_runs(result)) note(of_run);
  return result;
}

void CommonOptions::check_files(const Experiment& experiment,
                                const std::vector<RoleOfFile>& outputs,
                                std::vector<RoleOfFile> inputs) const {
  std::vector<RoleOfFile> written{{"-o", output.empty() ? "-" : output},
                                  {"--trace", trace},
                                  {"--record", recording},
                                  {"--store", store}};
  written.insert(written.end(), outputs.begin(), outputs.end());
  check_ending("--record", recording, {".json"});
  for (const auto& [role, path] : written) check_writable(path);
  if (const auto& file = experiment.workload.source()) inputs.push_back({"workload", file->path});
  if (const auto& file = experiment.scenario.source()) inputs.push_back({"platform", file->path});
  for (const SourceFile& file : experiment.scenario.times_files()) {
    inputs.push_back({"times", file.path});
  }
  for (const auto& path : placement_files(experiment.strategies)) {
    inputs.push_back({"placement", path});
  }
  if (!store.empty()) check_store_name(store);
  check_outputs(written, inputs);
  if (chosen_format() != Format::json && recording.empty() && !trace.ends_with(".json")) return;
  check_json_text("workload", experiment.workload.text());
  check_json_text("platform", experiment.scenario.text());
}

int CommonOptions::threads() const {
  return static_cast<int>(parse_integer_option("--jobs", jobs, 0, 4096));
}

void CommonOptions::write_trace_of(const Experiment& of, const std::vector<Record>& records,
                                   std::vector<RunEvent> events) const {
  if (trace.empty()) return;
  write_trace(trace, {traced_run(of.workload, of.scenario.draw(of.seed, 0), records.front(),
                                 std::move(events))});
}

void CommonOptions::write_recording_of(const std::vector<Record>& records,
                                       const std::vector<RunEvent>& events) const {
  if (recording.empty() || records.front().status.kind == Status::Kind::failed) return;
  write_recording(recording, records.front(), events);
}

namespace {

/// The endings of files, and what is written into them.
const std::vector<std::pair<std::string, Format>>& endings() {
  static const std::vector<std::pair<std::string, Format>> all{
      {".csv", Format::csv},     {".json", Format::json},   {".txt", Format::table},
      {".jsonl", Format::jsonl}, {".md", Format::markdown}, {".tex", Format::latex}};
  return all;
}

}  // namespace

Format CommonOptions::chosen_format() const {
  const auto ending = in_lower_case(std::filesystem::path(output).extension().native());
  std::optional<Format> by_ending;
  std::vector<std::string> known;
  for (const auto& [text, of_file] : endings()) {
    if (!tables_of_results && of_file > Format::json) continue;
    known.push_back(text);
    if (text == ending) by_ending = of_file;
  }
  if (format.empty()) {
    check_ending("-o", output, known, ", or say --format");
    return by_ending.value_or(is_standard_output(output) ? Format::table : Format::csv);
  }
  const Format named = format_named(format);
  if (!tables_of_results && named > Format::json) {
    throw InvalidInput(fmt::format("--format {}: this command writes table, csv or json", format));
  }
  // A text file may hold any of them.
  if (by_ending && *by_ending != Format::table && *by_ending != named) {
    const auto right = std::find_if(endings().begin(), endings().end(),
                                    [&](const auto& one) { return one.second == named; });
    throw InvalidInput(fmt::format(
        "-o '{}' is not a name for --format {}; leave out --format, or end the name in {}", output,
        format, right->first));
  }
  return named;
}

TableChoice CommonOptions::table_choice() const {
  TableChoice choice = table;
  choice.fold = !names_strategies();
  for (const auto& entry : damocles::strategies()) {
    if (entry.representative) choice.usual.push_back(entry.name);
  }
  if (!top.empty()) {
    choice.top = parse_integer_option("--top", top, 1, std::numeric_limits<std::uint32_t>::max());
  }
  if (!columns.empty()) choice.columns = split_specs(columns);
  check_columns(choice);
  return choice;
}

std::string CommonOptions::note_on_others(const Experiment& experiment) const {
  if (!strategies.empty()) return "";
  const auto all = AllStrategies::on(experiment.workload, experiment.scenario.machine());
  if (all.chosen.size() <= experiment.strategies.size()) return "";
  return fmt::format("{} of {} strategies; --strategies all runs all\n",
                     experiment.strategies.size(), all.chosen.size());
}

void CommonOptions::write(const std::vector<Record>& records, const std::string& command,
                          const std::string& notes,
                          const std::function<void(ResultTable&)>& more) const {
  const Format chosen = chosen_format();
  const bool for_eyes =
      chosen == Format::table || chosen == Format::markdown || chosen == Format::latex;
  const bool replicated = std::any_of(records.begin(), records.end(), [](const Record& record) {
    return record.replicate.value_or(0) > 0;
  });
  const auto rows = summary || (for_eyes && replicated) ? summarise(records) : records;
  if (!for_eyes) {
    write_output(output, chosen == Format::csv     ? to_csv(rows)
                         : chosen == Format::jsonl ? json_lines(rows)
                                                   : json_text(json_of_records(rows, command)));
    return;
  }
  const TableChoice choice = table_choice();
  ResultTable shown = result_table(rows, choice);
  shown.closing += notes;
  if (more && chosen == Format::table && choice.columns.empty()) more(shown);
  write_output(output, chosen == Format::markdown ? markdown_table(shown.cells)
                       : chosen == Format::latex  ? latex_table(shown.cells)
                                                  : table_text(shown, choice, style_for(output)));
}

}  // namespace damocles
