#include "orders/packing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "tests/orders/packing_oracle.hpp"

namespace damocles::packing_test {
namespace {

using Index = TaskGraph::Index;
using Lists = std::vector<std::vector<Index>>;

constexpr PackingOptions fair{};
constexpr PackingOptions literal{.partner = PackingOptions::Partner::literal};

/// C = A B in n x n tiles: task (i, j) reads row i of A and column j of B, one byte each.
TaskGraph product_2d(Index n, std::span<const Index> order = {}) {
  TaskGraph::Parts parts;
  parts.bytes.assign(2 * n, 1);
  for (Index t = 0; t < n * n; ++t) {
    const Index task = order.empty() ? t : order[t];
    const Index reads[] = {task / n, n + task % n};
    parts.add_task(reads, 1);
  }
  return TaskGraph(std::move(parts));
}

/// Task (i, j, k) reads A(i, k), B(k, j) and C(i, j), one byte each.
TaskGraph product_3d(Index n) {
  TaskGraph::Parts parts;
  parts.bytes.assign(3 * n * n, 1);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) {
        const Index reads[] = {i * n + k, n * n + k * n + j, 2 * n * n + i * n + j};
        parts.add_task(reads, 1);
      }
    }
  }
  return TaskGraph(std::move(parts));
}

/// A A^T: task (i, j), i < j, reads rows i and j. Merging (0, 1) and (0, 2) makes a package that
/// shares two data items with (1, 2), which none did before.
TaskGraph all_pairs(Index n) {
  TaskGraph::Parts parts;
  parts.bytes.assign(n, 1);
  for (Index i = 0; i < n; ++i) {
    for (Index j = i + 1; j < n; ++j) {
      const Index reads[] = {i, j};
      parts.add_task(reads, 1);
    }
  }
  return TaskGraph(std::move(parts));
}

/// Tasks of 0 to 4 inputs, sizes of 1 to `most_bytes`.
TaskGraph random_graph(Rng& rng, std::size_t tasks, std::size_t data, std::size_t most_bytes) {
  TaskGraph::Parts parts;
  for (std::size_t d = 0; d < data; ++d) parts.bytes.push_back(1 + rng.below(most_bytes));
  for (std::size_t t = 0; t < tasks; ++t) {
    std::vector<Index> reads(rng.below(5));
    for (Index& input : reads) input = static_cast<Index>(rng.below(data));
    parts.add_task(reads, 1);
  }
  return TaskGraph(std::move(parts));
}

/// A grid with holes: tasks in blocks of data that lie together, as in matrices.
TaskGraph grid_with_holes(Rng& rng, Index rows, Index columns, double density) {
  TaskGraph::Parts parts;
  parts.bytes.assign(rows + columns, 3);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      const Index reads[] = {i, rows + j};
      if (rng.uniform() < density || i + j == 0) parts.add_task(reads, 1);
    }
  }
  return TaskGraph(std::move(parts));
}

