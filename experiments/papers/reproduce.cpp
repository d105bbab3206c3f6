// The command `reproduce`, of the module papers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "damocles_version.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/commands/manual.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/figures/claims.hpp"
#include "experiments/measured/records.hpp"
#include "experiments/message.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/csv_rows.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/stored_rows.hpp"
#include "models/error.hpp"
#include "models/host_machine.hpp"

namespace damocles {
namespace {

struct ReproduceOptions {
  std::string pattern;
  std::string folder = "results";
  std::string seed = "1";
  std::string jobs = "0";
  std::string store;
  bool prune = false;
  bool quiet = false;
};

std::uint64_t seed_of(const ReproduceOptions& options) {
  return parse_integer_option("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
}

/// What was said and what became of it, one entry a sentence.
nlohmann::ordered_json sentence_table(const Claim& claim, const Answers& answers) {
  auto table = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < claim.sentences.size(); ++i) {
    const Sentence& sentence = claim.sentences[i];
    const Answer& answer = answers.sentences.at(i);
    nlohmann::ordered_json row{{"sentence", sentence.text},
                               {"place", sentence.place},
                               {"weight", to_string(sentence.weight)},
                               {"verdict", to_string(answer.verdict)}};
    for (const auto& [key, text] : {std::pair{"reason", &answer.reason},
                                    {"asked", &answer.asked},
                                    {"measured", &answer.measured},
                                    {"ours", &answer.ours}}) {
      if (!text->empty()) row[key] = *text;
    }
    table.push_back(std::move(row));
  }
  return table;
}

std::string command_of(const Claim& claim, const ReproduceOptions& options) {
  return fmt::format("damocles reproduce {} --seed {}", claim.name, options.seed);
}

nlohmann::ordered_json meta(const Claim& claim, const Answers& answers, const Finding& finding,
                            const ReproduceOptions& options, double seconds) {
  nlohmann::ordered_json result{
      {"figure", claim.name},     {"statement", claim.statement},
      {"setting", claim.setting}, {"verdict", to_string(finding.verdict)},
      {"reason", finding.reason}, {"sentences", sentence_table(claim, answers)},
      {"also", answers.also},     {"command", command_of(claim, options)},
      {"version", version},       {"commit", commit},
      {"dirty", commit_is_dirty}, {"seed", seed_of(options)},
      {"compiler", __VERSION__},  {"cpu", cpu_name()},
      {"wall_s", seconds}};
  if (!answers.best_beta.empty()) result["best_beta"] = answers.best_beta;
  return result;
}

std::string with_reason(Verdict verdict, const std::string& reason) {
  return reason.empty() ? to_string(verdict) : fmt::format("{} ({})", to_string(verdict), reason);
}

/// A line of the answer: what it is, and what it says, wrapped beside that.
void print_entry(const std::string& what, const std::string& text) {
  if (text.empty()) return;
  const std::string lines = wrapped(text, 16);
  fmt::print("     {:<10} {}\n", what, lines.substr(16));
}

/// A name as a shell takes it for one word.
std::string as_word_of_shell(const std::string& name) {
  const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c > 127 || std::strchr("._-/+=:,@%", c) != nullptr;
  });
  if (is_plain && !name.starts_with('-')) return name;
  std::string quoted = name.starts_with('-') ? "./" : "";
  for (const char c : name) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return "'" + quoted + "'";
}

/// @param rows  the file that has them, or "" where the claim needs none
void print(const Claim& claim, const Answers& answers, const Finding& finding,
           const ReproduceOptions& options, const std::string& rows) {
  fmt::print("{}: {}\n{}\n{}\n", claim.name, with_reason(finding.verdict, finding.reason),
             wrapped(claim.statement, 2),
             wrapped(fmt::format("{}; seed {}", claim.setting, options.seed), 2));
  for (std::size_t i = 0; i < claim.sentences.size(); ++i) {
    const Sentence& sentence = claim.sentences[i];
    const Answer& answer = answers.sentences.at(i);
    const std::string rules =
        fmt::format("{}, {}: {}", to_string(sentence.weight), sentence.place, sentence.text);
    fmt::print("\n{:>3}. {}\n", i + 1, wrapped(rules, 5).substr(5));
    print_entry("verdict", with_reason(answer.verdict, answer.reason));
    print_entry("asked", answer.asked);
    print_entry("measured", answer.measured);
    print_entry("here", answer.ours);
  }
  if (!answers.also.empty()) fmt::print("\n");
  for (const auto& number : answers.also) fmt::print("{}\n", wrapped("also: " + number, 2));
  if (!rows.empty()) fmt::print("\n  draw it: damocles plot {}\n", as_word_of_shell(rows));
  fmt::print("\n");
  (void)std::fflush(stdout);
}

/// "14 claims: 11 confirmed, 3 hold but at a corner", best verdicts first.
std::string counts(const std::vector<Verdict>& verdicts) {
  std::map<Verdict, std::size_t> counts;
  for (const Verdict verdict : verdicts) ++counts[verdict];
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, to_string(verdict)));
  }
  return fmt::format("{} claims: {}\n", verdicts.size(), fmt::join(parts, ", "));
}

