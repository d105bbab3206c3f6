#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "models/runs/node_memory.hpp"
#include "strategies/parts/priority_lists.hpp"

namespace damocles {

/// A list of tasks for each processor, the highest priority first; of the first tasks of one
/// priority the one that lacks the fewest bytes. What those lack that were looked at is kept as
/// data items come and go: each time costs as much as there are of them that read the data item.
class ReadyByPriority {
 public:
  using Index = TaskGraph::Index;

  /// Tasks looked at in a grant. Only where thousands are ready at once does that leave some out.
  static constexpr std::size_t wide = 128;

  /// @param view  how many tasks are looked at; 1: the first is taken, whatever it lacks. Graph and
  ///              memory outlive it.
  ReadyByPriority(const TaskGraph& graph, const NodeMemory& memory, std::size_t processors,
                  std::size_t view)
      : graph_(graph),
        memory_(memory),
        lists_(graph, processors),
        view_(view),
        came_(graph.tasks()),
        lacks_(graph.tasks()),
        readers_(graph.data()),
        known_(processors),
        heads_(processors) {
    memory.remember_changes();
    for (Known& one : known_) one.since = ++questions_;
  }

  /// @pre the task was never listed
  void push(ProcessorId processor, Index task) {
    const auto entry = lists_.push(processor, task);
    came_[task] = std::get<std::uint64_t>(entry);
    Head& head = heads_[raw(processor)];
    if (!head.last || *head.last < entry) return;
    follow_memory(processor);
    if (lack(processor, task) == 0) {
      ++head.tasks;
    } else {
      head = {};
    }
  }
  [[nodiscard]] std::size_t size(ProcessorId processor) const { return lists_.size(processor); }
  /// Takes the task that goes next, if there is one.
  std::optional<Index> take(ProcessorId processor) {
    return take(processor, [](Index) { return true; });
  }
  /// The same of those with may(task); of others only the first is passed over in a view.
  template <typename May>
  std::optional<Index> take(ProcessorId processor, May&& may) {
    const auto task = find_and_take(processor, may);
    if (!task) return task;
    lacks_[*task] = {.since = taken};
    Head& head = heads_[raw(processor)];
    if (!head.last) return task;
    const auto entry = lists_.entry_of(*task, came_[*task]);
    if (*head.last < entry) return task;
    --head.tasks;
    if (*head.last == entry) head.last = lists_.before(processor, entry);
    return task;
  }
  /// Adds what the next tasks of the list lack.
  void hint_next(ProcessorId processor, std::vector<DataId>& loads) {
    constexpr std::size_t loads_ahead = 16;
    Head& head = heads_[raw(processor)];
    const std::uint64_t evictions = memory_.evictions(processor);
    if (head.evictions != evictions) head = {.evictions = evictions};
    if (head.tasks >= wide) return;
    follow_memory(processor);
    std::size_t tasks_ahead = wide - head.tasks;
    lists_.for_each_behind_while(processor, head.last, [&](const PriorityLists::Entry& entry) {
      const auto task = std::get<Index>(entry);
      if (lack(processor, task) > 0) {
        for (const Index data : graph_.needed(task)) {
          if (!memory_.resident(processor, DataId{data})) loads.push_back(DataId{data});
        }
      } else if (loads.empty()) {
        head.last = entry;
        ++head.tasks;
      }
      return loads.size() < loads_ahead && --tasks_ahead > 0;
    });
  }
  /// Listed tasks that access the data.
  [[nodiscard]] std::uint32_t uses(ProcessorId processor, DataId data) const {
    return lists_.uses(processor, static_cast<Index>(raw(data)));
  }

 private:
  /// The first tasks of a list, which lacked nothing when so much had left the memory.
  struct Head {
    std::uint64_t evictions = 0;
    std::size_t tasks = 0;
    std::optional<PriorityLists::Entry> last{};
  };

  template <typename May>
  std::optional<Index> find_and_take(ProcessorId processor, May&& may) {
    if (lists_.empty(processor)) return std::nullopt;
    if (!may(lists_.first(processor))) return lists_.take_first_if(processor, may);
    follow_memory(processor);
    return lists_.take_least(processor, view_, [&](Index task) {
      return may(task) ? lack(processor, task) : std::numeric_limits<std::uint64_t>::max();
    });
  }
  /// Corrects what is known of tasks whose data came or went since the last call.
  void follow_memory(ProcessorId processor) {
    Known& known = known_[raw(processor)];
    const std::uint64_t before = std::exchange(known.changes, memory_.changes(processor));
    if (before == known.changes) return;
    const auto correct = [&](DataId data, bool came) {
      const std::uint64_t bytes = graph_.bytes(static_cast<Index>(raw(data)));
      auto& readers = readers_[raw(data)];
      std::size_t kept = 0;
      for (const Index task : readers) {
        Lack& its = lacks_[task];
        if (its.since == taken) continue;
        readers[kept++] = task;
        if (its.since == known.since) its.bytes += came ? -bytes : bytes;
      }
      readers.resize(kept);
    };
    if (!memory_.for_each_change(processor, before, correct)) known.since = ++questions_;
  }
  /// Bytes that the listed task lacks. @pre follow_memory(processor)
  [[nodiscard]] std::uint64_t lack(ProcessorId processor, Index task) {
    Lack& its = lacks_[task];
    const std::uint64_t since = known_[raw(processor)].since;
    if (its.since == since) return its.bytes;
    const bool first_look = std::exchange(its.since, since) == 0;
    its.bytes = 0;
    for (const Index data : graph_.needed(task)) {
      if (first_look) readers_[data].push_back(task);
      if (!memory_.resident(processor, DataId{data})) its.bytes += graph_.bytes(data);
    }
    return its.bytes;
  }

  static constexpr std::uint64_t taken = std::numeric_limits<std::uint64_t>::max();
  /// What a task lacks, if that is known since its processor knows anything.
  struct Lack {
    std::uint64_t bytes = 0;
    std::uint64_t since = 0;  // 0: it was never looked at
  };
  /// What was last looked at of a processor's memory.
  struct Known {
    std::uint64_t changes = 0;
    std::uint64_t since = 0;  // another number for each processor, and after each gap
  };

  const TaskGraph& graph_;
  const NodeMemory& memory_;
  PriorityLists lists_;
  std::size_t view_;
  std::vector<std::uint64_t> came_;          // of each task that was listed
  std::vector<Lack> lacks_;                  // of each task
  std::vector<std::vector<Index>> readers_;  // by data: listed tasks that were looked at
  std::vector<Known> known_;                 // by processor
  std::uint64_t questions_ = 0;
  std::vector<Head> heads_;  // by processor
};

}  // namespace damocles
