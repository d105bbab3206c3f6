#include "experiments/commands/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "experiments/commands/manual.hpp"
#include "experiments/message.hpp"
#include "experiments/plugins.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "models/unknown_key.hpp"
#include "models/workloads/family.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// "-o, --output FILE", "--summary", "WORKLOAD".
std::string heading(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string names;
  for (const auto& name : option.get_snames()) names += "-" + name + ", ";
  for (const auto& name : option.get_lnames()) names += "--" + name + ", ";
  names.resize(names.size() - 2);
  return option.get_type_name().empty() ? names : names + " " + option.get_type_name();
}

/// "damocles plot", of a command within a command too.
std::string full_name(const CLI::App& app) {
  if (app.get_parent() == nullptr) return app.get_name();
  return full_name(*app.get_parent()) + " " + app.get_name();
}

ManualPage page_of(const CLI::App& app) {
  ManualPage page{full_name(app), app.get_description(), {}, {}, {}, app.get_footer()};
  for (const auto* const option : app.get_options()) {
    if (option->get_group().empty()) continue;
    auto& entries = option->get_positional() ? page.arguments : page.options;
    entries.push_back({heading(*option), option->get_description(), option->get_required()});
  }
  for (const auto* const command : app.get_subcommands({})) {
    page.commands.push_back(page_of(*command));
  }
  return page;
}

class ManualFormatter : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_help(const CLI::App* app, std::string /*name*/,
                                      CLI::AppFormatMode /*mode*/) const override {
    return manual_text(page_of(*app));
  }
};

void add_to_footers(CLI::App& app, const std::string& text) {
  app.footer(app.get_footer() + "\n" + text);
  for (auto* const command : app.get_subcommands({})) add_to_footers(*command, text);
}

/// Options that change no row.
constexpr std::array<std::string_view, 15> of_no_row{
    "--output",  "--format", "--summary", "--sort",    "--top",
    "--columns", "--wide",   "--jobs",    "--quiet",   "--drop-stale-rows",
    "--store",   "--record", "--trace",   "--dry-run", "--shard"};

/// A word as a shell takes it for one.
std::string quoted_for_shell(const std::string& word) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,:=/@%+-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted;
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return "'" + quoted + "'";
}

/// The commands given, each with a space behind: "plot gantt ".
std::string given_commands(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? "" : chosen.front()->get_name() + " " + given_commands(*chosen.front());
}

const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

/// `--platform X` where PLATFORM is an argument: "unknown option '--platform'; write PLATFORM
/// without --platform".
std::string hint_of_flagged_argument(const CLI::App& asked) {
  const auto unknown = asked.remaining();
  for (const CLI::Option* option : asked.get_options(&CLI::Option::get_positional)) {
    const std::string flag = "--" + CLI::detail::to_lower(option->get_name(true));
    for (const std::string& word : unknown) {
      if (word == flag || word.starts_with(flag + "=")) {
        return fmt::format("unknown option '{0}'; write {1} without {0}", flag,
                           option->get_name(true));
      }
    }
  }
  return {};
}

/// What other programs call our options.
constexpr std::array<std::array<std::string_view, 2>, 15> other_names{
    {{"policy", "strategies"},
     {"policies", "strategies"},
     {"sched", "strategies"},
     {"scheduler", "strategies"},
     {"schedulers", "strategies"},
     {"algorithm", "strategies"},
     {"s", "strategies"},
     {"r", "replicates"},
     {"reps", "replicates"},
     {"runs", "replicates"},
     {"repetitions", "replicates"},
     {"j", "jobs"},
     {"threads", "jobs"},
     {"q", "quiet"},
     {"f", "format"}}};

/// Options that were renamed. Former names are understood for one version.
constexpr std::array<std::array<std::string_view, 2>, 3> former_names{
    {{"--charge-scheduling", "--count-decision-time"},
     {"--prune", "--drop-stale-rows"},
     {"--rank", "--inner"}}};

/// The words with each former name replaced, which a note says.
std::vector<std::string> in_present_names(std::vector<std::string> words) {
  for (std::string& word : words) {
    for (const auto& [former, present] : former_names) {
      if (word != former && !word.starts_with(std::string(former) + "=")) continue;
      note(fmt::format("{} is called {} now; the next version will not know {}", former, present,
                       former));
      word.replace(0, former.size(), present);
    }
  }
  return words;
}