std::vector<Index> sorted_tasks(const Lists& packages) {
  std::vector<Index> tasks;
  for (const auto& package : packages) tasks.insert(tasks.end(), package.begin(), package.end());
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

std::vector<Index> all_tasks(const TaskGraph& graph) {
  std::vector<Index> tasks(graph.tasks());
  std::iota(tasks.begin(), tasks.end(), Index{0});
  return tasks;
}

void expect_as_the_oracle(const TaskGraph& graph) {
  for (const auto partner : {PackingOptions::Partner::fair, PackingOptions::Partner::literal}) {
    for (const bool flip : {false, true}) {
      for (const std::uint64_t memory_bytes : {1U, 5U, 12U, 1000U}) {
        for (const std::size_t count : {1U, 3U}) {
          const bool sorted = flip == (count == 1);  // both, with either of the others
          const PackingOptions options{flip, partner, sorted};

          const auto packages = pack(graph, memory_bytes, count, options);

          ASSERT_EQ(packages, oracle::Packing(graph, memory_bytes, options).pack(count))
              << "flip " << flip << ", sorted " << sorted << ", literal "
              << (partner == PackingOptions::Partner::literal) << ", M " << memory_bytes
              << ", packages " << count;
        }
      }
    }
  }
}

TEST(Packing, PacksRandomGraphsAsTheOracleDoes) {
  Rng rng(1, Draw::test, 0);
  for (int instance = 0; instance < 30; ++instance) {
    const auto tasks = 1 + rng.below(30);
    const auto data = 1 + rng.below(30);
    SCOPED_TRACE(instance);
    expect_as_the_oracle(random_graph(rng, tasks, data, instance % 2 == 0 ? 1 : 5));
  }
}

TEST(Packing, PacksGridsAsTheOracleDoes) {
  Rng rng(2, Draw::test, 0);
  for (const Index n : {5U, 8U}) expect_as_the_oracle(product_2d(n));
  expect_as_the_oracle(product_3d(3));
  expect_as_the_oracle(all_pairs(11));
  for (const double density : {0.3, 0.95}) {
    SCOPED_TRACE(density);
    expect_as_the_oracle(grid_with_holes(rng, 5, 6, density));
    expect_as_the_oracle(grid_with_holes(rng, 8, 7, density));
  }
}

TEST(Packing, LoadsNoMoreThanItShouldOnThe2dProduct) {
  struct Row {
    std::size_t memory;
    std::size_t loads;
  };
  const auto graph = product_2d(100);
  // Issue 3's goals; at M = 35 the peer's 651 loads and a tenth.
  for (const auto& [memory, loads] :
       {Row{10, 2150}, Row{20, 1070}, Row{35, 716}, Row{50, 450}, Row{100, 270}}) {
    SCOPED_TRACE(memory);

    const auto packages = pack(graph, memory, 1);

    ASSERT_EQ(sorted_tasks(packages), all_tasks(graph));
    EXPECT_LE(oracle::min_loads(graph, packages.front(), memory), loads);
  }
}

TEST(Packing, DoesNotDependOnTheOrderOfSubmission) {
  const Index n = 40;
  auto shuffled = all_tasks(product_2d(n));
  Rng(3, Draw::test, 0).shuffle(std::span(shuffled));

  const auto natural = pack(product_2d(n), 10, 3);
  auto other = pack(product_2d(n, shuffled), 10, 3);

  for (auto& package : other) {
    for (Index& task : package) task = shuffled[task];
  }
  EXPECT_EQ(other, natural);
}

TEST(Packing, LoadsLessThanTheNaturalOrder) {
  Rng rng(4, Draw::test, 0);
  struct Case {
    TaskGraph graph;
    std::size_t memory = 0;
  };
  for (const auto& [graph, memory] :
       {Case{product_3d(12), 60}, Case{grid_with_holes(rng, 100, 100, 0.1), 25}}) {
    const auto packages = pack(graph, memory, 1);

    ASSERT_EQ(sorted_tasks(packages), all_tasks(graph));
    EXPECT_LT(oracle::min_loads(graph, packages.front(), memory),
              oracle::min_loads(graph, all_tasks(graph), memory));
  }
}

TEST(Packing, MergesPackagesThatShareNothingWithoutComparingAllPairs) {
  TaskGraph::Parts parts;  // 10^10 pairs would take minutes
  const Index tasks = 100000;
  parts.bytes.assign(tasks, 1);
  for (Index task = 0; task < tasks; ++task) parts.add_task(std::span(&task, 1), 1);
  const TaskGraph graph(std::move(parts));

  for (const auto& options : {fair, literal}) {
    const auto packages = pack(graph, 10, 3, options);

    EXPECT_EQ(packages.size(), 3U);
    EXPECT_EQ(sorted_tasks(packages), all_tasks(graph));
  }
}

TEST(Packing, LeavesOneTaskAPackageWhereThereAreFewerTasks) {
  const auto graph = product_2d(2);

  EXPECT_EQ(pack(graph, 10, 9), (Lists{{0}, {1}, {2}, {3}}));
  EXPECT_THROW((void)pack(graph, 10, 0), InvalidInput);
}

TEST(Packing, LoadsLessWherePackagesAreFlipped) {
  const auto graph = product_2d(100);

  const auto flipped = pack(graph, 35, 1, fair).front();
  const auto straight = pack(graph, 35, 1, {.flip = false}).front();

  // Seen: 599 and 847; COLOC21 Fig. 3 shows the gap, not the numbers.
  EXPECT_LT(1.2 * static_cast<double>(oracle::min_loads(graph, flipped, 35)),
            static_cast<double>(oracle::min_loads(graph, straight, 35)));
}

TEST(Packing, LoadsSeveralTimesMoreByTheLiteralRule) {
  const auto graph = product_2d(60);

  const auto by_fair = pack(graph, 20, 1, fair).front();
  const auto by_literal = pack(graph, 20, 1, literal).front();

  EXPECT_LT(3 * oracle::min_loads(graph, by_fair, 20), oracle::min_loads(graph, by_literal, 20));
}

}  // namespace
}  // namespace damocles::packing_test
