#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "experiments/cluster/sweep_on_ranks.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/commands/command_rows.hpp"
#include "experiments/commands/sweep_estimate.hpp"
#include "experiments/commands/sweep_precision.hpp"
#include "experiments/commands/sweep_request.hpp"
#include "experiments/commands/sweep_study.hpp"
#include "experiments/commands/sweep_summary.hpp"
#include "experiments/commands/sweep_table.hpp"
#include "experiments/interrupt.hpp"
#include "experiments/message.hpp"
#include "experiments/origin.hpp"
#include "experiments/progress.hpp"
#include "experiments/results/csv_rows.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/stored_rows.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/rows.hpp"
#include "experiments/studies/shard.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

/// "shard 2/16 of 400 rows".
std::string text_of_shard(const Shard& shard, std::size_t rows) {
  return fmt::format("shard {} of {}", shard.text(), counted(rows, "row"));
}

/// Several settings may ask for one row, which is made once.
std::vector<Job> each_once(std::vector<Job> jobs) {
  std::set<std::string> seen;
  std::erase_if(jobs, [&](const Job& job) { return !seen.insert(job.key).second; });
  return jobs;
}

/// What a sweep asks for, and what of it is there.
struct AskedRows {
  std::vector<bool> asked;  ///< of each job
  RowsByKey there;

  [[nodiscard]] std::vector<Job> missing(const std::vector<Job>& jobs) const {
    std::vector<Job> result;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (asked[i] && !there.contains(jobs[i].key)) result.push_back(jobs[i]);
    }
    return each_once(std::move(result));
  }
};

