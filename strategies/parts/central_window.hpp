#pragma once

#include <array>
#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "strategies/parts/completion_time.hpp"
#include "strategies/parts/ready_by_priority.hpp"
#include "strategies/parts/task_queues.hpp"

namespace damocles {

/// Ready tasks wait in a window above all processors; from there they go to the list of the
/// processor where they should complete first, while its list has room. A list is sorted by
/// priority; of one priority the task goes first that lacks the fewest bytes.
///
/// A task whose list is full keeps the others waiting: a policy places the next one when there is
/// room again. So what is decided is decided late, when more is known of the run.
/// Source: StarPU handbook, "Modularized Schedulers"; room for 30 tasks as in its code.
class CentralWindow : public Strategy {
 public:
  using Index = TaskGraph::Index;
  /// Who shares a list: nobody, or all that compute in one memory.
  enum class Lists { one_a_processor, one_a_memory };

  std::optional<ProcessorId> on_ready(TaskId task) override;
  void on_started(ProcessorId processor, TaskId task) override;
  void on_finished(ProcessorId processor, TaskId task) override;
  void request(ProcessorId processor, Grant& grant) override;
  [[nodiscard]] bool consume_wakeup() override { return std::exchange(wake_, false); }
  [[nodiscard]] bool exhausted() const override { return settled_ && listed_.none(); }
  [[nodiscard]] bool may_grant(ProcessorId processor) const override {
    return !settled_ || listed_.test(raw(list_of(processor)));
  }
  [[nodiscard]] const boost::dynamic_bitset<>* all_it_may_grant() const override {
    return settled_ && !any_shared_ ? &listed_ : nullptr;
  }
  [[nodiscard]] bool waits_for_inputs() const override { return true; }
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId processor, DataId data) const override {
    return lists_.uses(list_of(processor), data);
  }

 protected:
  CentralWindow(const StrategyContext& context, Lists lists);

  /// For the constructor of a policy: where no task waits for others all are submitted at once.
  void submit_all();

  /// A task comes into the window.
  virtual void enter(Index task) = 0;
  /// Puts a task of the window on a list, by put(). A function of the window, of times() and of
  /// has_room() alone: while they stay as they are it is not asked again. @return whether it did
  virtual bool place_one() = 0;

  [[nodiscard]] CompletionTimes& times() { return times_; }
  [[nodiscard]] bool has_room(ProcessorId processor) const {
    return lists_.size(list_of(processor)) < room_;
  }
  void put(Index task, const CompletionTimes::Choice& choice);

 private:
  void place_all();
  std::optional<Index> take(ProcessorId processor);
  /// The first processor of those that share its list.
  [[nodiscard]] ProcessorId list_of(ProcessorId processor) const {
    return list_of_[raw(processor)];
  }

  const Workload& workload_;
  CompletionTimes times_;
  Durations durations_;
  std::vector<ProcessorId> list_of_;
  std::vector<bool> shared_;  // whether others draw from its list
  bool any_shared_ = false;
  ReadyByPriority lists_;
  std::uint64_t room_;
  std::vector<ProcessorId> allotted_to_;  // of each task
  std::vector<ProcessorId> placed_;       // whose lists got a task since the last question
  bool wake_ = false;
  bool settled_ = false;            // nothing has changed since place_one() found nothing to do
  boost::dynamic_bitset<> listed_;  // by processor: whether its list has tasks
};

/// Key and meaning of the option that says how much room a list has.
[[nodiscard]] StrategyOption room_option();

/// A window sorted by priority, of which the first `looked_at` tasks, if of one priority, may go
/// next: the one whose soonest and latest end are the farthest apart, to whom it matters most;
/// ties: the first.
class PriorityWindow : public CentralWindow {
 protected:
  PriorityWindow(const StrategyContext& context, std::size_t looked_at,
                 Lists lists = Lists::one_a_processor)
      : CentralWindow(context, lists), graph_(context.workload.graph()), looked_at_(looked_at) {
    submit_all();
  }

 private:
  void enter(Index task) final { window_.insert({-graph_.priority(task), came_++, task}); }
  bool place_one() final;

  const TaskGraph& graph_;
  std::size_t looked_at_;
  std::set<WaitingTask> window_;
  std::int64_t came_ = 0;
};

}  // namespace damocles
