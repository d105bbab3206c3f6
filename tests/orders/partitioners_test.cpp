#include "orders/partitioners.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include "models/rng.hpp"
#include "orders/star_graph.hpp"

namespace damocles::partitioners_test {
namespace {

using Index = TaskGraph::Index;
using Side = std::vector<std::uint32_t>;

/// Tasks of two groups of data; one in ten reads one of each. Of 1 to 4 flops.
TaskGraph two_groups(Index data, Index tasks) {
  Rng rng(5, Draw::test, 0);
  TaskGraph::Parts parts;
  parts.bytes.assign(std::size_t{2} * data, 8);
  for (Index t = 0; t < tasks; ++t) {
    const Index group = t % 2;
    const Index other = rng.below(10) == 0 ? 1 - group : group;
    const std::array<Index, 2> reads{group * data + static_cast<Index>(rng.below(data)),
                                     other * data + static_cast<Index>(rng.below(data))};
    parts.add_task(reads, 1 + 3 * rng.uniform());
  }
  return TaskGraph(std::move(parts));
}

Side random_side(const TaskGraph& graph) {
  Rng rng(6, Draw::test, 0);
  Side side(graph.tasks());
  for (auto& part : side) part = static_cast<std::uint32_t>(rng.below(2));
  return side;
}

TEST(Partitioners, ComeInTheOrderInWhichTheyAreTaken) {
  EXPECT_EQ(Table<PartitionerEntry>::names(),
            (std::vector<std::string>{"zoltan", "metis", "scotch"}));
  for (const auto& entry : Table<PartitionerEntry>::entries()) {
    if (!entry.built()) continue;
    EXPECT_EQ(partitioner().name, entry.name);
    EXPECT_EQ(why_no_partitioner(), "");
    return;
  }
  EXPECT_NE(why_no_partitioner().find("libmetis-dev"), std::string::npos);
  EXPECT_THROW((void)partitioner(), InvalidInput);
}

class EveryPartitioner : public testing::TestWithParam<std::string> {
 protected:
  const PartitionerEntry& entry_ = Table<PartitionerEntry>::named(GetParam());
};
class EveryBuiltPartitioner : public EveryPartitioner {
 protected:
  void SetUp() override {
    if (!entry_.built()) GTEST_SKIP() << "needs " << entry_.packages;
  }
};

TEST_P(EveryPartitioner, SaysWhatItNeedsWhereItIsNotBuilt) {
  if (entry_.built()) {
    EXPECT_EQ(&partitioner(GetParam()), &entry_);
    return;
  }
  try {
    (void)partitioner(GetParam());
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find(entry_.packages), std::string::npos);
  }
}

TEST_P(EveryBuiltPartitioner, FindsTheTwoGroups) {
  const auto graph = two_groups(20, 400);
  const Balance balance{0.5, 1.05};
  Side groups(graph.tasks());
  for (std::size_t t = 0; t < groups.size(); ++t) groups[t] = t % 2;
  const Bisection known = judged(graph, groups, balance);

  const Bisection found = judged(graph, entry_.bisect(graph, balance, 1), balance);

  // A data item has 20 tasks: apart from those that read of both, each cut one is a mistake, and a
  // random cut cuts nearly all.
  EXPECT_LE(found.cut_bytes, known.cut_bytes + 8 * 4);
  EXPECT_LT(found.cut_bytes, judged(graph, random_side(graph), balance).cut_bytes);
  // One task is at most 4 / (2.5 * 200) of a half.
  EXPECT_LE(found.excess, 0.5 * 0.01);
}

TEST_P(EveryBuiltPartitioner, GivesEachSideItsShare) {
  const auto graph = two_groups(20, 400);
  for (const double share : {0.25, 1.0 / 3, 0.6}) {
    const Balance balance{share, 1.05};
    EXPECT_LE(judged(graph, entry_.bisect(graph, balance, 1), balance).excess, 0.01) << share;
  }
}

TEST_P(EveryBuiltPartitioner, RepeatsItselfForOneSeedOnSeveralThreads) {
  const auto graph = two_groups(10, 100);
  const Side expected = entry_.bisect(graph, {}, 7);
  std::vector<Side> results(4);

  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      (void)entry_.bisect(graph, {}, i);  // what it drew before plays no part
      results[i] = entry_.bisect(graph, {}, 7);
    });
  }
  threads.clear();

  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TEST_P(EveryBuiltPartitioner, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();

  (void)entry_.bisect(two_groups(4, 20), {}, 3);

  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_P(EveryBuiltPartitioner, TakesTwoTasksOfAnyWeight) {
  TaskGraph::Parts parts;
  parts.bytes = {1, std::uint64_t{1} << 50};
  parts.add_task(std::vector<Index>{0, 1}, 1e300);
  parts.add_task(std::vector<Index>{1, 0}, 0);
  const TaskGraph graph(std::move(parts));

  for (const auto part : entry_.bisect(graph, {}, 3)) EXPECT_LT(part, 2U);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryPartitioner,
                         testing::ValuesIn(Table<PartitionerEntry>::names()),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(Table, EveryBuiltPartitioner,
                         testing::ValuesIn(Table<PartitionerEntry>::names()),
                         [](const auto& test) { return test.param; });

TEST(StarGraph, HasAnEdgeForEachReadOfASharedData) {
  TaskGraph::Parts parts;  // a is read by all, b by two, c by one
  parts.bytes = {12, 8, 100};
  parts.add_task(std::vector<Index>{0, 1}, 1);
  parts.add_task(std::vector<Index>{0, 1, 2}, 3);
  parts.add_task(std::vector<Index>{0}, 2);
  const StarGraph star = star_graph(TaskGraph(std::move(parts)));

  // Vertices 0 to 2 are tasks, 3 to 5 data items.
  EXPECT_EQ(star.begin, (std::vector<std::int32_t>{0, 2, 4, 5, 8, 10, 10}));
  EXPECT_EQ(star.neighbours, (std::vector<std::int32_t>{3, 4, 3, 4, 3, 0, 1, 2, 0, 1}));
  // 12 / 3 and 8 / 2 bytes are alike: 1000 steps each, as is the mean of the flops.
  EXPECT_EQ(star.edge_weights, std::vector<std::int32_t>(10, 1000));
  EXPECT_EQ(star.vertex_weights, (std::vector<std::int32_t>{500, 1500, 1000, 0, 0, 0}));
}

TEST(StarGraph, KeepsWhatIsSmallAboveNothing) {
  TaskGraph::Parts parts;
  parts.bytes = {1, std::uint64_t{1} << 40};
  parts.add_task(std::vector<Index>{0, 1}, 0);
  parts.add_task(std::vector<Index>{0, 1}, 1e12);
  const StarGraph star = star_graph(TaskGraph(std::move(parts)));

  EXPECT_EQ(star.vertex_weights, (std::vector<std::int32_t>{1, 2000, 0, 0}));
  EXPECT_EQ(star.edge_weights, (std::vector<std::int32_t>{1, 2000, 1, 2000, 1, 1, 2000, 2000}));
}

}  // namespace
}  // namespace damocles::partitioners_test
