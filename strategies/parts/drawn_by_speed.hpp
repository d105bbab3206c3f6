#pragma once

#include <vector>

#include "models/platforms/durations.hpp"
#include "strategies/parts/own_queues.hpp"

namespace damocles {

/// Draws the processor that gets a task, of those that can run it, by how fast they are overall:
/// the flops of all tasks that a processor can run over the time that it would take for them, or
/// their number where none has flops.
class DrawnBySpeed {
 public:
  using Index = TaskGraph::Index;

  /// What the setting refers to outlives it.
  explicit DrawnBySpeed(const StrategyContext& context);

  /// O(processors).
  ProcessorId operator()(Index task);

 private:
  Durations durations_;
  Rng rng_;
  std::vector<double> speeds_;
};

/// Each task waits for the processor drawn for it, in the order given there; nobody steals.
template <PriorityLists::Order Sorted>
class SharedOutBySpeed : public OwnQueues {
 public:
  explicit SharedOutBySpeed(const StrategyContext& context)
      : OwnQueues(context, Sorted), draw_(context) {
    submit_all();
  }

 private:
  ProcessorId place(Index task) override { return draw_(task); }

  DrawnBySpeed draw_;
};

}  // namespace damocles
