#pragma once

#include <deque>
#include <vector>

#include "orders/pacing.hpp"
#include "strategies/parts/per_processor_lists.hpp"

namespace damocles {

/// One plan a processor.
using Plans = std::vector<PacedOrder>;

/// Whether loads and tasks overlap: memory is limited, and depth=1 does not forbid to fetch ahead.
[[nodiscard]] bool overlaps(const StrategyContext& context);

/// What each processor may count on: memory_beside_prefetch() is M, the rest is spare.
[[nodiscard]] std::vector<Pace> paces_of(const StrategyContext& context);

/// The lists as they are, no load planned.
[[nodiscard]] Plans unpaced(const std::vector<std::vector<TaskGraph::Index>>& lists);

/// Plans for lists of tasks, one a processor, that load what the lists load in the memory beside
/// the largest data (memory_beside_prefetch), run ahead in all of it, and share the bus as they
/// will. Where nothing overlaps: unpaced().
[[nodiscard]] Plans plans_for(const StrategyContext& context,
                              const std::vector<std::vector<TaskGraph::Index>>& lists);

/// A strategy whose lists of tasks come with a plan of their loads.
///
/// A processor asks ahead for a planned load as soon as the tasks have ended that the plan ends
/// before it. What the plan lets go and loads again counts as used no more, so that it leaves first
/// and for any planned load. Of stolen tasks nothing is fetched for the one they were stolen from;
/// the thief loads what it needs when it needs it. Nobody steals where a list is empty from the
/// start: that processor is to rest.
class PacedLists : public PerProcessorLists {
 public:
  void request(ProcessorId processor, Grant& grant) override;
  void on_started(ProcessorId processor, TaskId task) override;
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId processor, DataId data) const override {
    return kept_for(processor, data) == never ? 0
                                              : PerProcessorLists::reserved_uses(processor, data);
  }
  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override {
    return kept_for(processor, data);
  }
  [[nodiscard]] bool knows_all_uses() const override { return true; }
  /// None: the order of the list is not that of its next uses.
  [[nodiscard]] std::optional<DataId> farthest_use(ProcessorId,
                                                   const std::function<bool(DataId)>&) override {
    return std::nullopt;
  }

 protected:
  /// @param plans  one a processor; together each task once
  PacedLists(const StrategyContext& context, Plans plans);

 private:
  /// The next use of a data item that the plan does not load it anew for, else `never`.
  [[nodiscard]] std::uint64_t kept_for(ProcessorId processor, DataId data) const;

  /// A plan, and how far its processor has come.
  struct Course {
    Course(std::vector<PlannedLoad> planned, std::size_t data);

    std::vector<PlannedLoad> loads;
    std::size_t next = 0;            // load whose time has not come
    std::deque<PlannedLoad> due;     // loads whose time has come, and that are not there
    std::vector<std::size_t> begin;  // by data: where its entries in `firsts` begin
    std::vector<Index> firsts;       // by data: tasks for which it is loaded, ascending
    std::vector<Index> fetched_for;  // by data: the last of them that it was asked for ahead
    Index started = 0;               // tasks
  };

  const NodeMemory& memory_;
  std::vector<Course> courses_;
};

}  // namespace damocles
