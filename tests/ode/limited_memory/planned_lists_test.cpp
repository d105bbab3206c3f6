// Lists with a plan of their loads, followed along a run.

#include "ode/limited_memory/planned_lists.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace damocles::planned_lists_test {
namespace {

using Index = TaskGraph::Index;

/// Tasks of one input each that take 2 s; a load takes 1 s.
struct PlannedRunOfOneInput {
  PlannedRunOfOneInput(const std::vector<Index>& items, std::size_t processors, std::size_t memory)
      : graph(tasks_that_read(items)) {
    run.graph = &graph;
    run.processors = processors;
    run.memory = memory;
    run.depth = 2;
    run.task_s = 2;
    run.bus_s = run.link_s = 1;
  }
  static TaskGraph tasks_that_read(const std::vector<Index>& items) {
    TaskGraph::Parts parts;
    parts.bytes.assign(8, 1);
    for (const Index item : items) parts.add_task(std::vector<Index>{item}, 1);
    return TaskGraph(std::move(parts));
  }

  TaskGraph graph;
  LimitedRun run;
};

TEST(PlannedLists, LoadAheadOnceDue) {
  // The buffer holds two tasks; what the last one reads is loaded when the first has started.
  const PlannedRunOfOneInput two({0, 0, 0, 1}, 1, 2);
  PacedOrder plan{.order = {0, 1, 2, 3}, .loads = {}};
  plan.loads = {{.data = 0, .after = 0, .first = 0}, {.data = 1, .after = 1, .first = 3}};
  const LimitedPrediction planned = predict_plans(two.run, {plan});
  EXPECT_DOUBLE_EQ(planned.loads, 2);
  EXPECT_DOUBLE_EQ(planned.makespan_s, 9);
}

TEST(PlannedLists, StealHalfOfTheLongestList) {
  // The second has computed its own task, and takes some of the six of the first.
  const PlannedRunOfOneInput two({0, 0, 0, 0, 0, 0, 1}, 2, 2);
  PacedOrder longer{.order = {0, 1, 2, 3, 4, 5}, .loads = {}};
  PacedOrder shorter{.order = {6}, .loads = {}};
  const LimitedPrediction stolen = predict_plans(two.run, {longer, shorter});
  EXPECT_DOUBLE_EQ(stolen.loads, 3);
  EXPECT_LT(stolen.makespan_s, 12);
}

TEST(PlannedLists, LeaveProcessorsThatAreToRestAlone) {
  const PlannedRunOfOneInput two({0, 0, 0, 0, 0, 0}, 2, 2);
  const LimitedPrediction resting =
      predict_plans(two.run, {{.order = {0, 1, 2, 3, 4, 5}, .loads = {}}, {}});
  EXPECT_DOUBLE_EQ(resting.loads, 1);
  EXPECT_DOUBLE_EQ(resting.makespan_s, 13);
}

}  // namespace
}  // namespace damocles::planned_lists_test
