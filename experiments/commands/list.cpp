#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "experiments/commands/command.hpp"
#include "experiments/commands/command_rows.hpp"
#include "experiments/commands/manual.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/results/tables.hpp"
#include "models/error.hpp"
#include "models/platforms/gpu_presets.hpp"
#include "models/platforms/scenario.hpp"
#include "models/workloads/family.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Of papers and of StarPU, with the options that each means, where it means some and they are
/// asked for.
std::vector<std::string> accepted_names(const StrategyEntry& entry, bool with_options) {
  std::vector<std::string> names;
  for (const auto& name : entry.paper_names) {
    if (!name.empty()) names.push_back(name);
  }
  for (const auto& [name, options] : entry.aliases) {
    const bool shown = with_options && !options.empty();
    names.push_back(shown ? fmt::format("{} ({}:{})", name, entry.name, options) : name);
  }
  return names;
}

Rows strategy_rows() {
  Rows rows{{"strategy", "what it does", "options", "other names", "source"}};
  for (const auto& entry : strategies()) {
    std::string options;
    for (const auto& option : entry.options) options += (options.empty() ? "" : ", ") + option.key;
    rows.push_back({entry.name, entry.summary, options,
                    fmt::format("{}", fmt::join(accepted_names(entry, false), ", ")),
                    entry.source});
  }
  return rows;
}

Rows form_rows(const std::string& what, const std::vector<std::array<std::string, 2>>& forms) {
  Rows rows{{what, "what it is"}};
  for (const auto& form : forms) rows.push_back({form[0], form[1]});
  return rows;
}

Rows model_rows() {
  Rows rows{{"model", "what it is"}};
  add_models(rows);
  return rows;
}

Rows eviction_rows() {
  Rows rows{{"eviction", "what it does", "source"}};
  for (const auto& entry : evictions()) rows.push_back({entry.name, entry.summary, entry.source});
  return rows;
}

Rows claim_rows() {
  Rows rows{{"claim", "setting", "what the paper says"}};
  add_claims(rows);
  return rows;
}

Rows sentence_rows() {
  Rows rows{{"claim", "weight", "section", "sentence"}};
  add_sentences(rows);
  return rows;
}

Rows backend_rows() {
  Rows rows{{"backend", "what it is"}};
  add_backends(rows);
  return rows;
}

Rows preset_rows() {
  Rows rows{{"preset", "memory", "to the GPU", "shared"}};
  for (const auto& entry : precisions) {
    rows.front().push_back(fmt::format("{} [GFlop/s]", entry.word));
  }
  rows.front().emplace_back("source");
  for (const auto& preset : gpu_presets()) {
    auto& row = rows.emplace_back(std::vector<std::string>{
        preset.name, preset.memory, preset.bandwidth, preset.own_links ? "no" : "yes"});
    for (const double rate : preset.gflops) {
      row.push_back(rate > 0 ? fmt::format("{:g}", rate) : "");
    }
    row.push_back(preset.source);
  }
  return rows;
}

/// As wide as the screen, or as a page where there is none.
TableStyle list_style(bool wide) {
  TableStyle style = style_for({});
  if (style.width == 0) style.width = 80;
  if (wide) style.width = 0;
  return style;
}

std::string list_table(const Rows& rows, bool wide) {
  return aligned_entries(rows, list_style(wide));
}

/// All strategies; where their table is too wide, only what they do: their pages have the rest.
std::string table_of_strategies(bool wide) {
  const TableStyle style = list_style(wide);
  Rows rows = strategy_rows();
  const std::string whole = aligned(rows);
  if (wide || whole.find('\n') <= style.width) return aligned(rows, style);
  for (auto& row : rows) row.resize(2);
  return aligned(rows, style) + "\n" +
         wrapped(
             "--wide also shows options, other names and source; `damocles list strategies NAME` shows those of one\n",
             style);
}

/// What there is to say of a platform form beyond its row: its keys.
std::string details_of_platform(const std::string& name, bool wide) {
  const PlatformForm* const form = Table<PlatformForm>::find(name);
  if (form == nullptr || form->keys == nullptr) return "";
  Rows rows{{"key", "values", "default", "meaning"}};
  for (const KeyText& key : form->keys()) {
    rows.push_back({key.name, key.values, key.otherwise, key.meaning});
  }
  return fmt::format("\nKeys, as {}:key=value,key=value; | separates alternatives\n\n{}", name,
                     list_table(rows, wide));
}