std::vector<Job> jobs_of(const Claim& claim, const ReproduceOptions& options) {
  std::vector<Job> all;
  for (const auto& experiment : claim.experiments(seed_of(options))) {
    for (auto& job : jobs(experiment)) all.push_back(std::move(job));
  }
  return all;
}

UnmatchedRows unmatched(const ReproduceOptions& options) {
  return options.prune ? UnmatchedRows::dropped : UnmatchedRows::refused;
}

/// Jobs that answer with rows that a store has, as it does after these have run into it.
std::vector<Job> run_into_store_first(std::vector<Job> all, const StoredStudy& study,
                                      const ReproduceOptions& options, const RowRunner& run) {
  if (options.store.empty()) return all;
  const auto [records, counts, asked] = run_into_store(options.store, study, all, run, all_of(all));
  if (counts.made > 0) note_written(options.store);
  auto record = records.begin();
  for (Job& job : all) job.run = [kept = *record++] { return kept; };
  return all;
}

/// Runs one claim: FOLDER/CLAIM.csv (resumable), FOLDER/CLAIM.meta.json, and
/// FOLDER/CLAIM.measured.csv where the authors measured it.
Verdict reproduce(const Claim& claim, const ReproduceOptions& options, int threads) {
  const auto start = std::chrono::steady_clock::now();
  const std::filesystem::path folder(options.folder);
  const auto all = jobs_of(claim, options);
  const std::string file = all.empty() ? "" : (folder / (claim.name + ".csv")).string();
  std::vector<Record> records;
  if (!all.empty()) {
    const auto study = study_of(command_of(claim, options), options.seed);
    const auto run = runner_on_threads(threads, terminal_progress(options.quiet));
    const auto answered = run_into_store_first(all, study, options, run);
    records =
        run_into_csv(file, study, answered, run, all_of(answered), unmatched(options)).records;
    note_written(file);
  }
  const Answers answers = claim.judge(records, seed_of(options));
  const Finding finding = conclude(claim.sentences, answers.sentences);
  if (const auto measured = measured_records(claim.name); !measured.empty()) {
    write_output(folder / (claim.name + ".measured.csv"), to_csv(measured));
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  write_output(folder / (claim.name + ".meta.json"),
               json_text(meta(claim, answers, finding, options, taken.count())));
  print(claim, answers, finding, options, file);
  return finding.verdict;
}

void reproduce_all(const ReproduceOptions& options) {
  const auto chosen = claims_named(options.pattern);
  const int threads = static_cast<int>(parse_integer_option("--jobs", options.jobs, 0, 4096));
  (void)seed_of(options);
  if (options.folder == "-") {
    throw InvalidInput("-o '-': a claim writes several files; name a folder for them");
  }
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  if (failed && !std::filesystem::exists(options.folder)) {
    throw InvalidInput(fmt::format("cannot create the folder '{}': {}; give another with -o FOLDER",
                                   options.folder, std::strerror(failed.value())));
  }
  check_writable(std::filesystem::path(options.folder) / "claim.csv");
  if (!options.store.empty()) check_store_name(options.store);
  for (const Claim* claim : chosen) {
    // Before hours of others: whether the rows that are there are its own.
    const auto file = std::filesystem::path(options.folder) / (claim->name + ".csv");
    if (!std::filesystem::exists(file)) continue;
    const auto all = jobs_of(*claim, options);
    (void)rows_in_csv(file, all, all_of(all), unmatched(options));
  }
  std::vector<Verdict> verdicts;
  for (const Claim* claim : chosen) verdicts.push_back(reproduce(*claim, options, threads));
  if (verdicts.size() > 1) fmt::print("{}", counts(verdicts));
}

}  // namespace

extern "C" void damocles_set_up_reproduce(Command& command) {
  const auto options = std::make_shared<ReproduceOptions>();
  command.argument("CLAIM", options->pattern,
                   "a name of `damocles list claims`, where * stands for any letters, or a paper: "
                   "hpdc14, coloc21, ipdps22, compas23, starpu, partitions");
  command.option("-o,--output", options->folder, "FOLDER",
                 "folder for the results (default results)");
  command.option("--seed", options->seed, "N", "seed of all random numbers (default 1)");
  command.option("--jobs", options->jobs, "N", "threads; 0: all that are available (default 0)");
  command.option("--store", options->store, "FILE.db",
                 "take rows that are in this database from it, and add the others to it; the "
                 "answer is the same");
  command.flag("--quiet", options->quiet, "hide the progress line");
  command.flag(
      "--drop-stale-rows", options->prune,
      "drop rows of CLAIM.csv that the claim does not ask for: of another seed or another version of the program (default: refuse to run if there are such rows)");
  command.footer(
      "EXAMPLES\n"
      "  damocles reproduce hpdc14.fig6\n"
      "  damocles reproduce hpdc14 -o results\n"
      "  damocles plot results/hpdc14.fig6.csv\n");
  command.runs([options] { reproduce_all(*options); });
}

}  // namespace damocles
