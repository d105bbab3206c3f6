#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "damocles_version.hpp"
#include "experiments/claims.hpp"
#include "experiments/command.hpp"
#include "experiments/ledger.hpp"
#include "experiments/measured/records.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

struct Options {
  std::string pattern;
  std::string folder = "results";
  std::string seed = "1";
  std::string jobs = "0";
};

std::uint64_t seed_of(const Options& options) {
  return whole("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

nlohmann::ordered_json meta(const Claim& claim, const Finding& finding, const Options& options,
                            double seconds) {
  nlohmann::ordered_json result{
      {"figure", claim.id},
      {"statement", claim.statement},
      {"setting", claim.setting},
      {"verdict", to_string(finding.verdict)},
      {"numbers", finding.numbers},
      {"command", fmt::format("damocles reproduce {} --seed {}", claim.id, options.seed)},
      {"version", version},
      {"commit", commit},
      {"dirty", commit_is_dirty},
      {"seed", seed_of(options)},
      {"compiler", __VERSION__},
      {"cpu", processor_name()},
      {"wall_s", seconds}};
  if (!finding.best_beta.empty()) result["best_beta"] = finding.best_beta;
  return result;
}

/// Runs one claim: FOLDER/ID.csv (resumable), FOLDER/ID.meta.json, and FOLDER/ID.measured.csv where
/// the authors measured it.
Finding reproduce(const Claim& claim, const Options& options, int threads) {
  const auto start = std::chrono::steady_clock::now();
  const std::filesystem::path folder(options.folder);
  std::vector<Job> all;
  for (const auto& question : claim.questions(seed_of(options))) {
    for (auto& job : jobs(question)) all.push_back(std::move(job));
  }
  std::vector<Record> records;
  if (!all.empty()) records = run_into(folder / (claim.id + ".csv"), all, threads);
  const Finding finding = claim.judge(records, seed_of(options));
  if (const auto measured = measured_records(claim.id); !measured.empty()) {
    write_output(folder / (claim.id + ".measured.csv"), to_csv(measured));
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  write_output(folder / (claim.id + ".meta.json"),
               meta(claim, finding, options, taken.count()).dump(2) + "\n");
  return finding;
}

void reproduce_all(const Options& options) {
  const auto chosen = claims_named(options.pattern);
  const int threads = static_cast<int>(whole("--jobs", options.jobs, 0, 4096));
  (void)seed_of(options);
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  check_writable(std::filesystem::path(options.folder) / "claim.csv");
  for (const Claim* claim : chosen) {
    const Finding finding = reproduce(*claim, options, threads);
    fmt::print("{}: {}\n  claim:   {} ({})\n  here:    {}; seed {}\n", claim->id,
               to_string(finding.verdict), claim->statement, claim->setting, finding.numbers,
               options.seed);
    (void)std::fflush(stdout);
  }
}

}  // namespace

void add_reproduce_command(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  auto* const command = program.add_subcommand("reproduce",
                                               "Puts a paper's claims to the test: runs what the "
                                               "figure shows, writes ID.csv and ID.meta.json, and "
                                               "answers confirmed, refuted or not reproducible "
                                               "here, with our own numbers. A run that was stopped "
                                               "goes on where it was.");
  command
      ->add_option("CLAIM", options->pattern, "an id of `damocles list claims`; * stands for any")
      ->required();
  command->add_option("-o,--output", options->folder, "folder for the results (default results)")
      ->type_name("FOLDER");
  command->add_option("--seed", options->seed, "seed of every random stream (default 1)")
      ->type_name("N");
  command
      ->add_option("--jobs", options->jobs, "threads; 0: as many as the machine runs (default 0)")
      ->type_name("N");
  command->footer(
      "EXAMPLES\n"
      "  damocles reproduce hpdc14.fig6\n"
      "  damocles reproduce 'hpdc14.*' -o results\n"
      "  damocles plot results/hpdc14.fig6.csv\n");
  command->callback([options] { reproduce_all(*options); });
}

}  // namespace damocles
