#pragma once

#include <string>

#include "strategies/registry.hpp"

namespace damocles {

/// A strategy that runs a static schedule.
struct StaticStrategy {
  std::string name;    ///< also of the schedule (schedule_called())
  std::string source;  ///< paper and section
  std::string summary;
  bool representative = false;  ///< as StrategyEntry has it
};

/// The row of that strategy: the whole graph is placed before the start, as if memory had no limit
/// and all data lay everywhere at first; each processor then runs its tasks in the order of their
/// planned starts (static_plan()). With prefetch=push, which no paper has, what ready tasks of a
/// list lack is fetched ahead, those behind one that is not ready too.
[[nodiscard]] StrategyEntry static_entry(const StaticStrategy& named);

}  // namespace damocles
