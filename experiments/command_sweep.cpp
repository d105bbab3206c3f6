#include <fmt/format.h>

#include <limits>
#include <map>
#include <memory>

#include "experiments/command.hpp"
#include "experiments/ledger.hpp"
#include "models/error.hpp"
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
    return whole(fmt::format("sweep file '{}': {}", path_, key), value[0], lowest, highest);
  }
  [[nodiscard]] bool flag(const char* key, bool absent) const {
    if (!has(key)) return absent;
    const auto value = file_[key].value<bool>();
    if (!value) refuse(key, *file_.get(key), "give true or false");
    return *value;
  }
  /// [vary]: the values of each variable.
  [[nodiscard]] std::map<std::string, std::vector<std::string>> variables() const {
    std::map<std::string, std::vector<std::string>> result;
    if (!has("vary")) return result;
    const auto* const table = file_["vary"].as_table();
    if (table == nullptr) refuse("vary", *file_.get("vary"), "write a table [vary] of lists");
    for (const auto& [name, node] : *table) {
      result[std::string(name.str())] = words_of(node, name.str());
    }
    return result;
  }
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
    if (const auto* text = node.as_string()) return text->get();
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

std::string substituted(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "{" + name + "}";
    for (auto at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  if (const auto at = text.find('{'); at != std::string::npos) {
    throw InvalidInput(
        fmt::format("'{}' names a variable that [vary] does not have", text.substr(at)));
  }
  return text;
}

/// Every choice of one value a variable; the last variable varies fastest.
std::vector<std::map<std::string, std::string>> assignments(
    const std::map<std::string, std::vector<std::string>>& variables) {
  std::vector<std::map<std::string, std::string>> all(1);
  for (const auto& [name, values] : variables) {
    std::vector<std::map<std::string, std::string>> longer;
    for (const auto& partial : all) {
      for (const auto& value : values) {
        longer.push_back(partial);
        longer.back()[name] = value;
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<Question> questions(const SweepFile& file) {
  file.require("workload", "workload = \"outer:n=100\"");
  file.require("platform", "platform = \"homogeneous:p=20\"");
  const auto strategies =
      file.has("strategies") ? file.words("strategies") : std::vector<std::string>{"all"};
  const auto models = file.has("models") ? file.words("models") : std::vector<std::string>{};
  std::vector<Question> result;
  for (const auto& values : assignments(file.variables())) {
    for (const auto& workload : file.words("workload")) {
      for (const auto& platform : file.words("platform")) {
        Question question{Workload::parse(substituted(workload, values)),
                          Scenario::parse(substituted(platform, values)),
                          {},
                          {}};
        for (const auto& strategy : strategies) {
          for (auto& chosen : choose_strategies(substituted(strategy, values), question.workload,
                                                question.scenario.limits().has_value())) {
            question.strategies.push_back(std::move(chosen));
          }
        }
        for (const auto& model : models) {
          for (auto& chosen : choose_models(model)) question.models.push_back(std::move(chosen));
        }
        question.simulate = file.flag("simulate", true);
        question.replicates = file.number("replicates", 10, 1, 1'000'000);
        question.seed = file.number("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
        result.push_back(std::move(question));
      }
    }
  }
  return result;
}

void sweep(const std::string& path, const std::string& output, int threads) {
  const SweepFile file(path);
  std::filesystem::path target = output;
  if (target.empty()) {
    target = file.has("output") ? file.words("output").front()
                                : std::filesystem::path(path).replace_extension(".csv").string();
  }
  std::vector<Job> all;
  const auto points = questions(file);
  refuse_unpredicted(points,
                     file.has("models") ? file.words("models") : std::vector<std::string>{});
  for (const auto& question : points) {
    for (auto& job : jobs(question)) all.push_back(std::move(job));
  }
  const auto records = run_into(target, all, threads);
  fmt::print("{} rows in {}\n", records.size(), target.string());
}

}  // namespace

void add_sweep_command(Command program) {
  struct Options {
    std::string file;
    std::string output;
    std::string jobs = "0";
  };
  const auto options = std::make_shared<Options>();
  Command command = program.add("sweep",
                                "Runs every combination of the lists in a TOML file "
                                "into one CSV file. Rows already there are "
                                "skipped; a run that was killed loses no finished "
                                "row (they are in FILE.partial until the end).");
  command.argument("SPEC", options->file, "the TOML file");
  command.option("-o,--output", options->output, "FILE",
                 "the CSV file (default: `output` in SPEC, or SPEC with the ending .csv)");
  command.option("--jobs", options->jobs, "N",
                 "threads; 0: as many as the machine runs (default 0)");
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
      "  p = [10, 20]\n\n"
      "EXAMPLES\n"
      "  damocles sweep study.toml\n"
      "  damocles sweep study.toml -o study.csv --jobs 8\n");
  command.runs([options] {
    sweep(options->file, options->output,
          static_cast<int>(whole("--jobs", options->jobs, 0, 4096)));
  });
}

}  // namespace damocles