/// What a sweep would do, for eyes. @param target  "": nothing is kept
std::string plan_of(const SweepStudy& study, const std::string& target, const AskedRows& rows,
                    const Shard& shard, const std::optional<double>& precision) {
  std::vector<std::vector<std::string>> lines{{"workload", "platform", "rows", "there"}};
  std::size_t job = 0;
  std::size_t asked = 0;
  std::size_t found = 0;
  for (const auto& point : study.points) {
    const auto [asked_before, found_before] = std::pair(asked, found);
    for (const std::size_t end = job + point.rows; job < end; ++job) {
      if (!rows.asked[job]) continue;
      ++asked;
      found += rows.there.contains(study.jobs[job].key) ? 1 : 0;
    }
    if (asked == asked_before) continue;
    lines.push_back({point.workload, point.platform, fmt::format("{}", asked - asked_before),
                     target.empty() ? "" : fmt::format("{}", found - found_before)});
  }
  const std::string kept =
      target.empty()
          ? ""
          : fmt::format("; {} in {}, {} to run", found == 1 ? "1 is" : fmt::format("{} are", found),
                        target, asked - found);
  const std::string of_shard = shard.is_whole() ? "" : " in " + text_of_shard(shard, job);
  const std::string more =
      precision ? fmt::format("; more until means are precise to {:.6g} %", 100 * *precision) : "";
  return fmt::format("{}, {}{}{}{}\n\n{}", counted(lines.size() - 1, "setting"),
                     counted(asked, "row"), of_shard, kept, more, aligned(lines, style_for({})));
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
Shard asked_shard(const SweepRequest& request, const SweepOptions& options) {
  if (options.shard.empty()) return {};
  const Shard shard = Shard::parse(options.shard);
  if (request.precision) {
    throw InvalidInput(fmt::format(
        "--shard {}: a precision needs all rows of a setting, and a shard has some; give a number "
        "of replicates instead of the precision",
        shard.text()));
  }
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

/// Which rows a sweep asks for. @param study  outlives the answer
AskedJobs asked_jobs(const SweepRequest& request, const SweepStudy& study, const Shard& shard) {
  if (request.precision) {
    return [precision = SweepPrecision(study, *request.precision, request.replicates)](
               const RowsByKey& rows) { return precision.asked(rows); };
  }
  return [part = shard.of(study.jobs.size())](const RowsByKey&) { return part; };
}

/// The settings, each with as many rows as were asked for.
std::vector<SweepPoint> points_of_rows(const SweepStudy& study, const std::vector<bool>& asked) {
  std::vector<SweepPoint> points = study.points;
  auto job = asked.begin();
  for (SweepPoint& point : points) {
    const auto end = job + static_cast<std::ptrdiff_t>(point.rows);
    point.rows = static_cast<std::size_t>(std::count(job, end, true));
    job = end;
  }
  return points;
}

void note_imprecise(const SweepRequest& request, const SweepStudy& study, const StudyRows& rows) {
  if (!request.precision) return;
  const SweepPrecision precision(study, *request.precision, request.replicates);
  if (const auto text = precision.note_on_imprecise(rows.records, rows.asked); !text.empty())
    note(text);
}

void print_sweep_table(const SweepRequest& request, const SweepStudy& study, const RowRunner& run,
                       const SweepOptions& options, Format format) {
  const StudyRows rows = run_in_memory(study.jobs, run, asked_jobs(request, study, {}));
  const auto& records = rows.records;
  note_imprecise(request, study, rows);
  write_output("-", sweep_table(request, points_of_rows(study, rows.asked), records, format));
  if (options.summary) {
    const auto lines = "\n" + best_by_setting(request.varied, study.points, records);
    (void)std::fputs(wrapped(lines, style_for({})).c_str(),
                     format == Format::table ? stdout : stderr);
  }
  const auto failed = std::count_if(records.begin(), records.end(), [](const Record& one) {
    return one.status.kind == Status::Kind::failed;
  });
  if (failed > 0) end_with_failed_rows(static_cast<std::size_t>(failed), records.size());
}

/// Refuses what would destroy an input, before anything runs.
void check_sweep_files(const SweepStudy& study, const std::string& file,
                       const SweepOptions& options, const std::filesystem::path& target) {
  auto inputs = study.inputs;
  if (!file.empty()) inputs.push_back({"sweep file", file});
  if (!options.store.empty()) return check_outputs({{"--store", target}}, inputs);
  check_outputs({{"-o", target}}, inputs);
  check_ending("-o", target, {".csv"});
  if (!is_written_through(target)) check_outputs({{"-o", partial_of(target)}}, inputs);
}

/// Who sweeps: the command as it was given, and the text of the file that it reads.
StoredStudy stored_study(std::string command, const SweepRequest& request) {
  std::string text;
  if (!request.file.empty()) {
    std::ifstream file(request.file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  return study_of(std::move(command), fmt::format("{}", request.seed), std::move(text));
}

UnmatchedRows unmatched_rows(const SweepOptions& options) {
  return options.prune ? UnmatchedRows::dropped : UnmatchedRows::refused;
}

/// What a dry run says; how long it would take, which depends on the machine, on standard error.
void print_plan(const SweepRequest& request, const SweepOptions& options, const SweepStudy& study,
                const AskedJobs& asked, const Shard& shard, int threads) {
  const auto target = target_of(request, options);
  AskedRows rows;
  if (!options.store.empty()) {
    rows.there = rows_in_store(target, study.jobs);
  } else if (!target.empty()) {
    rows.there = rows_in_csv(target, study.jobs, asked, unmatched_rows(options));
  }
  rows.asked = asked(rows.there);
  write_output("-", plan_of(study, target.string(), rows, shard, request.precision));
  const auto missing = rows.missing(study.jobs);
  if (options.quiet || missing.empty()) return;
  RowTimes known;
  const auto store = options.store.empty() ? partial_of(target) : target;
  if (!target.empty() && std::filesystem::is_regular_file(store)) {
    known = ResultStore(store, ResultStore::Use::read).times();
  }
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  const auto of_sweep = threads > 0 ? static_cast<std::uint64_t>(threads) : cores;
  (void)std::fflush(stdout);
  print_diagnostic(estimate_of(missing, known, options.store, of_sweep));
}

/// @param leader  deals the rows to other ranks; null: this program makes them itself
void sweep(const Command& command, const SweepRequest& request, const SweepOptions& options,
           int threads, LeadingRank* leader = nullptr) {
  check_options_of_store(options);
  const Shard shard = asked_shard(request, options);
  const auto target = target_of(request, options);
  const Format format = format_of_table(options, target.string());
  if (!target.empty()) check_writable(target);
  const SweepStudy study = study_of_sweep(request, options.quiet);
  if (!target.empty()) check_sweep_files(study, request.file, options, target);
  for (const std::string& text : study.notes) note(text);
  const AskedJobs asked = asked_jobs(request, study, shard);
  if (options.dry_run) return print_plan(request, options, study, asked, shard, threads);
  const auto progress = terminal_progress(options.quiet);
  RowRunner run = runner_on_threads(threads, progress);
  if (leader != nullptr) {
    run = [&](const std::vector<Job>& missing, const Finished& finished) {
      return leader->run(study.jobs, missing, progress, finished);
    };
  }
  if (target.empty()) return print_sweep_table(request, study, run, options, format);
  StoredStudy who_sweeps = stored_study(command.as_given(), request);
  if (leader != nullptr) who_sweeps.machine += fmt::format("; {} MPI ranks", leader->ranks());
  const StudyRows rows =
      options.store.empty()
          ? run_into_csv(target, who_sweeps, study.jobs, run, asked, unmatched_rows(options))
          : run_into_store(target, who_sweeps, study.jobs, run, asked);
  const auto& [records, counts, all_asked] = rows;
  note_imprecise(request, study, rows);
  const bool to_stdout = is_standard_output(target);
  auto lines = counts.text(to_stdout ? "all" : target.string());
  lines += (shard.is_whole() ? "" : "; " + text_of_shard(shard, study.jobs.size())) + "\n";
  const bool on_terminal = style_for({}).width > 0 && !to_stdout && shard.is_whole();
  if (options.summary || (on_terminal && !options.quiet)) {
    lines += best_by_setting(request.varied, study.points, records);
  }
  (void)std::fputs(wrapped(lines, style_for({})).c_str(), to_stdout ? stderr : stdout);
  if (counts.failed > 0) end_with_failed_rows(counts.failed, counts.asked);
}

/// All copies would make the same rows.
void note_unconnected_copies(const SweepOptions& options) {
  const int copies = unconnected_copies();
  if (copies == 0 || !options.shard.empty()) return;
  note(
      fmt::format("srun started {} programs that do not know of each other, and each makes all "
                  "rows; use srun --mpi=pmix or mpirun, or give each a part, as --shard 1/{}",
                  copies, copies));
}

/// What one of several ranks does.
void sweep_on(Ranks& ranks, const Command& command, const SweepOptions& options, int threads) {
  if (ranks.rank() > 0) {
    // A launcher ends the ranks that are left when rank 0 has ended with an error.
    end_silently_on_interrupt();
    return make_rows_for_leader(ranks, std::max(threads, 1), [&] {
      const SweepRequest request = asked_sweep(command, options.words);
      return study_of_sweep(request, true).jobs;
    });
  }
  LeadingRank leader(ranks);
  sweep(command, asked_sweep(command, options.words), options, threads, &leader);
}

}  // namespace

std::vector<Record> sweep_rows(const SweepRequest& request, const CommonOptions& options,
                               const Onlookers& onlookers) {
  const SweepStudy study = study_of_sweep(request, options.quiet);
  for (const std::string& text : study.notes) note(text);
  const auto run = runner_on_threads(options.threads(), onlookers.progress, onlookers.check);
  const AskedJobs asked = asked_jobs(request, study, {});
  if (!options.store.empty()) check_store_name(options.store);
  StudyRows rows = options.store.empty()
                       ? run_in_memory(study.jobs, run, asked)
                       : run_into_store(options.store, stored_study(options.as_given(), request),
                                        study.jobs, run, asked);
  note_imprecise(request, study, rows);
  std::set<std::string> seen;
  std::erase_if(rows.records,
                [&](const Record& record) { return !seen.insert(key(record)).second; });
  return std::move(rows.records);
}

namespace {

constexpr const char* footer_of_sweep =
    "FILE\n"
    "  workload   = [\"outer:n={n}\", \"matrix:n=40\"]     # one or a list\n"
    "  platform   = \"uniform:p={p},lo={lo},hi={hi}\"    # one or a list\n"
    "  strategies = [\"dynamic\", \"dynamic-2phases:beta=3\"]   # default all\n"
    "  models     = [\"paper\", \"refined\"]   # predictions too; default none\n"
    "  simulate   = true      # default\n"
    "  replicates = 10        # default; with a precision at most (default 1000)\n"
    "  precision  = \"1%\"      # replicates until means are so precise; default none\n"
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
    "  damocles sweep gemm2d:n=20 gpus:k=1 --vary memory=10data,40data --strategies darts,dmdar --precision 1%\n"
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
      "list each setting (workload and platform), its rows, and how many of them exist; estimate "
      "time and memory, from times in the store and from a few rows that are tried for at most five "
      "seconds (--quiet: without an estimate)");
  command.flag(
      "--drop-stale-rows", options->prune,
      "drop rows of OUTPUT that this does not ask for: of other settings, another "
      "version of the program, or from before a file was edited (default: refuse to run if there are such rows)");
  command.footer(footer_of_sweep);
  command.runs([command, options] {
    const int threads = static_cast<int>(parse_integer_option("--jobs", options->jobs, 0, 4096));
    if (const auto ranks = join_ranks("; or give each machine a part, as --shard 1/4")) {
      return sweep_on(*ranks, command, *options, threads);
    }
    note_unconnected_copies(*options);
    sweep(command, asked_sweep(command, options->words), *options, threads);
  });
}

const Register sweep_command{CommandEntry{
    .name = "sweep",
    .place = 100,
    .description =
        "Run every combination of values, given by --vary or in a TOML file. "
        "Rows that exist already are skipped. Where a sweep is killed, the next one goes on "
        "with its rows: they are in OUTPUT.partial until the end, or in the database of "
        "--store.",
    .set_up = set_up_sweep}};

}  // namespace
}  // namespace damocles
