#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/rng.hpp"
#include "models/workloads/tiled_workloads.hpp"

namespace damocles::random_order_test {
namespace {

using Index = TaskGraph::Index;
using Parts = TaskGraph::Parts;

/// A graph of everything a graph can have; task t is named "task t", and all else about it is
/// drawn.
Parts drawn_parts(std::uint64_t seed) {
  Rng rng(seed, Draw::workload, 7);
  Parts parts;
  const std::size_t data = 1 + rng.below(6);
  for (std::size_t d = 0; d < data; ++d) {
    parts.bytes.push_back(1 + rng.below(100));
    parts.data_names.push_back("data " + std::to_string(d));
  }
  const std::size_t tasks = 1 + rng.below(12);
  for (std::size_t t = 0; t < tasks; ++t) {
    std::vector<Index> reads;
    for (std::size_t d = 0; d < data; ++d) {
      if (rng.below(2) == 0) reads.push_back(static_cast<Index>(d));
    }
    parts.add_task(reads, static_cast<double>(rng.below(1000)));
    parts.output_bytes.push_back(rng.below(1000));
    parts.priorities.push_back(static_cast<double>(rng.below(1000)));
    parts.task_names.push_back("task " + std::to_string(t));
    for (std::size_t before = 0; before < t; ++before) {
      if (rng.below(4) != 0) continue;
      parts.dependencies.emplace_back(static_cast<Index>(t), static_cast<Index>(before));
    }
  }
  return parts;
}

/// What is known of a task but its place.
struct Known {
  std::vector<Index> inputs;
  double flops = 0;
  std::uint64_t output_bytes = 0;
  double priority = 0;
  std::multiset<std::string> waits_for;

  friend bool operator==(const Known&, const Known&) = default;
};

std::map<std::string, Known> by_name(const TaskGraph& graph) {
  std::map<std::string, Known> result;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<Index>(t);
    const auto inputs = graph.inputs(task);
    result[graph.task_name(task)] = {{inputs.begin(), inputs.end()},
                                     graph.flops(task),
                                     graph.output_bytes(task),
                                     graph.priority(task),
                                     {}};
  }
  for (const auto& [task, before] : graph.parts().dependencies) {
    result.at(graph.task_name(task)).waits_for.insert(graph.task_name(before));
  }
  return result;
}

TEST(RandomOrder, KeepsAllThatAGraphHas) {
  std::size_t moved = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const TaskGraph graph(drawn_parts(seed));
    const TaskGraph shuffled(in_random_order(graph.parts(), seed));

    ASSERT_EQ(by_name(shuffled), by_name(graph)) << "seed " << seed;
    ASSERT_EQ(by_name(shuffled).size(), graph.tasks());
    ASSERT_EQ(shuffled.parts().bytes, graph.parts().bytes);
    ASSERT_EQ(shuffled.parts().data_names, graph.parts().data_names);
    moved += shuffled.parts().task_names != graph.parts().task_names ? 1U : 0U;
  }
  // Of up to 12 tasks each order is equally likely: the identity in 1/12 sum 1/k! = 14 % of runs.
  EXPECT_GT(moved, 200U);
}

TEST(RandomOrder, AddsNothingThatAGraphLacks) {
  Parts plain;
  plain.bytes = {1};
  for (int task = 0; task < 3; ++task) plain.add_task(std::vector<Index>{0}, 1);

  const Parts shuffled = in_random_order(plain, 1);

  EXPECT_TRUE(shuffled.output_bytes.empty());
  EXPECT_TRUE(shuffled.priorities.empty());
  EXPECT_TRUE(shuffled.dependencies.empty());
  EXPECT_TRUE(shuffled.task_names.empty());
  EXPECT_TRUE(shuffled.data_names.empty());
}

}  // namespace
}  // namespace damocles::random_order_test
