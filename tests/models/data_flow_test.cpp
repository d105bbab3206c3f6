// What passes from task to task, by hand and against the last writer of each version.

#include "models/data_flow.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace damocles::data_flow_test {
namespace {

using Index = TaskGraph::Index;
using Passed = std::vector<DataFlow::Passed>;

/// Data items of 1, 10, 100, ... bytes; tasks by what they access.
TaskGraph graph_of(const std::vector<std::vector<std::pair<Index, Access>>>& tasks) {
  TaskGraph::Parts parts;
  parts.bytes = {1, 10, 100};
  for (const auto& task : tasks) {
    std::vector<Index> data;
    std::vector<Access> how;
    for (const auto& [item, access] : task) {
      data.push_back(item);
      how.push_back(access);
    }
    parts.add_task(data, how, 1);
  }
  return TaskGraph(std::move(parts));
}

Passed into(const DataFlow& flow, Index task) {
  const auto row = flow.into(task);
  return {row.begin(), row.end()};
}

TEST(DataFlow, ComesFromTheLastWriterAlone) {
  const TaskGraph graph = graph_of(
      {{{0, Access::write}}, {{0, Access::read_write}}, {{0, Access::read}}, {{0, Access::read}}});
  const DataFlow flow(graph);
  EXPECT_EQ(into(flow, 0), Passed{});
  EXPECT_EQ(into(flow, 1), (Passed{{0, 1}}));
  EXPECT_EQ(into(flow, 2), (Passed{{1, 1}}));
  EXPECT_EQ(into(flow, 3), (Passed{{1, 1}}));
  EXPECT_EQ(flow.bytes(1, 3), 1U);
  EXPECT_EQ(flow.bytes(0, 3), 0U);  // an old version
}

/// The third task waits for the second alone, and gets what the first wrote.
TEST(DataFlow, PassesByTasksThatOnlyRead) {
  const TaskGraph graph =
      graph_of({{{0, Access::write}}, {{0, Access::read}}, {{0, Access::read_write}}});
  EXPECT_FALSE(graph.dependencies().waits(2, 0));
  EXPECT_EQ(into(DataFlow(graph), 2), (Passed{{0, 1}}));
}

TEST(DataFlow, IsNothingIntoTasksThatOverwriteOrReduce) {
  const TaskGraph graph =
      graph_of({{{0, Access::write}}, {{0, Access::write}}, {{0, Access::reduce}}});
  EXPECT_EQ(into(DataFlow(graph), 1), Passed{});
  EXPECT_EQ(into(DataFlow(graph), 2), Passed{});
}

TEST(DataFlow, AddsUpDataItemsAndComesFromAllThatWroteInAnyOrder) {
  const TaskGraph graph = graph_of({{{0, Access::write}, {2, Access::write}},
                                    {{1, Access::commute}, {2, Access::read}},
                                    {{1, Access::commute}},
                                    {{0, Access::read}, {1, Access::read}, {2, Access::read}}});
  const DataFlow flow(graph);
  EXPECT_EQ(into(flow, 1), (Passed{{0, 100}}));
  EXPECT_EQ(into(flow, 2), Passed{});  // they take turns, in whatever order
  EXPECT_EQ(into(flow, 3), (Passed{{0, 101}, {1, 10}, {2, 10}}));
}

TEST(DataFlow, FollowsGivenOrders) {
  TaskGraph::Parts parts = graph_of({{{0, Access::read}}, {{0, Access::write}}}).parts();
  EXPECT_EQ(into(DataFlow(TaskGraph(parts)), 0), Passed{});
  parts.dependencies = {{0, 1}};
  EXPECT_EQ(into(DataFlow(TaskGraph(parts)), 0), (Passed{{1, 1}}));
}

TEST(DataFlow, IsNothingWhereNobodyWrites) {
  const DataFlow flow(graph_of({{{0, Access::read}}, {{0, Access::read}}}));
  EXPECT_TRUE(flow.into(1).empty());
  EXPECT_EQ(flow.bytes(0, 1), 0U);
}

}  // namespace
}  // namespace damocles::data_flow_test
