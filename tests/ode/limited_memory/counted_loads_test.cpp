#include "ode/limited_memory/counted_loads.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "models/platforms/scenario.hpp"
#include "models/rng.hpp"

namespace damocles::counted_loads_test {
namespace {

using Index = TaskGraph::Index;

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

TEST(LruLoads, AreThoseOfStackDistancesWhereTasksReadOneItem) {
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
    ASSERT_EQ(lru_loads(graph, list, memory), loads_by_stack_distance(graph, list, memory)) << draw;
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

TEST(LruLoads, AreThoseOfAPlainMemory) {
  for (std::uint64_t draw = 0; draw < 100; ++draw) {
    Rng rng(2, Draw::test, draw);
    const TaskGraph graph = drawn_graph(rng, 80, 3 + rng.below(20));
    const TaskSequence list = drawn_list(rng, graph.tasks());
    const std::size_t room = 3 + rng.below(20);
    ASSERT_EQ(lru_loads(graph, list, room), plain_lru_loads(graph, list, room)) << draw;
  }
}

/// Nothing is fetched ahead where transfers take longer than the tasks of a list: the reference
/// looks at all tasks at every turn.
LoadsByTask plain_ready_loads(const LimitedRun& run, TaskSequence list, bool fewest) {
  PlainMemory memory{run.memory};
  memory.used.resize(run.data());
  std::vector<char> evicted(run.data(), 0);
  std::size_t clock = 0;
  LoadsByTask loads;
  while (!list.empty()) {
    const auto lacks = [&](Index task) {
      int key = 0;
      for (const Index item : run.graph->inputs(task)) {
        key += memory.used[item] ? 0 : 100 + evicted[item];
      }
      return key;
    };
    auto best = list.begin();
    for (auto at = list.begin(); fewest && at != list.end(); ++at) {
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

TEST(LoadsWithPrefetch, AreThoseOfAPlainMemoryWhereTransfersAreSlow) {
  for (std::uint64_t draw = 0; draw < 60; ++draw) {
    Rng rng(3, Draw::test, draw);
    const auto workload =
        Workload::parse(fmt::format("gemm2d:m={},n={}", 2 + rng.below(9), 2 + rng.below(9)));
    const auto platform =
        Scenario::parse(fmt::format("gpus:k=1,bandwidth=1MB/s,memory={}data", 5 + rng.below(9)))
            .draw(1, 0);
    const LimitedRun run = limited_run(workload, platform, "lru");
    TaskSequence list = drawn_list(rng, run.tasks());
    list.resize(1 + list.size() / 2);
    std::sort(list.begin(), list.end());
    EXPECT_EQ(loads_with_prefetch(run, list, TakenFirst::fewest_loads),
              plain_ready_loads(run, list, true))
        << draw;
    EXPECT_EQ(loads_with_prefetch(run, list, TakenFirst::first),
              plain_ready_loads(run, list, false))
        << draw;
  }
}

TEST(LoadsWithPrefetch, LoadNothingTwiceWhereAllFits) {
  const auto workload = Workload::parse("gemm2d:n=12");
  for (const char* const bandwidth : {"1MB/s", "12GB/s", "900GB/s"}) {
    const auto platform =
        Scenario::parse(fmt::format("gpus:k=1,memory=24data,bandwidth={0},link={0}", bandwidth))
            .draw(1, 0);
    const LimitedRun run = limited_run(workload, platform, "lru");
    TaskSequence all(run.tasks());
    std::iota(all.begin(), all.end(), Index{0});
    for (const TakenFirst taken : {TakenFirst::first, TakenFirst::fewest_loads}) {
      const auto loads = loads_with_prefetch(run, all, taken);
      std::uint32_t sum = 0;
      for (const TaskLoads& one : loads) sum += one.needed + one.ahead;
      EXPECT_EQ(sum, 24U) << bandwidth;
    }
  }
}

}  // namespace
}  // namespace damocles::counted_loads_test
