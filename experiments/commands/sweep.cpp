#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "experiments/cluster/sweep_on_ranks.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/commands/sweep_request.hpp"
#include "experiments/commands/sweep_summary.hpp"
#include "experiments/commands/sweep_table.hpp"
#include "experiments/message.hpp"
#include "experiments/progress.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/ledger.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/stored_rows.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/all_strategies.hpp"
#include "experiments/studies/points.hpp"
#include "experiments/studies/rows.hpp"
#include "experiments/studies/shard.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

/// The rows of a sweep, setting by setting.
class Study {
 public:
  /// @param quiet  whether to keep no notes but warnings
  Study(const SweepRequest& request, bool quiet)
      : request_(request), quiet_(quiet), points_(request.points), predicted_(request.models) {
    refuse_too_many_settings();
    do {
      const auto values = points_.values();
      for (const auto& workload : request_.workloads) {
        for (const auto& platform : request_.platforms) add(values, workload, platform);
      }
    } while (points_.next());
    predicted_.require();
  }
  [[nodiscard]] const std::vector<Job>& jobs() const { return jobs_; }
  [[nodiscard]] const std::vector<SweepPoint>& points() const { return made_; }
  [[nodiscard]] const std::vector<RoleOfFile>& inputs() const { return inputs_; }
  /// What to tell of its points, each text once; of precisions only of the first such point.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// "sweep file 'x.toml'", for errors.
  [[nodiscard]] std::string name() const {
    return request_.file.empty() ? "the sweep" : fmt::format("sweep file '{}'", request_.file);
  }
  void refuse_too_many_settings() const {
    const auto asked = saturated_product(
        points_.count(), saturated_product(request_.workloads.size(), request_.platforms.size()));
    if (asked <= most_points) return;
    throw InvalidInput(fmt::format("{} asks for {} settings ({}); at most {} are possible", name(),
                                   asked, points_.text(), most_points));
  }

  /// What is wrong with the words of a file, said of it.
  template <typename Use>
  auto of_file(Use&& use) const {
    try {
      return use();
    } catch (const Infeasible&) {
      throw;
    } catch (const InvalidInput& error) {
      if (request_.file.empty()) throw;
      throw InvalidInput(fmt::format("{}: {}", name(), error.what()));
    }
  }

  void add(const Values& values, const std::string& workload, const std::string& platform) {
    // Where only some of the workloads have a variable, the others are asked for again and again.
    const std::string asked = of_file([&] {
      std::string words = csv_line({substituted(workload, values), substituted(platform, values)});
      for (const auto* list : {&request_.strategies, &request_.models}) {
        for (const auto& text : *list) words += csv_line({substituted(text, values)});
      }
      return words;
    });
    if (!seen_.insert(asked).second) return;
    const Experiment experiment = of_file([&] {
      return questioned(values, substituted(workload, values), substituted(platform, values));
    });
    refuse_too_many(experiment);
    for (const auto& path : placement_files(experiment.strategies)) {
      inputs_.push_back({"placement", path});
    }
    predicted_.see(experiment);
    if (experiment.simulate) note(experiment);
    auto rows = damocles::jobs(experiment);
    made_.push_back({values, experiment.workload.text(), experiment.scenario.text(), rows.size()});
    jobs_.insert(jobs_.end(), std::move_iterator(rows.begin()), std::move_iterator(rows.end()));
  }

  [[nodiscard]] Experiment questioned(const Values& values, const std::string& workload,
                                      const std::string& platform) {
    Experiment experiment{
        .workload = parsed(workload_of_, workload, "workload file", Workload::parse),
        .scenario = parsed(scenario_of_, platform, "platform file", Scenario::parse),
        .keep_infeasible = true};
    experiment.scenario = experiment.scenario.for_tasks_of(experiment.workload);
    for (const auto& strategy : request_.strategies) {
      for (const auto& spec : specs(substituted(strategy, values))) {
        add_chosen(spec, experiment);
      }
    }
    for (const auto& model : request_.models) {
      for (auto& chosen :
           choose_models(substituted(model, values), experiment.scenario.machine())) {
        experiment.models.push_back(std::move(chosen));
      }
    }
    experiment.simulate = request_.simulate;
    experiment.replicates = request_.replicates;
    experiment.seed = request_.seed;
    return experiment;
  }

