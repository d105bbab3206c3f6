// Lists by priority: what is fetched ahead for the first tasks, against a look at each of them.

#include "strategies/parts/ready_by_priority.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "models/rng.hpp"

namespace damocles::ready_by_priority_test {
namespace {

using Index = TaskGraph::Index;

TaskGraph random_tasks(Rng& rng, std::size_t tasks, std::size_t data) {
  TaskGraph::Parts parts;
  parts.bytes.assign(data, 1);
  for (std::size_t t = 0; t < tasks; ++t) {
    parts.add_task(
        std::vector{static_cast<Index>(rng.below(data)), static_cast<Index>(rng.below(data))}, 1);
    parts.priorities.push_back(static_cast<double>(rng.below(6)));
  }
  return TaskGraph(std::move(parts));
}

/// One list, in which every task is looked at anew.
class Looked {
 public:
  Looked(const TaskGraph& graph, const NodeMemory& memory) : graph_(graph), memory_(memory) {}

  void push(Index task) {
    const auto less_urgent = [&](Index other) {
      return graph_.priority(other) < graph_.priority(task);
    };
    list_.insert(std::find_if(list_.begin(), list_.end(), less_urgent), task);
  }
  /// The first of the least lack, of the first tasks of one priority.
  std::optional<Index> take() {
    if (list_.empty()) return std::nullopt;
    std::size_t best = 0;
    for (std::size_t at = 1; at < std::min(list_.size(), ReadyByPriority::wide); ++at) {
      if (graph_.priority(list_[at]) != graph_.priority(list_[0])) break;
      if (lack(list_[at]) < lack(list_[best])) best = at;
    }
    const Index task = list_[best];
    list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(best));
    return task;
  }
  [[nodiscard]] std::vector<DataId> hints() const {
    std::vector<DataId> loads;
    for (std::size_t at = 0; at < std::min(list_.size(), ReadyByPriority::wide); ++at) {
      for (const Index data : graph_.needed(list_[at])) {
        if (!memory_.resident(ProcessorId{1}, DataId{data})) loads.push_back(DataId{data});
      }
      if (loads.size() >= 16) break;
    }
    return loads;
  }

 private:
  [[nodiscard]] std::size_t lack(Index task) const {
    std::size_t bytes = 0;
    for (const Index data : graph_.needed(task)) {
      bytes += memory_.resident(ProcessorId{1}, DataId{data}) ? 0 : 1;
    }
    return bytes;
  }

  const TaskGraph& graph_;
  const NodeMemory& memory_;
  std::vector<Index> list_;
};

TEST(ReadyByPriority, FetchesAheadWhatALookAtEveryTaskFinds) {
  constexpr ProcessorId processor{1};
  for (const std::uint64_t one_in : {2U, 30U, 400U}) {
    Rng rng(1, Draw::test, one_in);
    const TaskGraph graph = random_tasks(rng, 2000, 60);
    NodeMemory memory(2, graph.data());
    for (std::uint64_t data = 0; data < graph.data(); ++data) memory.load(processor, DataId{data});
    ReadyByPriority lists(graph, memory, 2, ReadyByPriority::wide);
    Looked looked(graph, memory);
    for (Index task = 0; task < graph.tasks(); ++task) {
      lists.push(processor, task);
      looked.push(task);
      const DataId data{rng.below(graph.data())};
      if (rng.below(one_in) == 0) memory.evict(processor, data);
      if (rng.below(2) == 0) memory.load(processor, data);
      if (task % 97 == 96) {  // more at once than is remembered
        for (std::uint64_t one = 0; one < graph.data(); ++one) {
          if (rng.below(2) == 0) memory.evict(processor, DataId{one});
          if (rng.below(2) == 0) memory.load(processor, DataId{one});
        }
      }
      // More come than go at first, so that lists are longer than what is looked at.
      if (rng.below(5) < (task < 1000 ? 3U : 5U)) {
        ASSERT_EQ(lists.take(processor), looked.take()) << one_in << ' ' << task;
      }
      std::vector<DataId> loads;
      lists.hint_next(processor, loads);
      ASSERT_EQ(loads, looked.hints()) << one_in << ' ' << task;
    }
    while (lists.size(processor) > 0) {
      ASSERT_EQ(lists.take(processor), looked.take());
      std::vector<DataId> loads;
      lists.hint_next(processor, loads);
      ASSERT_EQ(loads, looked.hints());
    }
  }
}

}  // namespace
}  // namespace damocles::ready_by_priority_test
