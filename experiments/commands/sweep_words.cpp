#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "experiments/commands/command.hpp"
#include "experiments/commands/sweep_precision.hpp"
#include "experiments/commands/sweep_request.hpp"
#include "models/error.hpp"
#include "models/platforms/platform_file.hpp"
#include "models/platforms/scenario.hpp"
#include "models/spec.hpp"
#include "models/unknown_key.hpp"
#include "models/workload.hpp"
#include "models/workloads/family.hpp"

namespace damocles {
namespace {

/// One --vary: the key, and its values.
struct VariedKey {
  std::string name;
  std::vector<std::string> values;
};

VariedKey parse_varied_key(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw InvalidInput(fmt::format(
        "--vary '{}': write KEY=VALUES, as --vary memory=5data:80data or --vary n=20,40", text));
  }
  VariedKey key{text.substr(0, equals), {}};
  std::string_view rest = std::string_view(text).substr(equals + 1);
  while (true) {
    const auto comma = rest.find(',');
    const std::string value(rest.substr(0, comma));
    if (value.empty()) {
      throw InvalidInput(
          fmt::format("--vary '{}': a value is empty; write {}=VALUE,VALUE", text, key.name));
    }
    try {
      for (auto& one : expanded(value)) key.values.push_back(std::move(one));
    } catch (const InvalidInput& error) {
      throw InvalidInput(fmt::format("--vary {}: {}", key.name, error.what()));
    }
    if (comma == std::string_view::npos) return key;
    rest.remove_prefix(comma + 1);
  }
}

/// The workload or the platform, as one that may take keys.
class KeyTaker {
 public:
  KeyTaker(std::string& text, const char* what, bool is_named, void (*parse)(const std::string&))
      : text_(text), what_(what), parse_(parse) {
    if (!is_named) parse_(text);  // says what is wrong with the name
  }
  [[nodiscard]] const char* what() const { return what_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool has(const std::string& key) const { return options().has(key); }
  /// Why it does not take the key; nothing where it does.
  [[nodiscard]] std::optional<std::string> why_not(const std::string& key) const {
    // A second key, which nothing takes, ends the parsing before it does any work.
    constexpr const char* nobody_s = "?";
    Spec spec = options();
    if (!spec.has(key)) spec.set(key, "1");
    spec.set(nobody_s, "1");
    try {
      parse_(text_of(spec));
    } catch (const UnknownKey& unknown) {
      if (unknown.key() == nobody_s) return std::nullopt;
      if (unknown.key() != key) throw;  // one that the user wrote there
      return unknown.what();
    }
    return fmt::format("{} '{}' has no keys", what_, text_);
  }
  void set(const std::string& key, const std::string& value) {
    Spec spec = options();
    spec.set(key, value);
    text_ = text_of(spec);
  }

 private:
  [[nodiscard]] Spec options() const {
    const auto file = NamedPlatformFile::in(text_);
    return file ? file->options : Spec::parse(text_, what_);
  }
  /// The same workload or platform with these options.
  [[nodiscard]] std::string text_of(const Spec& options) const {
    auto file = NamedPlatformFile::in(text_);
    if (!file) return options.text();
    file->options = options;
    return file->text();
  }

  std::string& text_;
  const char* what_;
  void (*parse_)(const std::string&);
};

[[noreturn]] void refuse_varied_key(const std::string& key, const KeyTaker& workload,
                                    const KeyTaker& platform) {
  for (const KeyTaker* const one : {&workload, &platform}) {
    const std::string why = one->why_not(key).value_or("");
    if (why.find("did you mean") == std::string::npos) continue;
    throw InvalidInput(fmt::format("--vary {}: {}", key, why));
  }
  const std::string elsewhere = set_elsewhere(key);
  throw InvalidInput(fmt::format(
      "--vary {}: neither workload '{}' nor platform '{}' has an option {}{}", key, workload.text(),
      platform.text(), key,
      !elsewhere.empty() ? elsewhere
                         : fmt::format("; for one of a strategy, write {{{0}}} in --strategies, as "
                                       "--strategies NAME:{0}={{{0}}}",
                                       key)));
}

/// Which of the two takes the key: the one that has it already, else the only one that may.
KeyTaker& taker_of(const std::string& key, KeyTaker& workload, KeyTaker& platform) {
  const bool of_workload = !workload.why_not(key);
  const bool of_platform = !platform.why_not(key);
  if (!of_workload && !of_platform) refuse_varied_key(key, workload, platform);
  if (of_workload != of_platform) return of_workload ? workload : platform;
  if (workload.has(key) != platform.has(key)) return workload.has(key) ? workload : platform;
  throw InvalidInput(
      fmt::format("--vary {0}: workload '{1}' and platform '{2}' both have an option {0}; write "
                  "--vary workload.{0}=... or --vary platform.{0}=...",
                  key, workload.text(), platform.text()));
}

/// Puts {name} where the key's value belongs.
void place(const std::string& name, KeyTaker& workload, KeyTaker& platform) {
  const std::string mark = fmt::format("{{{}}}", name);
  for (KeyTaker* const one : {&workload, &platform}) {
    const std::string prefix = std::string(one->what()) + ".";
    if (!name.starts_with(prefix)) continue;
    const std::string key = name.substr(prefix.size());
    if (const auto why = one->why_not(key)) {
      throw InvalidInput(fmt::format("--vary {}: {}", name, *why));
    }
    one->set(key, mark);
    return;
  }
  taker_of(name, workload, platform).set(name, mark);
}

void refuse_unvaried(const std::vector<std::string>& texts, const Variables& variables) {
  for (const std::string& text : texts) {
    for (const std::string& name : variables_in(text)) {
      if (variables.contains(name)) continue;
      throw InvalidInput(
          fmt::format("'{}': nothing says what {{{}}} is; add --vary {}=VALUES", text, name, name));
    }
  }
}

/// All of them, by their names.
Variables varied_keys(const std::vector<std::string>& texts, std::vector<std::string>& names) {
  Variables variables;
  for (const std::string& text : texts) {
    VariedKey key = parse_varied_key(text);
    if (!variables.try_emplace(key.name, std::move(key.values)).second) {
      throw InvalidInput(
          fmt::format("--vary {0} is given twice; write all values in one, as "
                      "--vary {0}=VALUE,VALUE",
                      key.name));
    }
    names.push_back(std::move(key.name));
  }
  return variables;
}

}  // namespace

SweepRequest sweep_of_words(const SweepWords& words) {
  if (words.vary.empty()) {
    throw InvalidInput(
        "nothing to vary; add --vary KEY=VALUES, as --vary memory=5data:80data, or use `damocles simulate`");
  }
  refuse_swapped(words.workload, words.platform);
  SweepRequest request{.workloads = {words.workload}, .platforms = {words.platform}};
  const Variables variables = varied_keys(words.vary, request.varied);
  request.strategies = {words.strategies};
  if (!words.models.empty()) request.models = {words.models};
  const std::vector<std::string> texts{words.workload, words.platform, words.strategies,
                                       words.models};
  refuse_unvaried(texts, variables);
  const auto name_of = [](const std::string& text) { return text.substr(0, text.find(':')); };
  KeyTaker workload(request.workloads[0], "workload",
                    Table<WorkloadFamily>::find(name_of(words.workload)) != nullptr,
                    [](const std::string& text) { (void)Workload::parse(text); });
  KeyTaker platform(request.platforms[0], "platform",
                    NamedPlatformFile::in(words.platform).has_value() ||
                        Table<PlatformForm>::find(name_of(words.platform)) != nullptr,
                    [](const std::string& text) { (void)Scenario::parse(text); });
  for (const std::string& name : request.varied) {
    const auto stands_in = [&](const std::string& text) {
      return text.find(fmt::format("{{{}}}", name)) != std::string::npos;
    };
    if (std::any_of(texts.begin(), texts.end(), stands_in)) continue;
    place(name, workload, platform);
  }
  request.points = Points(variables);
  if (!words.precision.empty()) {
    request.precision = parse_precision("--precision", words.precision);
    request.replicates = most_by_precision;
  }
  if (!words.replicates.empty()) {
    request.replicates =
        parse_integer_option("--replicates", words.replicates,
                             request.precision ? SweepPrecision::first_replicates : 1, 1'000'000);
  }
  request.seed =
      parse_integer_option("--seed", words.seed, 0, std::numeric_limits<std::uint64_t>::max());
  return request;
}

SweepRequest asked_sweep(const Command& command, const SweepWords& words) {
  if (!words.platform.empty()) return sweep_of_words(words);
  if (!words.vary.empty()) {
    throw InvalidInput(
        words.workload.ends_with(".toml")
            ? fmt::format(
                  "--vary belongs to a WORKLOAD and a PLATFORM; '{}' has its ranges under [vary]",
                  words.workload)
            : fmt::format(
                  "missing PLATFORM: give it after the workload '{}', as gpus:k=2,memory=500MB",
                  words.workload));
  }
  for (const auto& [option, key] : {std::pair("--strategies", "strategies"),
                                    {"--model", "models"},
                                    {"--replicates", "replicates"},
                                    {"--precision", "precision"},
                                    {"--seed", "seed"}}) {
    if (!command.given(option)) continue;
    throw InvalidInput(
        fmt::format("{} belongs to a WORKLOAD and a PLATFORM; write {} = ... into '{}'", option,
                    key, words.workload));
  }
  return read_sweep_file(words.workload);
}

void add_words_of_sweep(Command command, SweepWords& words) {
  command.argument("SPEC", words.workload,
                   "a workload, as gemm2d:n=50; or alone a TOML file, as under FILE");
  command.optional_argument("PLATFORM", words.platform, "a platform, as gpus:k=2,memory=500MB");
  command.repeated(
      "--vary", words.vary, "KEY=VALUES",
      "vary this option of the workload or the platform: values and ranges with commas between them, as n=20,40, "
      "n=10:100:10 (first:last:step) or memory=5data:80data (about ten values). Several --vary: every combination. "
      "Where both have KEY, write workload.KEY or platform.KEY. {KEY} in --strategies stands for the value too");
  command.list("--strategies,--strategy", words.strategies, "LIST",
               "all, or a comma-separated list (default: as `damocles simulate`; in FILE all)");
  command.list("--model", words.models, "LIST",
               "predict too: all, or a list of models (default: none)");
  command.option("--replicates", words.replicates, "N",
                 "runs of each strategy (default 10); with --precision at most (default 1000)");
  command.option("--precision", words.precision, "P%",
                 "add runs to each setting until for every strategy half of the 95 % confidence "
                 "interval is at most this share of the mean, as 1%: of the makespan where memory "
                 "is limited, else of the loads");
  command.option("--seed", words.seed, "N", "seed of all random numbers (default 1)");
}

}  // namespace damocles
