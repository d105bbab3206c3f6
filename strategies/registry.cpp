#include "strategies/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "models/error.hpp"
#include "models/placements/placement.hpp"
#include "models/platforms/durations.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/parts/given_priorities.hpp"

namespace damocles {
namespace {

/// How many strategies can do what `can` asks, with up to three names: widely known ones first.
template <typename Can>
std::string others_that(Can&& can) {
  constexpr std::array<std::string_view, 4> known{"darts", "dmdas", "heft", "heteroprio"};
  const auto is_known = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  std::vector<std::string> names;
  for (const auto& entry : strategies()) {
    if (can(entry)) names.push_back(entry.name);
  }
  std::stable_partition(names.begin(), names.end(), is_known);
  const auto shown = std::span(names).first(std::min<std::size_t>(names.size(), 3));
  return fmt::format("{} strategies do, e.g. {}", names.size(), fmt::join(shown, ", "));
}

/// The options that another name means, where the user does not say them.
void add_meant(const StrategyEntry& entry, Spec& spec) {
  for (const auto& [name, options] : entry.aliases) {
    if (name != spec.name() || options.empty()) continue;
    const Spec meant = Spec::parse(fmt::format("{}:{}", name, options), "strategy");
    for (const auto& key : meant.keys()) {
      if (!spec.has(key)) spec.set(key, *meant.word(key));
    }
  }
}

/// Refuses options that the strategy has not, and values that an option does not take.
void refuse_options(const StrategyEntry& entry, const Spec& spec) {
  std::vector<StrategyOption> options = entry.options;
  for (auto& option : common_options(entry)) options.push_back(std::move(option));
  std::vector<std::string> keys;
  for (const auto& option : options) keys.push_back(option.key);
  spec.allow(keys);
  for (const auto& option : options) {
    const auto value = spec.word(option.key);
    const std::string why = value ? option.values.why_not(*value) : "";
    if (!why.empty()) spec.refuse(option.key + " " + why);
  }
}

std::shared_ptr<const GivenPlacement> placement_of(const Spec& spec, const Workload& workload) {
  const auto path = spec.word("placement");
  if (!path) {
    spec.refuse(fmt::format(
        "needs placement, the file that says where tasks run, as in {}:placement=tasks.rec",
        spec.name()));
  }
  return std::make_shared<const GivenPlacement>(read_placement(*path, workload));
}

}  // namespace

std::string first_names(std::span<const std::string> names) {
  constexpr std::size_t shown = 8;
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.first(shown), ", "), names.size() - shown);
}

bool is_called(const StrategyEntry& entry, std::string_view name) {
  const auto is_it = [&](const auto& variant) { return variant[0] == name; };
  return entry.name == name ||
         (!name.empty() && std::find(entry.paper_names.begin(), entry.paper_names.end(), name) !=
                               entry.paper_names.end()) ||
         std::any_of(entry.aliases.begin(), entry.aliases.end(), is_it);
}

const StrategyEntry& strategy_called(std::string_view name) {
  // Its own name first: another strategy, of a plug-in, may accept it too.
  if (const auto* const own = Table<StrategyEntry>::find(name)) return *own;
  for (const auto& entry : strategies()) {
    if (is_called(entry, name)) return entry;
  }
  Table<StrategyEntry>::refuse(name);
}

std::string why_unsupported(const StrategyEntry& entry, const Workload& workload) {
  if (auto lacking = why_not_built(entry); !lacking.empty()) return lacking;
  const bool waits = workload.has_dependencies();
  // Who only orders tasks may do so where they write, but none waits for another.
  const bool any_order = entry.supports_dependencies || (entry.loads_implicit && !waits);
  if ((waits || workload.writes()) && !any_order) {
    return fmt::format(
        "it does not support {}; {}",
        workload.has_dependencies() ? "task dependencies" : "tasks that write data items",
        others_that([](const StrategyEntry& other) { return other.supports_dependencies; }));
  }
  return entry.unsupported_reason ? entry.unsupported_reason(workload) : "";
}

std::string why_not_heterogeneous(const StrategyEntry& entry, const Workload& workload,
                                  const Platform& platform) {
  if (entry.heterogeneous || !platform.machine) return "";
  const bool in_host_memory = platform.machine->any_in_host_memory();
  if (!in_host_memory && Durations(workload, platform).all_run_all()) return "";
  return fmt::format(
      "it does not support {}; {}",
      in_host_memory ? "mixed CPU/GPU platforms" : "processors that cannot run every task",
      others_that([](const StrategyEntry& other) { return other.heterogeneous; }));
}

void refuse_heterogeneous(const StrategyEntry& entry, const Workload& workload,
                          const Platform& platform) {
  const std::string why = why_not_heterogeneous(entry, workload, platform);
  if (!why.empty()) throw Infeasible(fmt::format("strategy '{}': {}", entry.name, why));
}

std::string unsupported_off_grid(const Workload& workload) {
  return workload.is_grid() ? "" : fmt::format("it needs a grid of tasks: {}", grid_workloads);
}

std::vector<StrategyOption> common_options(const StrategyEntry& entry) {
  std::vector<StrategyOption> options{
      {"eviction",
       "eviction policy (default " + entry.eviction +
           "; `damocles list evictions`); limited memory only",
       OptionValues::names(Table<EvictionEntry>::names,
                           [](const auto& name) { (void)Table<EvictionEntry>::named(name); })},
      {"buffer",
       "which buffered task runs next: taken (default): in the order granted; ready: fewest missing bytes; "
       "limited memory only",
       OptionValues::words({"taken", "ready"})}};
  const auto& own = entry.options;
  if (std::none_of(own.begin(), own.end(), [](const auto& one) { return one.key == "patient"; })) {
    options.push_back(
        {"patient",
         "true: take another task only when all inputs of the buffered tasks have arrived, "
         "as StarPU's driver does; false: as soon as the buffer has room (default as in docs/reference/policies.md); "
         "limited memory only",
         OptionValues::true_or_false()});
  }
  if (entry.by_priority) options.push_back(priorities_option());
  return options;
}

StrategyChoice StrategyChoice::parse(std::string_view text, const Workload& workload) {
  Spec spec = Spec::parse(text, "strategy");
  const StrategyEntry* const entry = &strategy_called(spec.name());
  const int dimensions = workload.dimensions();
  const auto& other = entry->paper_names[dimensions == 2 ? 1 : 0];
  if (workload.is_grid() && !other.empty() && spec.name() == other) {
    throw InvalidInput(fmt::format(
        "strategy '{}' is the paper's name for {} indices, but '{}' has {}; write '{}'", other,
        5 - dimensions, workload.text(), dimensions, entry->paper_names[dimensions == 2 ? 0 : 1]));
  }
  refuse_options(*entry, spec);
  if (const auto why = why_unsupported(*entry, workload); !why.empty()) {
    throw Infeasible(fmt::format("strategy '{}' on '{}': {}", entry->name, workload.text(), why));
  }
  add_meant(*entry, spec);
  if (entry->misfit) {
    if (const auto why = entry->misfit(spec, workload); !why.empty()) spec.refuse(why);
  }
  StrategyChoice choice{entry, spec.renamed(entry->name)};
  if (entry->reads_placement) choice.placement = placement_of(choice.spec, workload);
  return choice;
}

std::unique_ptr<Strategy> StrategyChoice::make(const StrategyContext& context) const {
  if (entry->by_priority) return with_given_priorities(context, entry->make);
  if (placement == nullptr) return entry->make(context);
  StrategyContext with_placement = context;
  with_placement.placement = placement.get();
  return entry->make(with_placement);
}

}  // namespace damocles