/// The option of the command that the word without dashes stands for: one of another name, or the
/// nearest; "" where there is none.
std::string option_meant(const CLI::App& asked, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : asked.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back(name);
  }
  const std::string lower = in_lower_case(word);
  const auto* const other = std::find_if(other_names.begin(), other_names.end(),
                                         [&](const auto& pair) { return pair[0] == lower; });
  return nearest(other == other_names.end() ? std::string_view(lower) : (*other)[1], names);
}

/// What has the key, and how one of them is written with it: "strategy, as dmdar:eviction"; or "".
std::string owner_of_key(const std::string& key) {
  const auto has = [&](const auto& keys, auto name) {
    return std::any_of(keys.begin(), keys.end(), [&](const auto& one) { return one.*name == key; });
  };
  for (const auto& entry : strategies()) {
    if (has(entry.options, &StrategyOption::key)) return "strategy, as " + entry.name + ":" + key;
  }
  if (has(common_options(strategies().front()), &StrategyOption::key)) {
    return "strategy, as dmdar:" + key;
  }
  for (const auto& form : Table<PlatformForm>::entries()) {
    if (form.keys == nullptr || !has(form.keys(), &KeyText::name)) continue;
    return "platform, as " + form.name + ":" + key;
  }
  return {};
}

/// `--eviction lru`: how that key is written, where the command has a platform; or "".
std::string hint_of_key(const CLI::App& asked, const std::string& option,
                        const std::vector<std::string>& words) {
  const std::string owner = owner_of_key(option.substr(option.find_first_not_of('-')));
  if (owner.empty() || asked.get_option_no_throw("PLATFORM") == nullptr) return {};
  const std::string all = fmt::format("{}=", fmt::join(words, "="));
  const auto begin = all.find(option + "=") + option.size() + 1;
  const std::string value = all.substr(begin, all.find('=', begin) - begin);
  return fmt::format("unknown option '{}'; write it with the {}={}", option, owner,
                     value.empty() ? "VALUE" : value);
}

/// Of the words that are not known: the first option with what it may mean, or the first argument.
std::string text_of_unknown(const CLI::App& asked, const std::vector<std::string>& words) {
  for (const std::string& word : asked.remaining()) {
    const auto begin = word.find_first_not_of('-');
    if (begin == 0 || begin > 2 || begin == std::string::npos) continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::string hint = hint_of_key(asked, name, words); !hint.empty()) return hint;
    if (const std::string where = set_elsewhere(name.substr(begin)); !where.empty()) {
      return fmt::format("unknown option '{}'{}", name, where);
    }
    const std::string guess = option_meant(asked, name.substr(begin));
    return fmt::format("unknown option '{}'{}", name,
                       guess.empty() ? "" : "; did you mean --" + guess + "?");
  }
  const std::string word = asked.remaining().front();
  return fmt::format("unexpected argument '{}'{}", word,
                     word.find('=') == std::string::npos
                         ? ""
                         : "; join keys with commas, as gpus:k=2,memory=500MB");
}

/// Whether a workload, a platform or a strategy is called so.
bool is_name_of_spec(const std::string& name) {
  return Table<WorkloadFamily>::find(name) != nullptr ||
         Table<PlatformForm>::find(name) != nullptr ||
         std::any_of(strategies().begin(), strategies().end(),
                     [&](const StrategyEntry& entry) { return is_called(entry, name); });
}

/// `gemm2d n=5` and `gpus:k=1 memory=1GB`: "unexpected argument 'n=5'; write gemm2d:n=5"; or "".
std::string hint_of_parted_spec(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& before = words[i - 1];
    const auto colon = before.find(':');
    const bool is_key = words[i].find('=') < words[i].find(':') && !words[i].starts_with('-');
    if (!is_key || !is_name_of_spec(before.substr(0, colon))) continue;
    return fmt::format("unexpected argument '{}'; write {}{}{}", words[i], before,
                       colon == std::string::npos ? ':' : ',', words[i]);
  }
  return {};
}

/// What is wrong with the words, and what would be right; CLI11 asks for what is missing before it
/// says what it does not know, and that from the last to the first.
std::string what_is_wrong(const CLI::App& asked, const CLI::ParseError& error,
                          const std::vector<std::string>& words) {
  for (std::string hint : {hint_of_flagged_argument(asked), hint_of_parted_spec(words)}) {
    if (!hint.empty()) return hint;
  }
  const auto is_missing = [](const CLI::Option* option) {
    return option->get_required() && option->count() == 0;
  };
  for (const CLI::Option* option : asked.get_options(is_missing)) {
    return "missing " + option->get_name(true) + ": " + option->get_description();
  }
  if (!asked.remaining().empty()) return text_of_unknown(asked, words);
  std::string why = error.what();
  for (const CLI::Option* option : asked.get_options()) {
    if (!why.starts_with(option->get_name() + ": ")) continue;
    if (why.find("At Most 1 required") != std::string::npos) {
      return fmt::format("{} is given {} times; give it once", option->get_name(), option->count());
    }
    if (!why.ends_with(" missing")) continue;
    return fmt::format("{} needs a value: {}", option->get_name(), option->get_type_name());
  }
  return why;
}

}  // namespace

