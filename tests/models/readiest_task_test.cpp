#include "models/readiest_task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "models/rng.hpp"
#include "models/workload.hpp"

namespace damocles::readiest_task_test {
namespace {

using Index = TaskGraph::Index;

ReadiestTask<int> readiest_of(const TaskGraph& graph, int weight) {
  return {graph, std::vector(graph.data(), weight), std::numeric_limits<int>::max()};
}

/// Adds up the weights of every task in view.
class NaiveReadiestTask {
 public:
  NaiveReadiestTask(const TaskGraph& graph, int weight)
      : graph_(graph), weights_(graph.data(), weight) {}

  void append(Index task) { tasks_.push_back({task}); }
  void enter(Index place) { tasks_[place].in_view = true; }
  void leave(Index place) { tasks_[place].in_view = false; }
  void weigh(Index data, int weight) { weights_[data] = weight; }
  [[nodiscard]] Index first() const {
    const auto least = std::min_element(
        tasks_.begin(), tasks_.end(),
        [&](const Listed& one, const Listed& other) { return lack(one) < lack(other); });
    return static_cast<Index>(least - tasks_.begin());
  }

 private:
  struct Listed {
    Index task;
    bool in_view = false;
  };
  [[nodiscard]] int lack(const Listed& one) const {
    if (!one.in_view) return std::numeric_limits<int>::max();
    int sum = 0;
    for (const Index data : graph_.inputs(one.task)) sum += weights_[data];
    return sum;
  }

  const TaskGraph& graph_;
  std::vector<int> weights_;
  std::vector<Listed> tasks_;
};

TEST(ReadiestTask, IsTheFirstOfThoseThatLackLeast) {
  // Task 3 i + j reads the data items i and 3 + j.
  const auto workload = Workload::parse("gemm2d:n=3");
  auto tasks = readiest_of(workload.graph(), 2);
  for (const Index task : {0, 4, 1}) tasks.append(task);
  for (const Index place : {0, 1, 2}) tasks.enter(place);
  EXPECT_EQ(tasks.first(), 0U);
  tasks.weigh(1, 0);
  EXPECT_EQ(tasks.first(), 1U);
  tasks.leave(1);
  tasks.weigh(4, 1);
  EXPECT_EQ(tasks.first(), 2U);
}

// Weights fall and rise as those of data items that are loaded, evicted and on their way; tasks
// come again, as stolen ones do.
TEST(ReadiestTask, AgreesWithASumOverAllTasks) {
  for (const std::string text : {"gemm2d:n=7", "gemm3d:n=4,c=yes", "sparse2d:n=9,density=0.4"}) {
    const auto workload = Workload::parse(text);
    const TaskGraph& graph = workload.graph();
    auto tasks = readiest_of(graph, 256);
    NaiveReadiestTask naive(graph, 256);
    Rng rng(1, Draw::test, graph.tasks());
    const auto both = [&](auto&& change) {
      change(tasks);
      change(naive);
    };
    std::vector<Index> to_come;
    Index places = 0;
    std::size_t in_view = 0;
    for (int step = 0; step < 3000; ++step) {
      if (rng.below(4) == 0) {
        const auto task = static_cast<Index>(rng.below(graph.tasks()));
        both([&](auto& all) { all.append(task); });
        to_come.push_back(places++);
      }
      if (!to_come.empty() && rng.below(3) == 0) {
        both([&](auto& all) { all.enter(to_come.back()); });
        to_come.pop_back();
        ++in_view;
      }
      const auto data = static_cast<Index>(rng.below(graph.data()));
      const int weight = std::array{0, 0, 256, 257}[rng.below(4)];
      both([&](auto& all) { all.weigh(data, weight); });
      if (in_view == 0) continue;
      const Index first = tasks.first();
      ASSERT_EQ(first, naive.first()) << text << " step " << step;
      if (rng.below(5) > 0) continue;
      both([&](auto& all) { all.leave(first); });
      --in_view;
    }
  }
}

}  // namespace
}  // namespace damocles::readiest_task_test
