#include "strategies/runtime/ready_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "models/rng.hpp"
#include "tests/strategies/writing_graphs.hpp"

namespace damocles::ready_tasks_test {
namespace {

using Index = TaskGraph::Index;

bool commute_on_one_data(const TaskGraph& graph, Index a, Index b) {
  bool found = false;
  graph.for_each_access(a, [&](Index data, Access one) {
    graph.for_each_access(b, [&](Index other, Access two) {
      found = found || (data == other && commutes(one) && commutes(two));
    });
  });
  return found;
}

/// What is ready, found by looking at all tasks in the order of submission, again and again.
class ByLooking {
 public:
  explicit ByLooking(const TaskGraph& graph)
      : graph_(graph), ready_(graph.tasks(), false), ended_(graph.tasks(), false) {}

  std::vector<Index> become_ready() {
    std::vector<Index> result;
    for (Index task = 0; task < graph_.tasks(); ++task) {
      if (ready_[task] || held_up(task)) continue;
      ready_[task] = true;
      result.push_back(task);
    }
    return result;
  }
  void end(Index task) { ended_[task] = true; }

 private:
  [[nodiscard]] bool held_up(Index task) const {
    for (Index other = 0; other < graph_.tasks(); ++other) {
      if (ended_[other]) continue;
      if (graph_.dependencies().waits(task, other)) return true;
      if (ready_[other] && commute_on_one_data(graph_, task, other)) return true;
    }
    return false;
  }

  const TaskGraph& graph_;
  std::vector<bool> ready_;
  std::vector<bool> ended_;
};

/// However they end, all tasks become ready, those that wait for nobody and have their data as soon
/// as that is so, and no two at once that commute on one data item.
TEST(ReadyTasks, AreThoseFoundByLookingAtAll) {
  Rng rng(7, Draw::test, 0);
  std::size_t turns = 0;
  for (int run = 0; run < 2000; ++run) {
    const TaskGraph graph = drawn_writing_graph(rng);
    if (!graph.ordered()) continue;
    ReadyTasks tasks(graph);
    ByLooking definition(graph);
    std::vector<Index> told;
    const auto tell = [&](Index task) { told.push_back(task); };
    tasks.for_each_first(tell);
    ASSERT_EQ(told, definition.become_ready());
    std::vector<Index> ready = told;
    std::size_t ended = 0;
    while (!ready.empty()) {
      std::swap(ready[rng.below(ready.size())], ready.back());
      const Index task = ready.back();
      ready.pop_back();
      ++ended;
      definition.end(task);
      told.clear();
      tasks.ended(task, tell);
      ASSERT_EQ(told, definition.become_ready()) << "run " << run << " after " << task;
      for (const Index one : told) turns += commute_on_one_data(graph, one, task) ? 1 : 0;
      ready.insert(ready.end(), told.begin(), told.end());
    }
    ASSERT_EQ(ended, graph.tasks());
  }
  EXPECT_GT(turns, 1000U);
}

}  // namespace
}  // namespace damocles::ready_tasks_test