  static std::vector<std::string> specs(const std::string& list) {
    return list == "all" || list.empty() ? std::vector<std::string>{list} : split_specs(list);
  }
  /// A strategy that is not defined there is one too: its rows say so.
  void add_chosen(const std::string& spec, Experiment& experiment) {
    if (spec == "all") {
      const auto all = AllStrategies::on(experiment.workload, experiment.scenario.machine());
      if (!all.left_out.empty() && !quiet_)
        add_note("not run by --strategies all: " + all.text_of_left_out());
    }
    try {
      for (auto& one :
           choose_strategies(spec, experiment.workload, experiment.scenario.machine())) {
        experiment.strategies.push_back(std::move(one));
      }
    } catch (const Infeasible& why) {
      if (spec == "all") {
        experiment.no_strategy = why.what();
      } else {
        experiment.strategies.push_back(spec);
      }
    }
  }

  /// Read once, also where many points have it.
  template <typename Thing>
  const Thing& parsed(std::map<std::string, Thing>& known, const std::string& text,
                      const char* role, Thing (*parse)(std::string_view)) {
    if (const auto found = known.find(text); found != known.end()) return found->second;
    const Thing& thing = known.emplace(text, parse(text)).first->second;
    if (thing.source()) inputs_.push_back({role, thing.source()->path});
    if constexpr (std::is_same_v<Thing, Scenario>) {
      for (const SourceFile& file : thing.times_files()) inputs_.push_back({"times", file.path});
    }
    return thing;
  }

  void note(const Experiment& experiment) {
    auto texts = notes_on_files(experiment.workload, experiment.scenario);
    const std::string precisions = note_on_precisions(experiment.workload, experiment.scenario);
    if (!std::exchange(noted_precisions_, noted_precisions_ || !precisions.empty())) {
      texts.push_back(precisions);
    }
    const std::string rates = note_on_one_rate(experiment.workload, experiment.scenario);
    if (!quiet_ && !std::exchange(noted_rates_, noted_rates_ || !rates.empty())) {
      texts.push_back(rates);
    }
    for (const std::string& text : texts) add_note(text);
  }

  /// Keeps a text to tell, once however often it is added.
  void add_note(const std::string& text) {
    if (!text.empty() && noted_.insert(text).second) notes_.push_back(text);
  }

  void refuse_too_many(const Experiment& experiment) {
    const std::uint64_t a_strategy =
        (experiment.simulate ? experiment.replicates : 0) +
        experiment.models.size() * (experiment.scenario.random() ? experiment.replicates : 1);
    rows_ += saturated_product(experiment.strategies.size(), a_strategy);
    if (rows_ <= most_points) return;
    throw InvalidInput(fmt::format("{} asks for {} rows and more; at most {} are possible", name(),
                                   rows_, most_points));
  }

  const SweepRequest& request_;
  bool quiet_;
  Points points_;
  std::map<std::string, Workload> workload_of_;
  std::map<std::string, Scenario> scenario_of_;
  std::set<std::string> seen_;
  std::uint64_t rows_ = 0;
  NamedModels predicted_;
  std::vector<Job> jobs_;
  std::vector<SweepPoint> made_;
  std::vector<RoleOfFile> inputs_;
  std::vector<std::string> notes_;
  std::set<std::string> noted_;
  bool noted_precisions_ = false;
  bool noted_rates_ = false;
};

/// "shard 2/16 of 400 rows".
std::string text_of_shard(const Shard& shard, std::size_t rows) {
  return fmt::format("shard {} of {}", shard.text(), counted(rows, "row"));
}

