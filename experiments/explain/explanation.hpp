#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/explain/critical_path.hpp"
#include "experiments/explain/idle_time.hpp"
#include "experiments/explain/victims.hpp"
#include "models/platforms/platform.hpp"
#include "models/runs/load_terms.hpp"
#include "models/runs/record.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// One run and what it was made of.
struct ExplainedRun {
  Workload workload;
  Platform platform;
  Record record;  ///< strategy, seed, loads, bound, makespan
  std::vector<RunEvent> events;
  bool measured = false;  ///< its times are those of an executed run, not of virtual time
};

/// What moved between one memory node and the others [B].
struct NodeTraffic {
  std::size_t processor = 0;
  std::uint64_t required = 0;    ///< inputs of its tasks, each as often as a task reads it
  std::uint64_t from_host = 0;   ///< loaded from host memory
  std::uint64_t from_peers = 0;  ///< loaded from other processors
  std::uint64_t to_host = 0;     ///< returned
};

/// Data items of one name, as all of B, of which memory holds a part.
struct LargeGroup {
  std::string name;
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
};

/// Data that returned to host memory, and that no task reads from there.
struct IdleReturns {
  std::uint64_t bytes = 0;
  DataId most{};  ///< the item with the most of them
};

/// The same run with one thing improved, simulated again.
struct WhatIf {
  std::string change;
  double makespan_s = 0;
  std::uint64_t loads = 0;
};

/// Why a run moved what it moved and took as long as it did.
struct Explanation {
  LoadExplanation loads;
  VictimChoice victims;          ///< where evictions cost loads
  std::vector<IdleShares> idle;  ///< by processor
  double idle_share = 0;         ///< of all processors' time
  CriticalPath path;
  std::vector<NodeTraffic> nodes;  ///< processors with a memory of their own
  std::optional<LargeGroup> large;
  IdleReturns returns;
  std::vector<WhatIf> what_if;  ///< the greatest gain first; those below 1 % are left out
  std::string not_tried;        ///< what_is_not_tried(), where it was asked what would help
};

/// @throws InvalidInput where the workload has no sizes
[[nodiscard]] Explanation explain(const ExplainedRun& run);

/// What would help: doubles one rate, memory or kind of task at a time, keeps all else (depth of
/// prefetch, random draws), and simulates again.
/// @param threads  as in_parallel()
[[nodiscard]] std::vector<WhatIf> what_if(const ExplainedRun& run, const StrategyChoice& strategy,
                                          std::uint64_t threads = 0);
/// What it leaves out on this platform, and why; "" where it tries all.
[[nodiscard]] std::string what_is_not_tried(const ExplainedRun& run);

/// Two runs of one workload: where they part.
struct Difference {
  /// The place of the first decision that differs among those that move data or start tasks;
  /// nothing where all are alike.
  std::optional<std::size_t> first;
  std::optional<RunEvent> here;   ///< of the first run; nothing where it has ended
  std::optional<RunEvent> there;  ///< of the second
  /// How many loads more the first run made, in each tenth of its tasks.
  std::array<std::int64_t, 10> loads_by_tenth{};
};
[[nodiscard]] Difference difference(const ExplainedRun& a, const ExplainedRun& b);

/// The name of a data item without its numbers: `B` of B(3,4).
[[nodiscard]] inline std::string name_without_numbers(const std::string& name) {
  return name.substr(0, name.find_first_of("0123456789([ "));
}

/// The group whose items were reloaded most, where it does not fit in any memory.
[[nodiscard]] std::optional<LargeGroup> large_group(const LoadExplanation& loads,
                                                    const Workload& workload,
                                                    const Platform& platform);

}  // namespace damocles