struct Topic {
  std::string name;
  Rows (*rows)();
  bool by_name = true;  ///< whether its entries are found where no topic is named
  /// What to show below the row of one entry, or "".
  std::string (*details)(const std::string& name, bool wide) = nullptr;
  /// Refuses where what it lists, so described, is not there.
  void (*needs)(const std::string& what) = [](const std::string&) {};
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {StrategyEntry::list, strategy_rows},
      {WorkloadFamily::list, [] { return form_rows("workload", Workload::forms()); }},
      {PlatformForm::list, [] { return form_rows("platform", Scenario::forms()); }, true,
       details_of_platform},
      {"presets", preset_rows},
      {EvictionEntry::list, eviction_rows},
      {"models", model_rows, true, nullptr, need_prediction},
      {"backends", backend_rows, true, nullptr, need_execution},
      {"claims", claim_rows, true, nullptr, need_papers},
      {"sentences", sentence_rows, false, nullptr, need_papers},
  };
  return all;
}

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const auto& topic : topics()) names.push_back(topic.name);
  return names;
}

/// Each option with its valid values, and what it means.
std::string option_entries(const std::vector<StrategyOption>& options) {
  if (options.empty()) return "  none but the common ones\n";
  std::string text;
  for (const auto& option : options) {
    text += fmt::format("{}\n{}\n", wrapped(option.key + ": " + option.values.text(), 2),
                        wrapped(option.meaning, 6));
  }
  return text;
}

/// What of a workload and a platform the strategy supports beyond independent tasks on equal GPUs.
std::string supported(const StrategyEntry& entry) {
  std::vector<std::string> all;
  if (entry.supports_dependencies) all.emplace_back("task dependencies");
  if (entry.heterogeneous) all.emplace_back("mixed CPU/GPU platforms");
  return all.empty() ? "independent tasks only" : fmt::format("{}", fmt::join(all, ", "));
}

std::string page_of_strategy(const StrategyEntry& entry) {
  const auto names = accepted_names(entry, true);
  return fmt::format(
      "{}\n{}\n\nSOURCE\n{}\n\nSUPPORTS\n{}\n{}\nOPTIONS, as {}:key=value,key=value\n{}\nCOMMON OPTIONS\n{}\n"
      "EXAMPLE\n  damocles simulate {} --strategies {}\n",
      entry.name, wrapped(entry.summary, 2), wrapped(entry.source, 2), wrapped(supported(entry), 2),
      names.empty() ? ""
                    : fmt::format("\nOTHER NAMES, accepted too\n{}\n",
                                  wrapped(fmt::format("{}", fmt::join(names, ", ")), 2)),
      entry.name, option_entries(entry.options), option_entries(common_options(entry)),
      entry.reads_placement  ? "file:path=tasks.rec gpus:k=2,memory=500MB"
      : entry.loads_implicit ? "gemm2d:n=50 gpus:k=2,memory=500MB"
                             : "outer:n=100 uniform:p=20,lo=10,hi=100",
      entry.reads_placement ? entry.name + ":placement=tasks.rec,dmda,lws" : entry.name);
}

/// The page of a strategy, or the rows of other topics that have that name; "" where nothing has.
std::string found(const std::string& topic, const std::string& name, bool wide) {
  std::string text;
  for (const auto& entry : strategies()) {
    if (is_called(entry, name) && (topic.empty() || topic == "strategies"))
      text += page_of_strategy(entry);
  }
  for (const auto& other : topics()) {
    if (other.name == "strategies" || (!topic.empty() && topic != other.name)) continue;
    if (topic.empty() && !other.by_name) continue;
    Rows rows = other.rows();
    const auto misses = [&](const auto& row) {
      return row[0] != name && !row[0].starts_with(name + ":");
    };
    rows.erase(std::remove_if(rows.begin() + 1, rows.end(), misses), rows.end());
    if (rows.size() == 1) continue;
    if (!text.empty()) text += "\n";
    text += list_table(rows, wide);
    if (other.details != nullptr) text += other.details(name, wide);
  }
  return text;
}