/// What a sweep would do, for eyes. @param target  "": nothing is kept
std::string plan_of(const Study& study, const std::string& target, const std::vector<bool>& there,
                    const Shard& shard) {
  std::vector<std::vector<std::string>> lines{{"workload", "platform", "rows", "there"}};
  std::size_t job = 0;
  std::size_t rows = 0;
  std::size_t found = 0;
  for (const auto& point : study.points()) {
    const auto [rows_before, found_before] = std::pair(rows, found);
    for (const std::size_t end = job + point.rows; job < end; ++job) {
      if (!shard.has(job)) continue;
      ++rows;
      found += there[job] ? 1 : 0;
    }
    if (rows == rows_before) continue;
    lines.push_back({point.workload, point.platform, fmt::format("{}", rows - rows_before),
                     target.empty() ? "" : fmt::format("{}", found - found_before)});
  }
  const std::string kept =
      target.empty()
          ? ""
          : fmt::format("; {} in {}, {} to run", found == 1 ? "1 is" : fmt::format("{} are", found),
                        target, rows - found);
  const std::string of_shard = shard.is_whole() ? "" : " in " + text_of_shard(shard, job);
  return fmt::format("{}, {}{}{}\n\n{}", counted(lines.size() - 1, "setting"), counted(rows, "row"),
                     of_shard, kept, aligned(lines, style_for({})));
}

struct SweepOptions {
  SweepWords words;  ///< where there is no platform, the workload is a sweep file
  std::string output;
  std::string store;
  std::string shard;
  std::string format;
  std::string jobs = "0";
  bool prune = false;
  bool dry_run = false;
  bool quiet = false;
  bool summary = false;
};

/// Where the rows go; nowhere but into a table for eyes, where a sweep of words names no file.
std::filesystem::path target_of(const SweepRequest& request, const SweepOptions& options) {
  if (!options.store.empty()) return options.store;
  if (!options.output.empty()) return options.output;
  if (!request.output.empty() || request.file.empty()) return request.output;
  return std::filesystem::path(request.file).replace_extension(".csv");
}

[[noreturn]] void end_with_failed_rows(std::size_t failed, std::size_t asked) {
  throw std::runtime_error(
      fmt::format("{} of {} rows failed; their column status says why", failed, asked));
}

/// The part that this program makes of the sweep. @throws InvalidInput where its rows are of no use
Shard asked_shard(const SweepOptions& options) {
  if (options.shard.empty()) return {};
  const Shard shard = Shard::parse(options.shard);
  if (options.store.empty()) {
    throw InvalidInput(fmt::format(
        "--shard {0}: name a store of its own for each shard, as --store part{1}.db; `damocles "
        "merge` makes one of all",
        shard.text(), shard.index));
  }
  if (options.summary) {
    throw InvalidInput(
        "--summary needs all rows of a setting, and a shard has some; merge the shards, then "
        "run the sweep with --summary and the merged store");
  }
  return shard;
}

/// Refuses what a store has no use for. @throws InvalidInput
void check_options_of_store(const SweepOptions& options) {
  if (options.store.empty()) return;
  if (!options.output.empty()) {
    throw InvalidInput(fmt::format(
        "-o and --store: rows go to one of them; `damocles query {} -o {}` writes those "
        "of a store as CSV",
        options.store, options.output));
  }
  if (options.prune) {
    throw InvalidInput("--drop-stale-rows is for -o; a store keeps rows of other settings");
  }
  if (!options.format.empty()) {
    throw InvalidInput(fmt::format(
        "--format {}: rows go to the store '{}'; `damocles query {} --format {}` writes them",
        options.format, options.store, options.store, options.format));
  }
  check_store_name(options.store);
}

/// How a table is to be written. @throws InvalidInput where there is none, or it cannot be
Format format_of_table(const SweepOptions& options, const std::string& target) {
  if (options.format.empty()) return Format::table;
  if (!target.empty()) {
    throw InvalidInput(fmt::format(
        "--format {}: rows go to {} as CSV; give --format with --vary and without -o, for a table of means",
        options.format, is_standard_output(target) ? "standard output" : "'" + target + "'"));
  }
  const Format format = format_named(options.format);
  if (format == Format::table || format == Format::markdown || format == Format::latex) {
    return format;
  }
  throw InvalidInput(fmt::format(
      "--format {}: a table of means is table, markdown or latex; -o FILE.csv writes every run",
      options.format));
}

