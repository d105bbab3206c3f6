#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/rng.hpp"
#include "models/runs/node_memory.hpp"
#include "models/spec.hpp"
#include "models/table.hpp"
#include "models/workload.hpp"
#include "strategies/option.hpp"
#include "strategies/strategy.hpp"

namespace damocles {

struct GivenPlacement;
struct StrategyChoice;

/// All a strategy may know when it is made. The references outlive it.
struct StrategyContext {
  const Workload& workload;
  const Platform& platform;
  const NodeMemory& memory;  ///< what each processor holds, kept by the driver
  const Spec& spec;          ///< its own name and options
  Rng rng;
  /// Memory of each processor [B]; empty where it is unlimited.
  std::vector<std::uint64_t> memory_bytes{};
  /// What the file of its option `placement` says; nothing where StrategyEntry::reads_placement is
  /// not so.
  const GivenPlacement* placement = nullptr;
};

/// Memory of this computer that a strategy takes, beside what every run takes [B].
struct HostBytes {
  double by_data = 0;  ///< for each processor and data item
};

/// The row that publishes a strategy; `damocles list`, the command line and the tests over all
/// strategies read the table.
struct StrategyEntry {
  static constexpr const char* what = "strategy";
  static constexpr const char* list = "strategies";
  std::string name;
  std::string source;  ///< paper and algorithm
  std::string summary;
  /// The paper's names, accepted too: for 2 and for 3 indices.
  std::array<std::string, 2> paper_names{};
  /// Other names, and the options that each means: {"DARTS", "eviction=lru"}; or none, as
  /// {"modular-prio", ""}. What a user says beside the name counts more.
  std::vector<std::array<std::string, 2>> aliases{};
  std::vector<StrategyOption> options{};
  std::function<std::unique_ptr<Strategy>(const StrategyContext&)> make;
  /// Why the strategy is not defined on a workload, or "".
  std::function<std::string(const Workload&)> unsupported_reason{};
  /// What this build lacks to run the strategy on any workload, and how to get it, or "".
  std::string (*not_built)() = nullptr;
  /// Why options, each of a valid value, do not go together or do not fit the workload, or "".
  std::function<std::string(const Spec&, const Workload&)> misfit{};
  /// Runs graphs whose tasks wait for others: it grants what on_ready() told.
  bool supports_dependencies = false;
  /// Supports heterogeneous platforms: it gives no task to one that cannot run it, and knows of
  /// those that compute where all data lie.
  bool heterogeneous = false;
  /// Grants name tasks alone: what they lack is for the driver to load.
  bool loads_implicit = false;
  /// The eviction policy it is meant for.
  std::string eviction = "lru";
  /// The order of each processor's tasks is known from the start (but with buffer=ready), which
  /// makes Belady's rule MIN.
  bool static_order = false;
  /// The same, where it depends on more than the strategy.
  bool (*order_known)(const StrategyChoice& choice, const Workload& workload,
                      const Platform& platform) = nullptr;
  /// The order that it follows, or nearly so, where it has a single processor; null: tasks as they
  /// become ready, by priority where it goes by priority.
  std::vector<TaskGraph::Index> (*order_alone)(const TaskGraph& graph) = nullptr;
  /// Of strategies that grow boxes of a grid: the open tasks at which they end growing. As their
  /// options say; `beta=auto` is a number by then.
  double (*grows_until)(const Spec& spec, const Workload& workload) = nullptr;
  /// That is a threshold, options `beta` and `tasks-left`, at which phase 2 starts.
  bool has_threshold = false;
  /// Tasks in a processor's buffer, the running one included, where the platform does not say; 0:
  /// as many as the machine needs, prefetch_depth().
  std::uint64_t depth = 0;
  /// Of ready tasks those of a higher priority go first: then `priorities` is an option.
  bool by_priority = false;
  /// A run that would not fit is refused before it starts.
  HostBytes host_bytes{};
  /// It does what the file says that its option `placement` names, which has to be given.
  bool reads_placement = false;
  /// Loads data items for tasks that it has not granted yet: what is resident depends on time.
  bool loads_ahead = false;
  /// Chooses among the tasks of a processor by what is resident there.
  bool by_residency = false;
  /// It looks at the whole task graph before the first task runs; others decide as tasks become
  /// ready.
  bool whole_graph = false;
  /// One of the dozen that run where memory is limited and the user names none.
  bool representative = false;
};

/// "a, b, c"; of more than eight the first eight and how many more there are.
[[nodiscard]] std::string first_names(std::span<const std::string> names);

/// Whether a user may call the strategy so: by its name, or by another one that is accepted.
[[nodiscard]] bool is_called(const StrategyEntry& entry, std::string_view name);

/// The strategy that a user calls so. @throws InvalidInput on an unknown name
[[nodiscard]] const StrategyEntry& strategy_called(std::string_view name);

/// What this build lacks to run the strategy, and how to get it, or "".
[[nodiscard]] inline std::string why_not_built(const StrategyEntry& entry) {
  return entry.not_built != nullptr ? entry.not_built() : "";
}

/// Why the strategy cannot run the workload, or "".
[[nodiscard]] std::string why_unsupported(const StrategyEntry& entry, const Workload& workload);

/// Why the strategy cannot run the workload on processors of several kinds, of which some compute
/// where all data lie, or cannot run some kind of task; or "".
[[nodiscard]] std::string why_not_heterogeneous(const StrategyEntry& entry,
                                                const Workload& workload, const Platform& platform);
/// @throws Infeasible saying so
void refuse_heterogeneous(const StrategyEntry& entry, const Workload& workload,
                          const Platform& platform);

/// The options that every strategy has, with this one's defaults.
[[nodiscard]] std::vector<StrategyOption> common_options(const StrategyEntry& entry);

/// Why a strategy that grows boxes of a grid is not defined on the workload, or "".
[[nodiscard]] std::string unsupported_off_grid(const Workload& workload);

template <typename T>
std::unique_ptr<Strategy> make(const StrategyContext& context) {
  return std::make_unique<T>(context);
}

/// Every strategy, sorted by name.
[[nodiscard]] inline const std::vector<StrategyEntry>& strategies() {
  return Table<StrategyEntry>::entries();
}

/// A strategy by name and options, checked but not yet made for a run.
struct StrategyChoice {
  const StrategyEntry* entry = nullptr;
  Spec spec;                                          ///< its own name, not the paper's
  std::shared_ptr<const GivenPlacement> placement{};  ///< where it reads one

  /// `dynamic-2phases:beta=3`, or the paper's name where it fits the workload.
  /// @throws InvalidInput on an unknown name or option or a wrong value of one, where it is not
  /// defined on the workload, or where the file that it reads is not there or places other tasks
  static StrategyChoice parse(std::string_view text, const Workload& workload);
  [[nodiscard]] std::unique_ptr<Strategy> make(const StrategyContext& context) const;
  /// Whether of a processor's task buffer the readiest task runs next, not the one taken first: its
  /// option `buffer`.
  [[nodiscard]] bool ready_buffer() const { return spec.word("buffer") == "ready"; }
  /// The name of the eviction policy: its option `eviction`, or what the strategy is meant for.
  [[nodiscard]] std::string eviction() const {
    return spec.word("eviction").value_or(entry->eviction);
  }
};

}  // namespace damocles
