#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "experiments/commands/command.hpp"
#include "experiments/message.hpp"
#include "experiments/progress.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/ledger.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/all_strategies.hpp"
#include "experiments/studies/points.hpp"
#include "experiments/studies/rows.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"
#include "models/toml_file.hpp"

namespace damocles {
namespace {

const std::vector<std::string> keys{"workload",   "platform", "strategies", "models", "simulate",
                                    "replicates", "seed",     "output",     "vary"};

/// A sweep file, with the place of every value for errors.
class SweepFile {
 public:
  explicit SweepFile(const std::string& path) : path_(path) {
    file_ = read_toml(path, {.what = "sweep file",
                             .right = "give a TOML file as `damocles sweep --help` shows",
                             .most_bytes = most_toml_bytes,
                             .may_be_pipe = true});
    for (const auto& [key, value] : file_) {
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
        refuse_unknown(
            fmt::format("key in sweep file '{}', line {}:", path, value.source().begin.line),
            key.str(), keys);
      }
    }
  }

  [[nodiscard]] bool has(const char* key) const { return file_.contains(key); }

  /// One word or a list of words, as words; numbers as written.
  [[nodiscard]] std::vector<std::string> words(const char* key) const {
    return words_of(*file_.get(key), key);
  }
  [[nodiscard]] std::uint64_t number(const char* key, std::uint64_t absent, std::uint64_t lowest,
                                     std::uint64_t highest) const {
    if (!has(key)) return absent;
    const auto value = words(key);
    if (value.size() != 1) refuse(key, *file_.get(key), "give one whole number");
    return parse_integer_option(key, value[0], lowest, highest);
  }
  [[nodiscard]] bool flag(const char* key, bool absent) const {
    if (!has(key)) return absent;
    const auto value = file_[key].value<bool>();
    if (!value) refuse(key, *file_.get(key), "give true or false");
    return *value;
  }
  /// One word that is not empty.
  [[nodiscard]] std::string name(const char* key) const {
    const auto value = words(key);
    if (value.size() != 1 || value[0].empty()) refuse(key, *file_.get(key), "give one file name");
    return value[0];
  }
  /// [vary]: the values of each variable; ranges written out.
  [[nodiscard]] std::map<std::string, std::vector<std::string>> variables() const {
    std::map<std::string, std::vector<std::string>> result;
    if (!has("vary")) return result;
    const auto* const table = file_["vary"].as_table();
    if (table == nullptr) refuse("vary", *file_.get("vary"), "write a table [vary] of lists");
    for (const auto& [name, node] : *table) {
      auto& values = result[std::string(name.str())];
      for (const auto& text : words_of(node, name.str())) {
        try {
          for (auto& value : expanded(text)) values.push_back(std::move(value));
        } catch (const InvalidInput& error) {
          refuse(name.str(), node, error.what());
        }
      }
    }
    return result;
  }
  /// @throws InvalidInput where a variable stands in none of these texts: it would only repeat rows
  void refuse_unused(const std::vector<std::string>& texts) const {
    if (!has("vary")) return;
    for (const auto& [name, node] : *file_["vary"].as_table()) {
      const auto mark = fmt::format("{{{}}}", name.str());
      const auto has_it = [&](const std::string& text) {
        return text.find(mark) != std::string::npos;
      };
      if (std::any_of(texts.begin(), texts.end(), has_it)) continue;
      refuse(name.str(), node,
             fmt::format("no workload, platform, strategy or model has {}; use it or take it out",
                         mark)
                 .c_str());
    }
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  void require(const char* key, const char* example) const {
    if (has(key)) return;
    throw InvalidInput(fmt::format("sweep file '{}' has no {}; write {}", path_, key, example));
  }

 private:
  [[noreturn]] void refuse(std::string_view key, const toml::node& node, const char* right) const {
    throw InvalidInput(fmt::format("sweep file '{}', line {}: {}: {}", path_,
                                   node.source().begin.line, key, right));
  }
  [[nodiscard]] std::string word(const toml::node& node, std::string_view key) const {
    if (const auto* text = node.as_string()) {
      if (text->get().find('\0') != std::string::npos) refuse(key, node, "take out the NUL byte");
      return text->get();
    }
    if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
    if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
    refuse(key, node, "give a word, a number, or a list of them");
  }
  [[nodiscard]] std::vector<std::string> words_of(const toml::node& node,
                                                  std::string_view key) const {
    std::vector<std::string> result;
    if (const auto* list = node.as_array()) {
      for (const auto& item : *list) result.push_back(word(item, key));
    } else {
      result.push_back(word(node, key));
    }
    if (result.empty()) refuse(key, node, "the list is empty; give at least one value");
    return result;
  }

  std::string path_;
  toml::table file_;
};

/// Rows that are asked for together, and what they are of.
struct SweepPoint {
  std::string workload;
  std::string platform;
  std::size_t rows;
};

/// What a sweep file asks for.
class Study {
 public:
  explicit Study(const SweepFile& file) : file_(file), points_(file.variables()) {
    file.require("workload", "workload = \"outer:n=100\"");
    file.require("platform", "platform = \"homogeneous:p=20\"");
    workloads_ = file.words("workload");
    platforms_ = file.words("platform");
    strategies_ = file.has("strategies") ? file.words("strategies") : strategies_;
    models_ = file.has("models") ? file.words("models") : models_;
    predicted_ = NamedModels(models_);
    refuse_what_is_wrong();
    do {
      const auto values = points_.values();
      for (const auto& workload : workloads_) {
        for (const auto& platform : platforms_) add(values, workload, platform);
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
  void refuse_what_is_wrong() const {
    std::vector<std::string> texts;
    for (const auto* list : {&workloads_, &platforms_, &strategies_, &models_}) {
      texts.insert(texts.end(), list->begin(), list->end());
    }
    file_.refuse_unused(texts);
    const auto asked =
        saturated_product(points_.count(), saturated_product(workloads_.size(), platforms_.size()));
    if (asked <= most_points) return;
    throw InvalidInput(
        fmt::format("sweep file '{}' asks for {} settings ({}); at most {} are possible",
                    file_.path(), asked, points_.text(), most_points));
  }

  /// What is wrong with the words of the file, said of it.
  template <typename Use>
  auto of_file(Use&& use) const {
    try {
      return use();
    } catch (const Infeasible&) {
      throw;
    } catch (const InvalidInput& error) {
      throw InvalidInput(fmt::format("sweep file '{}': {}", file_.path(), error.what()));
    }
  }

  void add(const Values& values, const std::string& workload, const std::string& platform) {
    // Where only some of the workloads have a variable, the others are asked for again and again.
    const std::string asked = of_file([&] {
      std::string words = csv_line({substituted(workload, values), substituted(platform, values)});
      for (const auto* list : {&strategies_, &models_}) {
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
    made_.push_back({experiment.workload.text(), experiment.scenario.text(), rows.size()});
    jobs_.insert(jobs_.end(), std::move_iterator(rows.begin()), std::move_iterator(rows.end()));
  }

  [[nodiscard]] Experiment questioned(const Values& values, const std::string& workload,
                                      const std::string& platform) {
    Experiment experiment{
        .workload = parsed(workload_of_, workload, "workload file", Workload::parse),
        .scenario = parsed(scenario_of_, platform, "platform file", Scenario::parse),
        .keep_infeasible = true};
    for (const auto& strategy : strategies_) {
      for (const auto& spec : specs(substituted(strategy, values))) {
        add_chosen(spec, experiment);
      }
    }
    for (const auto& model : models_) {
      for (auto& chosen : choose_models(substituted(model, values))) {
        experiment.models.push_back(std::move(chosen));
      }
    }
    experiment.simulate = file_.flag("simulate", true);
    experiment.replicates = file_.number("replicates", 10, 1, 1'000'000);
    experiment.seed = file_.number("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
    return experiment;
  }

  static std::vector<std::string> specs(const std::string& list) {
    return list == "all" ? std::vector<std::string>{list} : split_specs(list);
  }
  /// A strategy that is not defined there is one too: its rows say so.
  void add_chosen(const std::string& spec, Experiment& experiment) {
    if (spec == "all") {
      const auto all = AllStrategies::on(experiment.workload, experiment.scenario.machine());
      if (!all.left_out.empty()) add_note("not run by --strategies all: " + all.text_of_left_out());
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
    throw InvalidInput(
        fmt::format("sweep file '{}' asks for {} rows and more; at most {} are possible",
                    file_.path(), rows_, most_points));
  }

  const SweepFile& file_;
  Points points_;
  std::vector<std::string> workloads_;
  std::vector<std::string> platforms_;
  std::vector<std::string> strategies_{"all"};
  std::vector<std::string> models_;
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
};

/// What a sweep would do, for eyes.
std::string plan_of(const Study& study, const std::string& target, const std::vector<bool>& there) {
  std::vector<std::vector<std::string>> lines{{"workload", "platform", "rows", "there"}};
  std::size_t job = 0;
  for (const auto& point : study.points()) {
    std::size_t found = 0;
    for (const std::size_t end = job + point.rows; job < end; ++job) found += there[job] ? 1 : 0;
    lines.push_back(
        {point.workload, point.platform, fmt::format("{}", point.rows), fmt::format("{}", found)});
  }
  const auto found = std::count(there.begin(), there.end(), true);
  return fmt::format("{}, {}; {} in {}, {} to run\n\n{}", counted(study.points().size(), "setting"),
                     counted(there.size(), "row"),
                     found == 1 ? "1 is" : fmt::format("{} are", found), target,
                     there.size() - static_cast<std::size_t>(found), aligned(lines, style_for({})));
}

struct SweepOptions {
  std::string file;
  std::string output;
  std::string jobs = "0";
  bool prune = false;
  bool dry_run = false;
  bool quiet = false;
};

std::filesystem::path target_of(const SweepFile& file, const SweepOptions& options) {
  if (!options.output.empty()) return options.output;
  if (file.has("output")) return file.name("output");
  return std::filesystem::path(options.file).replace_extension(".csv");
}

void sweep(const SweepOptions& options, int threads) {
  const SweepFile file(options.file);
  const auto target = target_of(file, options);
  check_writable(target);
  const Study study(file);
  auto inputs = study.inputs();
  inputs.push_back({"sweep file", options.file});
  check_outputs({{"-o", target}}, inputs);
  check_ending("-o", target, {".csv"});
  if (!is_written_through(target)) check_outputs({{"-o", partial_of(target)}}, inputs);
  for (const std::string& text : study.notes()) note(text);
  const auto unmatched = options.prune ? UnmatchedRows::dropped : UnmatchedRows::refused;
  if (options.dry_run) {
    fmt::print("{}", plan_of(study, target.string(), rows_there(target, study.jobs(), unmatched)));
    return;
  }
  const auto counts =
      run_into(target, study.jobs(), threads, unmatched, terminal_progress(options.quiet)).counts;
  const auto line = counts.text(is_standard_output(target) ? "all" : target.string()) + "\n";
  (void)std::fputs(line.c_str(), is_standard_output(target) ? stderr : stdout);
  if (counts.failed == 0) return;
  throw std::runtime_error(fmt::format("{} of {} rows failed; their column status says why",
                                       counts.failed, counts.asked));
}

void set_up_sweep(Command command) {
  const auto options = std::make_shared<SweepOptions>();
  command.argument("SPEC", options->file, "the TOML file, as under FILE");
  command.option("-o,--output", options->output, "OUTPUT",
                 "the CSV file (default: `output` in SPEC, or SPEC with the ending .csv)");
  command.option("--jobs", options->jobs, "N", "threads; 0: all that are available (default 0)");
  command.flag("--quiet", options->quiet, "hide the progress line");
  command.flag(
      "--dry-run", options->dry_run,
      "run nothing; list each setting (workload and platform), its rows, and how many of them exist");
  command.flag(
      "--drop-stale-rows", options->prune,
      "drop rows of the file that SPEC does not ask for: of other settings, another "
      "version of the program, or from before a file was edited (default: refuse to run if there are such rows)");
  command.footer(
      "FILE\n"
      "  workload   = [\"outer:n={n}\", \"matrix:n=40\"]   # one or a list\n"
      "  platform   = \"uniform:p={p},lo=10,hi=100\"     # one or a list\n"
      "  strategies = [\"dynamic\", \"dynamic-2phases:beta=3\"]   # default all\n"
      "  models     = [\"paper\", \"refined\"]   # predictions too; default none\n"
      "  simulate   = true      # default\n"
      "  replicates = 10        # default\n"
      "  seed       = 1         # default\n"
      "  output     = \"study.csv\"\n"
      "  [vary]                 # what {n} and {p} stand for: every combination\n"
      "  n = [50, 100, 200]\n"
      "  p = \"10:100:10\"        # or a range: 10, 20, ..., 100\n\n"
      "EXAMPLES\n"
      "  damocles sweep study.toml --dry-run\n"
      "  damocles sweep study.toml\n"
      "  damocles sweep study.toml -o study.csv --jobs 8\n");
  command.runs([options] {
    sweep(*options, static_cast<int>(parse_integer_option("--jobs", options->jobs, 0, 4096)));
  });
}

const Register sweep_command{CommandEntry{
    .name = "sweep",
    .place = 100,
    .description = "Run all combinations of the lists in a TOML file and write one CSV file. "
                   "Rows that exist already are skipped. A killed run loses no finished row: "
                   "they are in OUTPUT.partial until the end.",
    .set_up = set_up_sweep}};

}  // namespace
}  // namespace damocles