void print_sweep_table(const SweepRequest& request, const Study& study, int threads,
                       const SweepOptions& options, Format format) {
  const auto records = run_jobs(study.jobs(), threads, terminal_progress(options.quiet));
  fmt::print("{}", sweep_table(request, study.points(), records, format));
  if (options.summary) {
    const auto lines = "\n" + best_by_setting(request.varied, study.points(), records);
    (void)std::fputs(wrapped(lines, style_for({})).c_str(),
                     format == Format::table ? stdout : stderr);
  }
  const auto failed = std::count_if(records.begin(), records.end(), [](const Record& one) {
    return one.status.kind == Status::Kind::failed;
  });
  if (failed > 0) end_with_failed_rows(static_cast<std::size_t>(failed), records.size());
}

/// Refuses what would destroy an input, before anything runs.
void check_sweep_files(const Study& study, const std::string& file, const SweepOptions& options,
                       const std::filesystem::path& target) {
  auto inputs = study.inputs();
  if (!file.empty()) inputs.push_back({"sweep file", file});
  if (!options.store.empty()) return check_outputs({{"--store", target}}, inputs);
  check_outputs({{"-o", target}}, inputs);
  check_ending("-o", target, {".csv"});
  if (!is_written_through(target)) check_outputs({{"-o", partial_of(target)}}, inputs);
}

