#pragma once

#include <vector>

#include "strategies/registry.hpp"

namespace damocles {

/// A strategy that orders all tasks before the start: processors take them from one queue.
class FixedOrder : public Strategy {
 public:
  using Index = TaskGraph::Index;

  /// @param order  each task once
  FixedOrder(const StrategyContext& context, std::vector<Index> order);

  void request(ProcessorId processor, Grant& grant) override;
  /// Exact for one processor; for several, as if it took all tasks that are left.
  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override;
  [[nodiscard]] bool knows_all_uses() const override { return true; }

 private:
  const TaskGraph& graph_;
  std::vector<Index> order_;
  std::vector<std::vector<Index>> places_;  // by data: where its users stand; made when asked for
  std::size_t next_ = 0;
};

}  // namespace damocles