/// Every name that `found` finds.
std::vector<std::string> names_in(const std::string& topic) {
  std::vector<std::string> names;
  for (const auto& other : topics()) {
    if (topic.empty() ? !other.by_name : topic != other.name) continue;
    const Rows rows = other.rows();
    for (std::size_t i = 1; i < rows.size(); ++i) {
      auto name = rows[i][0].substr(0, rows[i][0].find(':'));
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  }
  return names;
}

/// "strategy" of the list of strategies.
std::string singular(const std::string& topic) {
  if (topic.ends_with("ies")) return topic.substr(0, topic.size() - 3) + "y";
  return topic.substr(0, topic.size() - 1);
}

/// The list that is meant, also by the name of one entry: strategies by strategy.
std::string list_meant(const std::string& topic) {
  for (const auto& name : topic_names()) {
    if (singular(name) == topic) return name;
  }
  return topic;
}

void show(const std::string& topic, const std::string& name, bool wide) {
  const auto lists = topic_names();
  if (std::find(lists.begin(), lists.end(), topic) == lists.end()) {
    refuse_unknown("list", topic, lists);
  }
  std::find_if(topics().begin(), topics().end(), [&](const Topic& one) {
    return one.name == topic;
  })->needs(fmt::format("the list of {}", topic));
  const std::string text = found(topic, name, wide);
  if (text.empty()) {
    refuse_unknown(singular(topic), name, names_in(topic), command_to_list(topic));
  }
  fmt::print("{}", text);
}

std::string topic_text(const Topic& topic, bool as_markdown, bool wide) {
  topic.needs(fmt::format("the list of {}", topic.name));
  if (as_markdown) return markdown_table(topic.rows());
  if (topic.rows == strategy_rows) return table_of_strategies(wide);
  return list_table(topic.rows(), wide);
}

/// The first names of a list, as many as fit a line.
std::string shown_names(const Topic& topic) {
  constexpr std::size_t room = 44;
  std::string text;
  for (const std::string& name : names_in(topic.name)) {
    if (text.size() + 2 + name.size() > room) break;
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

/// How to see each list, how long it is, and what it has.
void list_lists(bool as_markdown) {
  Rows rows{{"command", "entries", "such as"}};
  for (const auto& topic : topics()) {
    const std::size_t entries = topic.rows().size() - 1;
    rows.push_back({"damocles list " + topic.name, entries > 0 ? fmt::format("{}", entries) : "?",
                    entries > 0 ? shown_names(topic) : "not built yet"});
  }
  fmt::print("{}", as_markdown ? markdown_table(rows) : aligned(rows));
  if (as_markdown) return;
  fmt::print("\nOne entry: damocles list darts. All lists: damocles list --all\n");
}

void list_all(bool as_markdown, bool wide) {
  for (const auto& topic : topics()) topic.needs(fmt::format("the list of {}", topic.name));
  for (const auto& topic : topics()) {
    fmt::print("{}{}", &topic == topics().data() ? "" : "\n", topic_text(topic, as_markdown, wide));
  }
}

/// The list that is called so, else the entries that are.
void list_names(const std::string& chosen, bool as_markdown, bool wide) {
  for (const auto& topic : topics()) {
    if (topic.name != chosen) continue;
    fmt::print("{}", topic_text(topic, as_markdown, wide));
    return;
  }
  if (const std::string text = found({}, chosen, wide); !text.empty()) {
    fmt::print("{}", text);
    return;
  }
  const auto within = names_in({});
  if (const std::string guess = nearest(chosen, within); !guess.empty()) {
    throw InvalidInput(
        fmt::format("there is no '{}' in any list; did you mean '{}'?", chosen, guess));
  }
  refuse_unknown("list", chosen, topic_names());
}

}  // namespace

ValueTable list_rows(const std::string& topic) {
  const std::string meant = list_meant(topic);
  const auto listed = std::find_if(topics().begin(), topics().end(),
                                   [&](const Topic& one) { return one.name == meant; });
  if (listed == topics().end()) refuse_unknown("list", topic, topic_names());
  listed->needs(fmt::format("the list of {}", meant));
  Rows cells = listed->rows();
  ValueTable table{.columns = std::move(cells.front()), .rows = {}};
  for (auto row = cells.begin() + 1; row != cells.end(); ++row) {
    auto& values = table.rows.emplace_back(table.columns.size());
    for (std::size_t i = 0; i < row->size(); ++i) {
      if (!(*row)[i].empty()) values[i] = std::move((*row)[i]);
    }
  }
  return table;
}

namespace {

void set_up_list(Command command) {
  struct Options {
    std::string topic;
    std::string name;
    bool all = false;
    bool markdown = false;
    bool wide = false;
  };
  const auto options = std::make_shared<Options>();
  command.optional_argument(
      "TOPIC", options->topic,
      fmt::format("{} (default: says what each of them has)", fmt::join(topic_names(), " | ")));
  command.optional_argument(
      "NAME", options->name,
      "one entry, in detail: a strategy with its options, a platform with its keys");
  command.flag("--all", options->all, "every list, one below the other");
  command.flag("--markdown", options->markdown, "as Markdown tables");
  command.flag(
      "--wide", options->wide,
      "one line for each entry, however long (default: as wide as the terminal, 80 columns "
      "in a file or pipe)");
  command.footer(
      "EXAMPLES\n  damocles list strategies\n  damocles list strategies darts\n  damocles list platforms gpus\n  damocles list claims\n");
  command.runs([options] {
    options->topic = list_meant(options->topic);
    if (options->all) {
      if (options->topic.empty()) return list_all(options->markdown, options->wide);
      throw InvalidInput(fmt::format(
          "--all shows every list; leave out '{}', or --all for that list", options->topic));
    }
    if (options->topic.empty()) return list_lists(options->markdown);
    if (options->name.empty()) {
      return list_names(options->topic, options->markdown, options->wide);
    }
    if (options->markdown) throw InvalidInput("--markdown is for whole tables; leave out NAME");
    show(options->topic, options->name, options->wide);
  });
}

const Register list_command{CommandEntry{
    .name = "list",
    .place = 10,
    .description = fmt::format(
        "List strategies, workloads, platforms and other names. Show one of them in detail. The lists are {}.",
        fmt::join(topic_names(), ", ")),
    .set_up = set_up_list}};

}  // namespace
}  // namespace damocles
