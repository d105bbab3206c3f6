#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "experiments/commands/command.hpp"
#include "experiments/commands/sweep_precision.hpp"
#include "experiments/commands/sweep_request.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"
#include "models/toml_file.hpp"

namespace damocles {
namespace {

const std::vector<std::string> sweep_keys{"workload", "platform",   "strategies", "models",
                                          "simulate", "replicates", "seed",       "output",
                                          "vary",     "zip",        "precision"};

/// A sweep file, with the place of every value for errors.
class SweepFile {
 public:
  explicit SweepFile(const std::string& path) : path_(path) {
    file_ = read_toml(path, {.what = "sweep file",
                             .right = "give a TOML file as `damocles sweep --help` shows",
                             .most_bytes = most_toml_bytes,
                             .may_be_pipe = true});
    for (const auto& [key, value] : file_) {
      if (std::find(sweep_keys.begin(), sweep_keys.end(), key.str()) == sweep_keys.end()) {
        refuse_unknown(
            fmt::format("key in sweep file '{}', line {}:", path, value.source().begin.line),
            key.str(), sweep_keys);
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
  /// How precise means are to be.
  [[nodiscard]] std::optional<double> precision() const {
    const char* const key = "precision";
    if (!has(key)) return std::nullopt;
    const auto value = words(key);
    if (value.size() != 1) refuse(key, *file_.get(key), "give one share of the mean, as \"1%\"");
    if (!flag("simulate", true)) {
      refuse(key, *file_.get(key), "it is that of simulated means; take out simulate = false");
    }
    return parse_precision(fmt::format("sweep file '{}': {}", path_, key), value[0]);
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
  [[nodiscard]] Variables variables() const {
    if (!has("vary")) return {};
    const auto* const table = file_["vary"].as_table();
    if (table == nullptr) refuse("vary", *file_.get("vary"), "write a table [vary] of lists");
    return variables_of(*table);
  }
  /// [zip], or several [[zip]]: groups of variables that move together.
  [[nodiscard]] std::vector<Variables> zipped() const {
    std::vector<Variables> groups;
    for (const toml::table* const table : zip_tables()) {
      groups.push_back(variables_of(*table));
      const Variables& group = groups.back();
      for (const auto& [name, node] : *table) {
        const auto& [first, values] = *group.begin();
        const auto& own = group.at(std::string(name.str()));
        if (own.size() == values.size()) continue;
        refuse(name.str(), node,
               fmt::format("{}, but {} has {}; lists under [zip] must be equally long",
                           counted(own.size(), "value"), first, values.size()));
      }
    }
    return groups;
  }
  /// All variables, in the order of the file's tables.
  [[nodiscard]] std::vector<std::string> varied() const {
    std::vector<std::string> names;
    each_variable([&](const std::string& name, const toml::node& node) {
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        refuse(name, node, "it is varied twice; keep it under [vary] or in one [zip]");
      }
      names.push_back(name);
    });
    return names;
  }
  /// @throws InvalidInput where a variable stands in none of these texts: it would only repeat rows
  void refuse_unused(const std::vector<std::string>& texts) const {
    each_variable([&](const std::string& name, const toml::node& node) {
      const auto mark = fmt::format("{{{}}}", name);
      const auto has_it = [&](const std::string& text) {
        return text.find(mark) != std::string::npos;
      };
      if (std::any_of(texts.begin(), texts.end(), has_it)) return;
      refuse(name, node,
             fmt::format("no workload, platform, strategy or model has {}; use it or take it out",
                         mark));
    });
  }
  void require(const char* key, const char* example) const {
    if (has(key)) return;
    throw InvalidInput(fmt::format("sweep file '{}' has no {}; write {}", path_, key, example));
  }

 private:
  [[nodiscard]] std::vector<const toml::table*> zip_tables() const {
    if (!has("zip")) return {};
    if (const auto* const one = file_["zip"].as_table()) return {one};
    std::vector<const toml::table*> tables;
    if (const auto* const several = file_["zip"].as_array()) {
      for (const auto& item : *several) tables.push_back(item.as_table());
    }
    if (tables.empty() || std::find(tables.begin(), tables.end(), nullptr) != tables.end()) {
      refuse("zip", *file_.get("zip"), "write a table [zip] of lists, or several as [[zip]]");
    }
    return tables;
  }
  template <typename Use>
  void each_variable(Use&& use) const {
    std::vector<const toml::table*> tables = zip_tables();
    if (has("vary")) tables.insert(tables.begin(), file_["vary"].as_table());
    for (const toml::table* const table : tables) {
      for (const auto& [name, node] : *table) use(std::string(name.str()), node);
    }
  }
  [[nodiscard]] Variables variables_of(const toml::table& table) const {
    Variables result;
    for (const auto& [name, node] : table) {
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
  [[noreturn]] void refuse(std::string_view key, const toml::node& node,
                           std::string_view right) const {
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

}  // namespace

SweepRequest read_sweep_file(const std::string& path) {
  const SweepFile file(path);
  SweepRequest request{.file = path};
  if (file.has("output")) request.output = file.name("output");
  Variables variables = file.variables();
  request.varied = file.varied();
  request.points = Points(variables, file.zipped());
  file.require("workload", "workload = \"outer:n=100\"");
  file.require("platform", "platform = \"homogeneous:p=20\"");
  request.workloads = file.words("workload");
  request.platforms = file.words("platform");
  if (file.has("strategies")) request.strategies = file.words("strategies");
  if (file.has("models")) request.models = file.words("models");
  std::vector<std::string> texts;
  for (const auto* list :
       {&request.workloads, &request.platforms, &request.strategies, &request.models}) {
    texts.insert(texts.end(), list->begin(), list->end());
  }
  file.refuse_unused(texts);
  request.simulate = file.flag("simulate", true);
  request.precision = file.precision();
  request.replicates = request.precision ? file.number("replicates", most_by_precision,
                                                       SweepPrecision::first_replicates, 1'000'000)
                                         : file.number("replicates", 10, 1, 1'000'000);
  request.seed = file.number("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
  return request;
}

}  // namespace damocles
