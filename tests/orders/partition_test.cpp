#include "orders/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <span>
#include <thread>

#include "models/error.hpp"
#include "models/rng.hpp"

namespace damocles::partition_test {
namespace {

using Index = TaskGraph::Index;
using PartOf = std::vector<std::uint32_t>;

/// Task (i, j) of an n x n grid reads data i and n + j; its flops are 1, or 1 to 4.
TaskGraph grid(Index n, bool heterogeneous) {
  Rng rng(1, Draw::test, 0);
  TaskGraph::Parts parts;
  parts.bytes.assign(std::size_t{2} * n, 8);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const std::array<Index, 2> reads{i, n + j};
      parts.add_task(reads, heterogeneous ? 1 + 3 * rng.uniform() : 1);
    }
  }
  return TaskGraph(std::move(parts));
}

/// Bytes of data times the parts beyond the first that read it.
std::uint64_t cut(const TaskGraph& graph, const PartOf& part_of) {
  std::uint64_t sum = 0;
  for (Index data = 0; data < graph.data(); ++data) {
    std::set<std::uint32_t> readers;
    for (const Index task : graph.users(data)) readers.insert(part_of[task]);
    sum += graph.bytes(data) * (readers.size() - 1);
  }
  return sum;
}

/// Data that tasks of several parts read.
std::size_t data_cut(const TaskGraph& graph, const PartOf& part_of) {
  std::size_t sum = 0;
  for (Index data = 0; data < graph.data(); ++data) {
    std::set<std::uint32_t> readers;
    for (const Index task : graph.users(data)) readers.insert(part_of[task]);
    sum += readers.size() > 1 ? 1 : 0;
  }
  return sum;
}

/// The heaviest part's flops over the mean.
double imbalance(const TaskGraph& graph, const PartOf& part_of, std::size_t parts) {
  std::vector<double> load(parts);
  for (Index task = 0; task < graph.tasks(); ++task) load.at(part_of[task]) += graph.flops(task);
  return *std::max_element(load.begin(), load.end()) * static_cast<double>(parts) /
         graph.total_flops();
}

TEST(Partition, SaysHowToGetItWhereItIsNotBuilt) {
  if (partition_built()) GTEST_SKIP() << "it is built";

  try {
    (void)partition(grid(2, false), 3, 1);  // of which a split cuts something
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("libtrilinos-zoltan-dev"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("libscotch-dev"), std::string::npos);
  }
}

TEST(Partition, RefusesNoParts) {
  EXPECT_THROW((void)partition(grid(2, false), 0, 1), InvalidInput);
}

class BuiltPartition : public testing::Test {
 protected:
  void SetUp() override {
    if (!partition_built()) GTEST_SKIP() << "no partitioner is built in";
  }
};

TEST_F(BuiltPartition, BalancesWorkAndCutsLessThanRandomParts) {
  for (const bool heterogeneous : {false, true}) {
    for (const std::size_t parts : {2U, 3U, 8U}) {
      SCOPED_TRACE(parts);
      const auto graph = grid(40, heterogeneous);
      Rng rng(2, Draw::test, 0);
      PartOf random(graph.tasks());
      for (auto& part : random) part = static_cast<std::uint32_t>(rng.below(parts));

      const auto part_of = partition(graph, parts, 1);

      ASSERT_EQ(part_of.size(), graph.tasks());
      // 1.01 is asked for; a task of a part is at most 4 / (1600 / 8) = 2 % of it.
      EXPECT_LT(imbalance(graph, part_of, parts), 1.03);
      EXPECT_LT(4 * cut(graph, part_of), 3 * cut(graph, random));
    }
  }
}

TEST_F(BuiltPartition, CutsAGridIntoBlocksWhereCopiesCost) {
  const auto graph = grid(40, false);

  // 2 x 2 blocks: each of the 40 rows and 40 columns lies in two parts. No four parts of 400 tasks
  // do with less: one of r rows and c columns has r + c >= 2 * 20, so 160 bytes' worth are read.
  EXPECT_EQ(cut(graph, partition(graph, 4, 1)), 8U * 80);
}

TEST_F(BuiltPartition, CutsAGridIntoBandsWhereDataCost) {
  const auto graph = grid(40, false);
  PartitionOptions options;
  options.cost = PartitionOptions::Cost::data;

  const auto part_of = partition(graph, 4, 1, options);

  // Once the rows are cut in two they cost no more: the columns stay whole, 40 data items are cut.
  EXPECT_EQ(data_cut(graph, part_of), 40U);
  EXPECT_EQ(cut(graph, part_of), 8U * 40 * 3);
  EXPECT_DOUBLE_EQ(imbalance(graph, part_of, 4), 1);
}

TEST_F(BuiltPartition, MoreRunsNeverCutMore) {
  // A random graph, on which no clean split is good. Of one bisection, so that no later one of a
  // better first half can spoil it.
  Rng rng(3, Draw::test, 0);
  TaskGraph::Parts parts;
  parts.bytes.assign(60, 8);
  for (int t = 0; t < 400; ++t) {
    const std::array<Index, 2> reads{static_cast<Index>(rng.below(60)),
                                     static_cast<Index>(rng.below(60))};
    parts.add_task(reads, 1);
  }
  const TaskGraph graph(std::move(parts));
  std::uint64_t fewer = cut(graph, partition(graph, 2, 1, {.runs = 0}));

  for (const std::size_t runs : {1U, 3U, 9U}) {
    const std::uint64_t more = cut(graph, partition(graph, 2, 1, {.runs = runs}));
    EXPECT_LE(more, fewer) << runs;
    fewer = more;
  }
}

TEST_F(BuiltPartition, RepeatsItselfForOneSeedOnSeveralThreads) {
  const auto graph = grid(20, true);
  const auto expected = partition(graph, 4, 7);
  std::vector<PartOf> results(4);

  std::vector<std::jthread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] { result = partition(graph, 4, 7); });
  }
  threads.clear();

  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TEST_F(BuiltPartition, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();

  (void)partition(grid(10, false), 2, 3);

  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(BuiltPartition, TakesDegenerateGraphs) {
  TaskGraph::Parts alone;  // no data at all, no flops
  for (int i = 0; i < 4; ++i) alone.add_task({}, 0);
  const TaskGraph graph(std::move(alone));

  for (const std::size_t parts : {1U, 2U, 7U}) {
    const auto part_of = partition(graph, parts, 1);

    ASSERT_EQ(part_of.size(), 4U);
    for (const auto part : part_of) EXPECT_LT(part, parts);
  }
}

}  // namespace
}  // namespace damocles::partition_test
