#pragma once

#include <cstddef>
#include <vector>

#include "ode/limited_memory/limited_run.hpp"

namespace damocles {

/// When each processor should end what it was allotted, as dmda and its kin expect it. A task goes
/// where its expected end and the time of its transfers add up to the least; ties: the lowest
/// processor. A transfer takes what the bus needs where all processors take as much, in both
/// directions. Only the first one of a data item to a processor counts, as if nothing were evicted.
/// Source: IPDPS'22, Algorithm 1 (DMDA), as the simulator has it.
class ExpectedEnds {
 public:
  using Index = TaskGraph::Index;

  /// @param run              outlives it
  /// @param transfers_delay  a task ends later where its transfers take longer than the work before
  explicit ExpectedEnds(const LimitedRun& run, bool transfers_delay = true);

  /// Where a task would go.
  struct Choice {
    std::size_t processor = 0;
    double end_s = 0;  ///< expected there
  };
  [[nodiscard]] Choice choose(Index task) const;
  /// Between its soonest and its latest end.
  [[nodiscard]] double spread_s(Index task) const;
  /// The task goes there. @pre choice is of choose(task), and nothing was allotted since
  void allot(Index task, const Choice& choice);
  /// Its inputs have come: what its processor was to wait for them counts no longer.
  void started(std::size_t processor, Index task);
  /// @pre started
  void ended(std::size_t processor, Index task);

 private:
  struct Allotted {
    std::vector<char> sent;  ///< data items
    double left_s = 0;       ///< until what is left ends
    std::size_t tasks = 0;   ///< that are left
  };

  [[nodiscard]] double transfers_s(const Allotted& to, Index task) const;
  [[nodiscard]] double end_s(std::size_t on, Index task, double transfers_s) const;

  const LimitedRun& run_;
  bool transfers_delay_;
  double transfer_s_;           // of a data item
  std::vector<Allotted> all_;   // by processor
  std::vector<double> wait_s_;  // of each task: of its processor, for its transfers
};

}  // namespace damocles
