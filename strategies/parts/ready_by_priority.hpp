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
      : graph_(graph), memory_(memory), lists_(graph, processors), view_(view) {}

  void push(ProcessorId processor, Index task) { lists_.push(processor, task); }
  [[nodiscard]] std::size_t size(ProcessorId processor) const { return lists_.size(processor); }
  /// Takes the task that goes next, if there is one.
  std::optional<Index> take(ProcessorId processor) {
    return take(processor, [](Index) { return true; });
  }
  /// The same of those with may(task); of others only the first is passed over in a view.
  template <typename May>
  std::optional<Index> take(ProcessorId processor, May&& may) {
    if (lists_.empty(processor)) return std::nullopt;
    if (!may(lists_.first(processor))) return lists_.take_first_if(processor, may);
    return lists_.take_least(processor, view_, [&](Index task) {
      return may(task) ? lack(processor, task) : std::numeric_limits<std::uint64_t>::max();
    });
  }
  /// Adds what the next tasks of the list lack.
  void wish_for_next(ProcessorId processor, std::vector<DataId>& loads) const {
    constexpr std::size_t loads_ahead = 16;
    std::size_t tasks_ahead = wide;
    lists_.for_each_while(processor, [&](Index task) {
      for (const Index data : graph_.needed(task)) {
        if (!memory_.resident(processor, DataId{data})) loads.push_back(DataId{data});
      }
      return loads.size() < loads_ahead && --tasks_ahead > 0;
    });
  }
  /// Listed tasks that access the data.
  [[nodiscard]] std::uint32_t uses(ProcessorId processor, DataId data) const {
    return lists_.uses(processor, static_cast<Index>(raw(data)));
  }

 private:
  [[nodiscard]] std::uint64_t lack(ProcessorId processor, Index task) const {
    std::uint64_t bytes = 0;
    for (const Index data : graph_.needed(task)) {
      if (!memory_.resident(processor, DataId{data})) bytes += graph_.bytes(data);
    }
    return bytes;
  }

  const TaskGraph& graph_;
  const NodeMemory& memory_;
  PriorityLists lists_;
  std::size_t view_;
};

}  // namespace damocles