/// Who sweeps: the command as it was given, and the text of the file that it reads.
StoredStudy stored_study(const Command& command, const SweepRequest& request,
                         const LeadingRank* leader) {
  std::string text;
  if (!request.file.empty()) {
    std::ifstream file(request.file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  auto study = study_of(command.as_given(), fmt::format("{}", request.seed), std::move(text));
  if (leader != nullptr) study.machine += fmt::format("; {} MPI ranks", leader->ranks());
  return study;
}

/// @param leader  deals the rows to other ranks; null: this program makes them itself
void sweep(const Command& command, const SweepRequest& request, const SweepOptions& options,
           int threads, LeadingRank* leader = nullptr) {
  check_options_of_store(options);
  const Shard shard = asked_shard(options);
  const auto target = target_of(request, options);
  const Format format = format_of_table(options, target.string());
  if (!target.empty()) check_writable(target);
  const Study study(request, options.quiet);
  if (!target.empty()) check_sweep_files(study, request.file, options, target);
  for (const std::string& text : study.notes()) note(text);
  const auto unmatched = options.prune ? UnmatchedRows::dropped : UnmatchedRows::refused;
  if (options.dry_run) {
    const auto there = target.empty()          ? std::vector<bool>(study.jobs().size(), false)
                       : options.store.empty() ? rows_there(target, study.jobs(), unmatched)
                                               : rows_in_store(target, study.jobs());
    fmt::print("{}", plan_of(study, target.string(), there, shard));
    return;
  }
  if (target.empty()) return print_sweep_table(request, study, threads, options, format);
  const auto progress = terminal_progress(options.quiet);
  const auto make = [&](const std::vector<Job>& missing, const Finished& finished) {
    if (leader != nullptr) return leader->run(study.jobs(), missing, progress, finished);
    return run_jobs(missing, threads, progress, finished);
  };
  const auto [records, counts] =
      options.store.empty() ? run_into(target, study.jobs(), threads, unmatched, progress)
                            : run_into_store(target, stored_study(command, request, leader),
                                             study.jobs(), make, Taken::all, shard);
  const bool to_stdout = is_standard_output(target);
  auto lines = counts.text(to_stdout ? "all" : target.string());
  lines += (shard.is_whole() ? "" : "; " + text_of_shard(shard, study.jobs().size())) + "\n";
  const bool on_terminal = style_for({}).width > 0 && !to_stdout && shard.is_whole();
  if (options.summary || (on_terminal && !options.quiet)) {
    lines += best_by_setting(request.varied, study.points(), records);
  }
  (void)std::fputs(wrapped(lines, style_for({})).c_str(), to_stdout ? stderr : stdout);
  if (counts.failed > 0) end_with_failed_rows(counts.failed, counts.asked);
}

/// What one of several ranks does.
void sweep_on(Ranks& ranks, const Command& command, const SweepOptions& options, int threads) {
  if (ranks.rank() > 0) {
    return make_rows_for_leader(ranks, std::max(threads, 1), [&] {
      const SweepRequest request = asked_sweep(command, options.words);
      return Study(request, true).jobs();
    });
  }
  LeadingRank leader(ranks);
  if (options.store.empty()) {
    throw InvalidInput("under mpirun rows go to a store: add --store FILE.db");
  }
  sweep(command, asked_sweep(command, options.words), options, threads, &leader);
}

constexpr const char* footer_of_sweep =
    "FILE\n"
    "  workload   = [\"outer:n={n}\", \"matrix:n=40\"]     # one or a list\n"
    "  platform   = \"uniform:p={p},lo={lo},hi={hi}\"    # one or a list\n"
    "  strategies = [\"dynamic\", \"dynamic-2phases:beta=3\"]   # default all\n"
    "  models     = [\"paper\", \"refined\"]   # predictions too; default none\n"
    "  simulate   = true      # default\n"
    "  replicates = 10        # default\n"
    "  seed       = 1         # default\n"
    "  output     = \"study.csv\"\n"
    "  [vary]                 # what {n} and {p} stand for: every combination,\n"
    "  n = [50, 100, 200]\n"
    "  p = \"10:100:10\"        # as a list or a range: 10, 20, ..., 100\n"
    "  [zip]                  # lists that move together; for several groups [[zip]]\n"
    "  lo = [90, 50, 10]\n"
    "  hi = [110, 150, 190]\n\n"
    "EXAMPLES\n"
    "  damocles sweep gemm2d:n=20 gpus:k=1 --vary memory=5data:80data --strategies darts,dmdar\n"
    "  damocles sweep study.toml --dry-run\n"
    "  damocles sweep study.toml\n"
    "  damocles sweep study.toml -o study.csv --jobs 8\n"
    "  damocles sweep study.toml --store study.db\n"
    "  damocles sweep study.toml --shard 2/16 --store part2.db\n";

void set_up_sweep(Command command) {
  const auto options = std::make_shared<SweepOptions>();
  add_words_of_sweep(command, options->words);
  command.option(
      "-o,--output", options->output, "OUTPUT",
      "the CSV file, - is standard output (default: `output` in FILE, or FILE with the ending .csv; "
      "with --vary a table of means)");
  command.option(
      "--store", options->store, "FILE.db",
      "add the rows to this database instead, which may hold those of other sweeps; rows "
      "that are there are not run again (damocles query reads it)");
  command.option("--shard", options->shard, "I/N",
                 "make only part I of N equal parts of the rows, as 2/16, into --store: for job "
                 "arrays and other machines (damocles merge makes one store of them)");
  command.option("--format", options->format, "NAME",
                 "of a table of means: table, markdown or latex (default table)");
  command.option(
      "--jobs", options->jobs, "N",
      "threads; 0: all that are available (default 0); under mpirun of each rank (default 1)");
  command.flag("--quiet", options->quiet, "hide progress and notes; warnings stay");
  command.flag("--summary", options->summary,
               "say which strategy is the best at each setting, below the rows or their table; of "
               "more than ten settings, how often each is (without it, on a terminal where rows go "
               "to a file)");
  command.flag(
      "--dry-run", options->dry_run,
      "run nothing; list each setting (workload and platform), its rows, and how many of them exist");
  command.flag(
      "--drop-stale-rows", options->prune,
      "drop rows of OUTPUT that this does not ask for: of other settings, another "
      "version of the program, or from before a file was edited (default: refuse to run if there are such rows)");
  command.footer(footer_of_sweep);
  command.runs([command, options] {
    const int threads = static_cast<int>(parse_integer_option("--jobs", options->jobs, 0, 4096));
    if (const auto ranks = join_ranks()) return sweep_on(*ranks, command, *options, threads);
    sweep(command, asked_sweep(command, options->words), *options, threads);
  });
}

const Register sweep_command{CommandEntry{
    .name = "sweep",
    .place = 100,
    .description = "Run every combination of values, given by --vary or in a TOML file. "
                   "Rows that exist already are skipped. A killed run loses no finished row: "
                   "they are in OUTPUT.partial until the end, or in the database of --store.",
    .set_up = set_up_sweep}};

}  // namespace
}  // namespace damocles
