#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "models/runs/node_memory.hpp"
#include "models/winner_tree.hpp"
#include "orders/level_lists.hpp"
#include "strategies/parts/held_by_use.hpp"
#include "strategies/parts/per_processor_lists.hpp"

namespace damocles {

/// Lists of tasks that wait for others, made before the start (orders/level_lists.hpp): those that
/// are ready wait for their processor in the order of levels, and there of its list.
///
/// Of the first ones, as many as are in view but at most 128, the one goes that lacks the fewest
/// bytes, of equal ones that of the highest priority, then the first. A processor whose list has
/// run out takes half of the ready tasks of the one that has most, from the end of its order; the
/// last one is left to its owner. Who waits for tasks of its own takes none: what others wrote
/// would travel.
class LevelByLevel final : public Strategy {
 public:
  using Index = TaskGraph::Index;

  /// @param lists  of each processor, together each task once, in order of their levels
  LevelByLevel(const StrategyContext& context, const std::vector<std::vector<Index>>& lists,
               const ListRules& rules);

  std::optional<ProcessorId> on_ready(TaskId task) override;
  void request(ProcessorId processor, Grant& grant) override;
  void on_loaded(ProcessorId processor, DataId data) override;
  void on_evicted(ProcessorId processor, DataId data) override;
  void on_started(ProcessorId processor, TaskId task) override;
  [[nodiscard]] bool exhausted() const override { return ready_tasks_ == 0; }
  [[nodiscard]] bool waits_for_inputs() const override { return rules_.prefetch; }
  /// Ready tasks of the list that access the data.
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId processor, DataId data) const override {
    return uses_[raw(processor)][raw(data)];
  }
  /// The place, in the order of all, of the first task of the list that accesses the data and was
  /// not granted, ready or not.
  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override;
  [[nodiscard]] std::optional<DataId> farthest_use(
      ProcessorId processor, const std::function<bool(DataId)>& may_go) override;
  [[nodiscard]] bool knows_all_uses() const override { return true; }

 private:
  static constexpr std::uint32_t granted = ~std::uint32_t{0};

  void count(std::uint32_t processor) {
    minus_ready_.set(processor, -static_cast<std::int64_t>(ready_[processor].size()));
  }
  void number(const std::vector<std::vector<Index>>& lists);
  void enter(std::uint32_t processor, std::uint32_t place);
  void leave(std::uint32_t processor, std::uint32_t place);
  bool steal(ProcessorId thief);
  [[nodiscard]] std::uint32_t next_place(std::uint32_t processor, Index data);
  void lose_use(std::uint32_t processor, std::uint32_t place);
  void gain_use(std::uint32_t processor, std::uint32_t place);
  [[nodiscard]] std::uint32_t next_of(ProcessorId processor) const;
  [[nodiscard]] std::uint64_t lack(ProcessorId processor, Index task) const;
  void hint_next(ProcessorId processor, std::vector<DataId>& loads) const;

  const TaskGraph& graph_;
  const NodeMemory& memory_;
  ListRules rules_;
  std::vector<Index> task_at_;                      // by place in the order of all
  std::vector<std::uint32_t> place_of_;             // by task
  std::vector<std::uint32_t> owner_;                // by place; `granted` when it was
  std::vector<std::vector<std::uint32_t>> places_;  // by data: where it is accessed, ascending
  std::vector<std::uint32_t> open_;                 // by data: before this all places were granted
  std::vector<std::set<std::uint32_t>> ready_;      // by processor: places
  WinnerTree<std::int64_t> minus_ready_;  // by processor: minus how many, to find who has most
  std::vector<std::size_t> left_;         // by processor: tasks of its list that were not granted
  std::vector<std::vector<std::uint32_t>> uses_;  // by processor and data
  std::vector<HeldByUse> held_;                   // by processor
  std::size_t ready_tasks_ = 0;
};

/// A strategy that follows the lists of the tasks of the whole graph as PerProcessorLists does;
/// where tasks wait for others those of one level after the other, as LevelByLevel does.
[[nodiscard]] std::unique_ptr<Strategy> following(const StrategyContext& context,
                                                  const ListsOf& lists_of, const ListRules& rules);

}  // namespace damocles