Command Command::add(const std::string& name, const std::string& description) {
  return Command(*app_->add_subcommand(name, description));
}

void Command::argument(const std::string& name, std::string& value, const std::string& meaning) {
  app_->add_option(name, value, meaning)->required();
}

void Command::optional_argument(const std::string& name, std::string& value,
                                const std::string& meaning) {
  app_->add_option(name, value, meaning);
}

void Command::optional_arguments(const std::string& name, std::vector<std::string>& values,
                                 const std::string& meaning) {
  app_->add_option(name, values, meaning);
}

void Command::option(const std::string& names, std::string& value, const std::string& unit,
                     const std::string& meaning) {
  app_->add_option(names, value, meaning)->type_name(unit);
}

void Command::list(const std::string& names, std::string& value, const std::string& unit,
                   const std::string& meaning) {
  // CLI11 would drop an empty value of a list that it splits or joins itself.
  app_->add_option_function<std::vector<std::string>>(
          names,
          [&value](const std::vector<std::string>& given) {
            value = fmt::format("{}", fmt::join(given, ","));
          },
          meaning)
      ->type_name(unit)
      ->allow_extra_args(false);
}

void Command::repeated(const std::string& names, std::vector<std::string>& values,
                       const std::string& unit, const std::string& meaning) {
  app_->add_option(names, values, meaning)->type_name(unit)->allow_extra_args(false);
}

void Command::flag(const std::string& names, bool& value, const std::string& meaning) {
  app_->add_flag(names, value, meaning);
}

void Command::only_with(const std::string& option, const std::string& other,
                        const std::string& value) {
  // CLI11's needs() would say `other` without a value.
  const auto check = [app = app_, option, other, value](const std::string&) -> std::string {
    if (app->count(other) == 0) throw CLI::RequiresError(option, other + " " + value);
    return {};
  };
  app_->get_option(option)->check(check);
}

void Command::describe(const std::string& option, const std::string& meaning) {
  app_->get_option(option)->description(meaning);
}

void Command::remove(const std::string& option) { app_->remove_option(app_->get_option(option)); }

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::runs(std::function<void()> body) {
  app_->callback([app = app_, body = std::move(body)] {
    if (app->get_subcommands().empty()) body();
  });
}

bool Command::given(const std::string& option) const { return app_->count(option) > 0; }

std::string Command::as_given() const {
  std::string text = full_name(*app_);
  for (const CLI::Option* const option : app_->get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_positional() ? "" : "--" + option->get_lnames().front();
    if (std::find(of_no_row.begin(), of_no_row.end(), name) != of_no_row.end()) continue;
    const bool is_flag = option->get_expected_min() == 0 && !name.empty();
    if (is_flag) text += " " + name;
    for (const std::string& value : option->results()) {
      if (!is_flag) text += (name.empty() ? " " : " " + name + " ") + quoted_for_shell(value);
    }
  }
  for (const std::string& path : plugin_paths()) text += " --plugin " + quoted_for_shell(path);
  return text;
}

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->formatter(std::make_shared<ManualFormatter>());
  app_->set_help_flag("-h,--help", "show this help and exit");
  app_->set_version_flag("-V,--version", version, "show the version and exit");
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::program() { return Command(*app_); }

void CommandLine::below_every_page(const std::string& text) { add_to_footers(*app_, text); }

std::string CommandLine::run(std::vector<std::string> words) {
  words = in_present_names(std::move(words));
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 takes them
  try {
    app_->parse(reversed);
    return {};
  } catch (const CLI::CallForHelp&) {
    return innermost(*app_).help();
  } catch (const CLI::CallForVersion& call) {
    return std::string(call.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    const std::string why = what_is_wrong(innermost(*app_), error, words);
    throw InvalidInput(fmt::format("{}{} see `{} {}--help`", why, why.ends_with('?') ? "" : ";",
                                   app_->get_name(), given_commands(*app_)));
  }
}

}  // namespace damocles
