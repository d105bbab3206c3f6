// What lists load in a memory: against definitions and plain searches.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "models/rng.hpp"
#include "ode/limited_memory/buffered_memory.hpp"
#include "ode/limited_memory/viewed_list.hpp"

namespace damocles::loads_of_lists_test {
namespace {

using Index = TaskGraph::Index;
constexpr std::size_t all_tasks = ListView::whole;

/// Tasks that read one to three of some data items.
TaskGraph drawn_graph(Rng& rng, std::size_t tasks, std::size_t data) {
  TaskGraph::Parts parts;
  parts.bytes.assign(data, 1);
  for (std::size_t t = 0; t < tasks; ++t) {
    std::vector<Index> inputs(1 + rng.below(3));
    for (Index& one : inputs) one = static_cast<Index>(rng.below(data));
    parts.add_task(inputs, 1);
  }
  return TaskGraph(std::move(parts));
}

TaskSequence drawn_list(Rng& rng, std::size_t tasks) {
  TaskSequence list(tasks);
  std::iota(list.begin(), list.end(), Index{0});
  rng.shuffle(std::span<Index>(list));
  return list;
}

/// By definition: a data item is missing if as many others as fit were read since its last use.
LoadsByTask loads_by_stack_distance(const TaskGraph& graph, const TaskSequence& list,
                                    std::size_t memory) {
  LoadsByTask loads;
  std::vector<Index> read;  // in the order of the last use, the latest last
  for (const Index task : list) {
    const Index item = graph.inputs(task).front();
    const auto at = std::find(read.begin(), read.end(), item);
    const auto distance = static_cast<std::size_t>(read.end() - at);
    loads.push_back({.task = task, .needed = at == read.end() || distance > memory ? 1U : 0U});
    std::erase(read, item);
    read.push_back(item);
  }
  return loads;
}

/// Each task is taken when the one before has ended.
LoadsByTask one_by_one(const TaskGraph& graph, const TaskSequence& list, std::size_t room) {
  LimitedRun run;
  run.graph = &graph;
  run.memory = room;
  BufferedMemory memory(run);
  LoadsByTask loads;
  for (const Index task : list) {
    memory.take(task);
    loads.push_back(*memory.request(1));
  }
  return loads;
}

TEST(BufferedMemory, LoadsWhatStackDistancesSayWhereTasksReadOneItem) {
  for (std::uint64_t draw = 0; draw < 100; ++draw) {
    Rng rng(1, Draw::test, draw);
    TaskGraph::Parts parts;
    const std::size_t data = 1 + rng.below(12);
    parts.bytes.assign(data, 1);
    for (int t = 0; t < 60; ++t) {
      parts.add_task(std::vector<Index>{static_cast<Index>(rng.below(data))}, 1);
    }
    const TaskGraph graph(std::move(parts));
    const TaskSequence list = drawn_list(rng, graph.tasks());
    const std::size_t memory = 1 + rng.below(12);
    ASSERT_EQ(one_by_one(graph, list, memory), loads_by_stack_distance(graph, list, memory))
        << draw;
  }
}

/// A memory that looks at everything at every step.
struct PlainMemory {
  std::size_t room;
  std::vector<std::optional<std::size_t>> used{};  // of data items held, when last

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(
        std::count_if(used.begin(), used.end(), [](const auto& one) { return one.has_value(); }));
  }
  /// Forgets the item that was used the longest ago, of those that may go.
  template <typename May>
  std::optional<Index> forget(May&& may) {
    std::optional<Index> victim;
    for (Index item = 0; item < used.size(); ++item) {
      if (used[item] && may(item) && (!victim || *used[item] < *used[*victim])) victim = item;
    }
    if (victim) used[*victim].reset();
    return victim;
  }
};

LoadsByTask plain_lru_loads(const TaskGraph& graph, const TaskSequence& list, std::size_t room) {
  PlainMemory memory{room};
  memory.used.resize(graph.data());
  std::size_t clock = 0;
  LoadsByTask loads;
  for (const Index task : list) {
    const auto inputs = graph.inputs(task);
    std::uint32_t missing = 0;
    for (const Index item : inputs) {
      if (memory.used[item]) continue;
      ++missing;
      if (memory.size() >= room) {
        memory.forget([&](Index one) {
          return std::find(inputs.begin(), inputs.end(), one) == inputs.end();
        });
      }
      memory.used[item] = ++clock;
    }
    for (const Index item : inputs) memory.used[item] = ++clock;
    loads.push_back({.task = task, .needed = missing});
  }
  return loads;
}

TEST(BufferedMemory, LoadsWhatAPlainMemoryLoads) {
  for (std::uint64_t draw = 0; draw < 100; ++draw) {
    Rng rng(2, Draw::test, draw);
    const TaskGraph graph = drawn_graph(rng, 80, 3 + rng.below(20));
    const TaskSequence list = drawn_list(rng, graph.tasks());
    const std::size_t room = 3 + rng.below(20);
    ASSERT_EQ(one_by_one(graph, list, room), plain_lru_loads(graph, list, room)) << draw;
  }
}

/// The reference looks at all tasks in view at every turn. Evicted data items count where all tasks
/// are in view.
LoadsByTask plain_ready_loads(const LimitedRun& run, TaskSequence list, std::size_t view) {
  PlainMemory memory{run.memory};
  memory.used.resize(run.data());
  std::vector<char> evicted(run.data(), 0);
  std::size_t clock = 0;
  LoadsByTask loads;
  while (!list.empty()) {
    const auto lacks = [&](Index task) {
      int key = 0;
      for (const Index item : run.graph->inputs(task)) {
        key += memory.used[item] ? 0 : 100 + (view < all_tasks ? 0 : evicted[item]);
      }
      return key;
    };
    auto best = list.begin();
    const auto end = list.begin() + static_cast<std::ptrdiff_t>(std::min(view, list.size()));
    for (auto at = list.begin(); at != end; ++at) {
      if (lacks(*at) < lacks(*best)) best = at;
    }
    const Index task = *best;
    const auto inputs = run.graph->inputs(task);
    list.erase(best);
    std::uint32_t missing = 0;
    for (const Index item : inputs) {
      if (memory.used[item]) continue;
      ++missing;
      if (memory.size() >= run.memory) {
        const auto victim = memory.forget([&](Index one) {
          return std::find(inputs.begin(), inputs.end(), one) == inputs.end();
        });
        if (victim) evicted[*victim] = 1;
      }
      memory.used[item] = ++clock;
    }
    for (const Index item : inputs) memory.used[item] = ++clock;
    loads.push_back({.task = task, .needed = missing});
  }
  return loads;
}

TEST(ViewedListLoads, AreThoseOfAPlainMemory) {
  for (std::uint64_t draw = 0; draw < 60; ++draw) {
    Rng rng(3, Draw::test, draw);
    const auto workload =
        Workload::parse(fmt::format("gemm2d:m={},n={}", 2 + rng.below(9), 2 + rng.below(9)));
    const LimitedRun run{.graph = &workload.graph(), .memory = 5 + rng.below(9), .eviction = "lru"};
    TaskSequence tasks = drawn_list(rng, run.tasks());
    tasks.resize(1 + tasks.size() / 2);
    const auto loads = [&](const ListView& view) {
      ViewedList list(run, tasks, view);
      LoadsByTask result;
      while (list.left() > 0) result.push_back(list.take(0));
      return result;
    };
    EXPECT_EQ(loads({.tasks = all_tasks}), plain_ready_loads(run, tasks, all_tasks)) << draw;
    EXPECT_EQ(loads({.tasks = all_tasks, .in_order = true}), plain_ready_loads(run, tasks, 1));
    for (const std::size_t view : {1, 2, 7}) {
      EXPECT_EQ(loads({.tasks = view, .ahead = ListView::Ahead::in_view}),
                plain_ready_loads(run, tasks, view))
          << draw << ", view of " << view;
    }
  }
}

TEST(ViewedListLoads, BringNothingTwiceWhereAllFits) {
  const auto workload = Workload::parse("gemm2d:n=12");
  const LimitedRun run{.graph = &workload.graph(), .memory = 24, .eviction = "lru"};
  for (const bool in_order : {false, true}) {
    TaskSequence all(run.tasks());
    std::iota(all.begin(), all.end(), Index{0});
    ViewedList list(run, all, {.tasks = all_tasks, .in_order = in_order});
    std::uint32_t sum = 0;
    while (list.left() > 0) {
      sum += list.take(1).needed;
      if (sum % 2 == 0 && list.load_ahead(1)) ++sum;
      list.ahead_came();
    }
    EXPECT_EQ(sum, 24U);
  }
}

}  // namespace
}  // namespace damocles::loads_of_lists_test
