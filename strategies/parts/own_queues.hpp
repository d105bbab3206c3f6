#pragma once

#include <cstdint>
#include <optional>

#include "models/platforms/durations.hpp"
#include "models/winner_tree.hpp"
#include "strategies/parts/priority_lists.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// A queue of ready tasks for each processor. A policy says in which queue a task waits, and from
/// which queue a processor steals when its own holds nothing for it. A processor takes the first
/// task of its own queue that it can run. A thief takes the task that was pushed last, among those
/// of the highest priority that it can run.
///
/// Source: StarPU handbook, "Non Performance Modelling Policies"; the thief's end: StarPU's code
/// (docs/explanation/peers.md).
class OwnQueues : public Strategy {
 public:
  using Index = TaskGraph::Index;

  void on_finished(ProcessorId processor, TaskId) override { freed_by_ = processor; }
  std::optional<ProcessorId> on_ready(TaskId task) override;
  void request(ProcessorId processor, Grant& grant) override;
  [[nodiscard]] bool exhausted() const override { return waiting_ == 0; }

 protected:
  using Order = PriorityLists::Order;

  OwnQueues(const StrategyContext& context, Order order);

  /// For the constructor of a policy: where no task waits for others all are submitted at once.
  void submit_all();

  /// In whose queue the task waits; it can run it, or others steal.
  virtual ProcessorId place(Index task) = 0;
  /// Takes a task for the thief from another queue, if it steals and there is one.
  virtual std::optional<Index> steal(ProcessorId) { return std::nullopt; }
  /// Whether processors steal.
  [[nodiscard]] virtual bool steals() const { return false; }

  /// The processor that ended the last of those the task waited for; of tasks that wait for none
  /// one after the other in turn.
  ProcessorId who_freed_it() { return freed_by_.value_or(in_turn()); }
  /// One after the other.
  ProcessorId in_turn() { return ProcessorId{turn_++ % processors_}; }
  /// Takes a task for the thief from this queue, if one is there that it can run.
  std::optional<Index> steal_from(ProcessorId victim, ProcessorId thief);
  /// Takes one from the next neighbour's queue that has one, by id and round again.
  std::optional<Index> steal_from_neighbour(ProcessorId thief);
  /// Takes one from the queue that has most, of those that have one for the thief; ties: the lowest
  /// id.
  std::optional<Index> steal_from_most_loaded(ProcessorId thief);

  [[nodiscard]] std::uint32_t processors() const { return processors_; }
  [[nodiscard]] bool runs(ProcessorId processor, Index task) const {
    return durations_.runs(raw(processor), task);
  }
  [[nodiscard]] const Durations& durations() const { return durations_; }

 private:
  /// The task has left the queue.
  std::optional<Index> taken(ProcessorId from, std::optional<Index> task);
  void note_length(ProcessorId of) {
    lengths_.set(raw(of), -static_cast<std::int64_t>(queues_.size(of)));
  }

  const Workload& workload_;
  std::uint32_t processors_;
  Durations durations_;
  PriorityLists queues_;
  WinnerTree<std::int64_t> lengths_{0};  // of each queue, negative: the longest is the best
  std::uint64_t waiting_ = 0;            // in all queues
  std::optional<ProcessorId> freed_by_;  // who ended a task last
  std::uint32_t turn_ = 0;
};

}  // namespace damocles
