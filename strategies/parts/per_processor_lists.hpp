#pragma once

#include <cstddef>
#include <vector>

#include "strategies/parts/ready_list.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// What a strategy does with the list of tasks each processor has been allotted.
struct ListRules {
  /// How many tasks at the head of the list are in view, of which the readiest is taken (IPDPS'22,
  /// Algorithm 2); 1: the first is taken, whatever is there.
  std::size_t ready = 1;
  bool steal = false;  ///< an idle processor takes half the tail of the most loaded one
  /// Every input is requested when its task comes in view, and fetched once in that order when
  /// nothing more urgent is and there is room that no task in view needs.
  bool prefetch = false;
  /// Of the tasks in view only so many, from the head, are compared.
  std::size_t window = ReadyList::whole;
};

/// A strategy that allots every task to a processor before the start, or when it is ready: what
/// follows is the same for all of them, whoever made the lists.
class PerProcessorLists : public Strategy {
 public:
  void request(ProcessorId processor, Grant& grant) override;
  void on_loaded(ProcessorId processor, DataId data) override;
  void on_arrived(ProcessorId processor, DataId data) override;
  void on_evicted(ProcessorId processor, DataId data) override;
  /// Counted from the start of the list, not from now: of two data items the one read earlier has
  /// the smaller number. Exact while tasks are taken in the order of the list and nobody steals.
  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override {
    return listed_use(processor, data);
  }
  void on_started(ProcessorId processor, TaskId task) override;
  [[nodiscard]] std::optional<DataId> farthest_use(
      ProcessorId processor, const std::function<bool(DataId)>& may_go) override;
  /// Those that prefetch on their own account are: a task asked for early would find less there.
  [[nodiscard]] bool waits_for_inputs() const override { return rules_.prefetch; }
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId processor, DataId data) const override {
    return lists_.uses(processor, static_cast<Index>(raw(data)));
  }

 protected:
  using Index = TaskGraph::Index;

  /// @param lists  the tasks of each processor in order, each task once
  PerProcessorLists(const StrategyContext& context, const std::vector<std::vector<Index>>& lists,
                    const ListRules& rules);

  /// Appends a task to the processor's list. @pre it was in none so far
  void push(ProcessorId processor, Index task) { lists_.push_back(processor, task); }

  /// Adds the first requests for data that no load has served. @pre it prefetches
  void hint_requests(ProcessorId processor, std::vector<DataId>& loads);

  /// What next_use() says.
  [[nodiscard]] std::uint64_t listed_use(ProcessorId processor, DataId data) const;

 private:
  ListRules rules_;
  ReadyList lists_;
};

/// The rules of a strategy that allots lists and steals, by its options. `ready`: a number of tasks
/// in view, true for the whole list, as dmdar, false to take the first (in StarPU:
/// STARPU_SCHED_READY over the STARPU_NTASKS_THRESHOLD tasks of the queue that a GPU takes from).
/// `patient`, true unless false: Ready requests what is in view, and chooses only when the inputs
/// of all tasks before are there.
/// @param otherwise  tasks in view where `ready` is not given, at least 2
[[nodiscard]] ListRules allotted(const Spec& spec, std::size_t otherwise);

/// What the option `ready` takes.
[[nodiscard]] OptionValues ready_values();

/// Bytes of the smallest memory; all data where memory is unlimited: what strategies that cut work
/// to the size of a memory cut it to.
[[nodiscard]] std::uint64_t smallest_memory(const StrategyContext& context);

/// What of the smallest memory an order may count on [B]: with a task buffer the next data item
/// arrives while the one before is still read, so room for the largest data is kept free; all of it
/// where depth=1 says that nothing is prefetched, and never less than the largest task needs.
[[nodiscard]] std::uint64_t memory_beside_prefetch(const StrategyContext& context);

}  // namespace damocles
