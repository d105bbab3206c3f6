#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/runs/node_memory.hpp"
#include "strategies/parts/priority_lists.hpp"

namespace damocles {

/// A list of tasks for each processor, the highest priority first; of the first tasks of one
/// priority the one that lacks the fewest bytes.
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
        complete_(graph.tasks()),
        entries_(graph.tasks()),
        heads_(processors) {}

  void push(ProcessorId processor, Index task) {
    entries_[task] = lists_.push(processor, task);
    Head& head = heads_[raw(processor)];
    if (!head.last || *head.last < entries_[task]) return;
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
    Head& head = heads_[raw(processor)];
    if (!task || !head.last || *head.last < entries_[*task]) return task;
    --head.tasks;
    if (*head.last == entries_[*task]) head.last = lists_.before(processor, entries_[*task]);
    return task;
  }
  /// Adds what the next tasks of the list lack.
  void hint_next(ProcessorId processor, std::vector<DataId>& loads) {
    constexpr std::size_t loads_ahead = 16;
    Head& head = heads_[raw(processor)];
    const std::uint64_t evictions = memory_.evictions(processor);
    if (head.evictions != evictions) head = {.evictions = evictions};
    if (head.tasks >= wide) return;
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
    return lists_.take_least(processor, view_, [&](Index task) {
      return may(task) ? lack(processor, task) : std::numeric_limits<std::uint64_t>::max();
    });
  }
  /// Bytes that the listed task lacks. What lacked nothing is looked at again when something has
  /// left the memory since.
  [[nodiscard]] std::uint64_t lack(ProcessorId processor, Index task) {
    const std::uint64_t now = memory_.evictions(processor) + 1;
    if (complete_[task] == now) return 0;
    std::uint64_t bytes = 0;
    for (const Index data : graph_.needed(task)) {
      if (!memory_.resident(processor, DataId{data})) bytes += graph_.bytes(data);
    }
    if (bytes == 0) complete_[task] = now;
    return bytes;
  }

  const TaskGraph& graph_;
  const NodeMemory& memory_;
  PriorityLists lists_;
  std::size_t view_;
  std::vector<std::uint64_t> complete_;  // of each task: 1 + evictions when it lacked nothing; or 0
  std::vector<PriorityLists::Entry> entries_;  // of each task that was listed
  std::vector<Head> heads_;                    // by processor
};

}  // namespace damocles
