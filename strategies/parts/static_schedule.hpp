#pragma once

#include <string>
#include <vector>

#include "orders/planned_schedule.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// A schedule that a strategy is nothing but.
struct NamedSchedule {
  std::string name;
  std::string source;  ///< paper and section
  std::string summary;
  std::vector<Placement> (*schedule)(const PlannedGraph&);
  bool representative = false;  ///< as StrategyEntry has it
};

/// The row of that strategy: the whole graph is placed before the start, as if memory had no limit
/// and all data lay everywhere at first; each processor then runs its tasks in the order of their
/// planned starts. What a task writes and another processor reads travels to host memory and from
/// there: twice over the link; once where one of the two computes in host memory, not at all where
/// both do. With prefetch=push, which no paper has, what ready tasks of a list lack is fetched
/// ahead, those behind one that is not ready too.
[[nodiscard]] StrategyEntry static_entry(const NamedSchedule& named);

}  // namespace damocles
