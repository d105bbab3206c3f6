#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/ids.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// A list of tasks for each processor, in an order that is fixed before the start: the next task of
/// a list is taken when it is ready, and none before it.
class FixedLists {
 public:
  using Index = TaskGraph::Index;

  /// @param lists  of each processor, together each task once; the graph outlives it
  FixedLists(const TaskGraph& graph, std::vector<std::vector<Index>> lists)
      : graph_(graph),
        lists_(std::move(lists)),
        on_(graph.tasks(), ProcessorId{0}),
        ready_(graph.tasks(), false),
        next_(lists_.size(), 0),
        uses_(lists_.size(), std::vector<std::uint32_t>(graph.data(), 0)) {
    for (std::uint32_t p = 0; p < lists_.size(); ++p) {
      for (const Index task : lists_[p]) on_[task] = ProcessorId{p};
    }
  }

  /// The task may be taken from now on. @return the processor in whose list it is
  ProcessorId make_ready(Index task) {
    const ProcessorId on = on_[task];
    ready_[task] = true;
    for (const Index data : graph_.inputs(task)) ++uses_[raw(on)][data];
    return on;
  }
  /// Takes the next task of the list, if it is ready.
  std::optional<Index> take(ProcessorId processor) {
    const auto& list = lists_[raw(processor)];
    std::size_t& next = next_[raw(processor)];
    if (next == list.size() || !ready_[list[next]]) return std::nullopt;
    for (const Index data : graph_.inputs(list[next])) --uses_[raw(processor)][data];
    return list[next++];
  }
  /// Ready tasks of the list that access the data.
  [[nodiscard]] std::uint32_t uses(ProcessorId processor, Index data) const {
    return uses_[raw(processor)][data];
  }
  /// Calls visit(task) for each of the next `view` tasks of the list that is ready, in its order,
  /// while it returns true.
  template <typename Visit>
  void for_each_ready_while(ProcessorId processor, std::size_t view, Visit&& visit) const {
    const auto& list = lists_[raw(processor)];
    for (std::size_t at = next_[raw(processor)]; at < list.size() && view > 0; ++at, --view) {
      if (ready_[list[at]] && !visit(list[at])) return;
    }
  }

 private:
  const TaskGraph& graph_;
  std::vector<std::vector<Index>> lists_;
  std::vector<ProcessorId> on_;                   // by task
  std::vector<bool> ready_;                       // by task
  std::vector<std::size_t> next_;                 // in each list
  std::vector<std::vector<std::uint32_t>> uses_;  // by processor and data
};

}  // namespace damocles
