#include "models/bounds/load_bounds.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/bounds/graph_bound.hpp"
#include "models/bounds/workload_bound.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"
#include "tests/strategies/schedule_search.hpp"

namespace damocles::load_bounds_test {
namespace {

using testing_oracle::fewest_loads_of_any_order;
using testing_oracle::grid;
using testing_oracle::random_graph;
using Index = TaskGraph::Index;

/// How a bound fares against optima: never above, and how often it meets them.
struct Tally {
  int cases = 0;
  int tight = 0;

  void add(std::uint64_t bound, std::uint64_t optimum, const std::string& where) {
    EXPECT_LE(bound, optimum) << where;
    ++cases;
    tight += bound == optimum ? 1 : 0;
  }
};

TaskGraph from(std::size_t data, const std::vector<std::vector<Index>>& tasks) {
  TaskGraph::Parts parts;
  parts.bytes.assign(data, 1);
  for (const auto& reads : tasks) parts.add_task(reads, 1);
  return TaskGraph(std::move(parts));
}

TaskGraph matrix(Index m, Index n, Index k, ReadsC reads_c) {
  std::vector<std::vector<Index>> tasks;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index l = 0; l < k; ++l) {
        tasks.push_back({i * k + l, m * k + l * n + j});
        if (reads_c == ReadsC::yes || (reads_c == ReadsC::later && l > 0))
          tasks.back().push_back(m * k + k * n + i * n + j);
      }
    }
  }
  return from(
      std::size_t{m} * k + std::size_t{k} * n + (reads_c == ReadsC::no ? 0 : std::size_t{m} * n),
      tasks);
}

/// Tile (i, j), i >= j, of a triangle.
Index tile(Index i, Index j) { return i * (i + 1) / 2 + j; }

TaskGraph cholesky(Index n) {
  std::vector<std::vector<Index>> tasks;
  for (Index k = 0; k < n; ++k) {
    tasks.push_back({tile(k, k)});
    for (Index i = k + 1; i < n; ++i) {
      tasks.push_back({tile(k, k), tile(i, k)});
      tasks.push_back({tile(i, k), tile(i, i)});
      for (Index j = k + 1; j < i; ++j) {
        tasks.push_back({tile(i, k), tile(j, k), tile(i, j)});
      }
    }
  }
  return from(tile(n, 0), tasks);
}

TEST(LoadBound, NeverExceedsTheOptimumOfTinyGrids) {
  Tally tally;
  for (Index m = 1; m <= 4; ++m) {
    for (Index n = m; n <= 4; ++n) {
      for (unsigned memory = 2; memory <= m + n; ++memory) {
        tally.add(
            grid_load_bound(m, n, memory).loads, fewest_loads_of_any_order(grid(m, n), memory),
            std::to_string(m) + " x " + std::to_string(n) + ", M = " + std::to_string(memory));
      }
    }
  }
  RecordProperty("tight", std::to_string(tally.tight) + " of " + std::to_string(tally.cases));
  EXPECT_EQ(tally.cases, 40);
  EXPECT_GE(tally.tight, 37);
}

TEST(LoadBound, NeverExceedsTheOptimumOfTinyProductsWhoseFirstTasksReadNoC) {
  Tally tally;
  for (const auto [m, n, k] : {std::array<Index, 3>{2, 2, 2}, {2, 1, 3}, {1, 2, 3}, {3, 2, 1}}) {
    for (unsigned memory = 3; memory <= 8; ++memory) {
      tally.add(matrix_load_bound(m, n, k, memory, ReadsC::later).loads,
                fewest_loads_of_any_order(matrix(m, n, k, ReadsC::later), memory),
                fmt::format("{} x {} x {}, M = {}", m, n, k, memory));
    }
  }
  EXPECT_EQ(tally.cases, 24);
  EXPECT_GE(tally.tight, 1);
}

TEST(LoadBound, OfProductWhoseFirstTasksReadNoCIsAtLeastThatOfTheOthers) {
  const std::uint64_t memory = 1'000'000'000 / (4 * 4000 * 4000);
  const auto others = matrix_load_bound(25, 25, 24, memory, ReadsC::yes).loads;
  EXPECT_EQ(others, 7884U);
  const auto workload = Workload::parse("gemm3d:n=25,tile=4000,c=later");
  const auto platform = Scenario::parse("gpus:k=1,memory=1GB").draw(1, 0);
  // The first tasks read 2 x 25 tiles of A and B that no other task reads.
  EXPECT_GE(workload_load_bound(workload, *platform.machine).loads, others + 50);
}

TEST(LoadBound, NeverExceedsTheOptimumOfTinyProducts) {
  Tally with_c;
  Tally without_c;
  for (unsigned memory = 2; memory <= 8; ++memory) {
    without_c.add(matrix_load_bound(2, 2, 2, memory, ReadsC::no).loads,
                  fewest_loads_of_any_order(matrix(2, 2, 2, ReadsC::no), memory), "A, B");
    without_c.add(matrix_load_bound(2, 3, 2, memory, ReadsC::no).loads,
                  fewest_loads_of_any_order(matrix(2, 3, 2, ReadsC::no), memory),
                  "A, B, 2 x 3 x 2");
    if (memory < 3) continue;
    with_c.add(matrix_load_bound(2, 2, 2, memory, ReadsC::yes).loads,
               fewest_loads_of_any_order(matrix(2, 2, 2, ReadsC::yes), memory), "A, B, C");
  }
  EXPECT_GE(without_c.tight, 1);
  EXPECT_GE(with_c.tight, 1);
  RecordProperty("tight", std::to_string(with_c.tight) + " of " + std::to_string(with_c.cases) +
                              " with C, " + std::to_string(without_c.tight) + " of " +
                              std::to_string(without_c.cases) + " without");
}

TEST(LoadBound, NeverExceedsTheOptimumOfATinyCholesky) {
  Tally tally;
  for (unsigned memory = 3; memory <= 6; ++memory) {
    tally.add(cholesky_load_bound(3, memory).loads, fewest_loads_of_any_order(cholesky(3), memory),
              "cholesky 3");
  }
  RecordProperty("tight", std::to_string(tally.tight) + " of " + std::to_string(tally.cases));
  EXPECT_GE(tally.tight, 1);
}

TEST(LoadBound, NeverExceedsTheOptimumOfRandomGraphs) {
  Rng rng(4, Draw::test, 0);
  Tally tally;
  int above_compulsory = 0;
  for (int instance = 0; instance < 300; ++instance) {
    const auto widest = static_cast<Index>(2 + rng.below(2));
    const TaskGraph graph = random_graph(rng, static_cast<Index>(4 + rng.below(9)),
                                         static_cast<Index>(4 + rng.below(4)), widest);
    const auto memory = static_cast<unsigned>(graph.widest() + rng.below(2));

    const LoadBound bound = graph_load_bound(graph, memory);

    tally.add(bound.loads, fewest_loads_of_any_order(graph, memory), std::to_string(instance));
    above_compulsory += bound.argument != "compulsory" ? 1 : 0;
  }
  EXPECT_GT(above_compulsory, 30);
  RecordProperty("tight", std::to_string(tally.tight) + " of " + std::to_string(tally.cases));
}

TEST(LoadBound, NeverExceedsTheOptimumOfSparseGrids) {
  Rng rng(9, Draw::test, 0);
  Tally tally;
  Tally charging;
  for (int instance = 0; instance < 150; ++instance) {
    const auto n = static_cast<Index>(3 + rng.below(4));
    const Index m = n > 4 ? 3 : 4;
    std::vector<std::vector<Index>> tasks;
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        if (rng.below(8) != 0 && tasks.size() < 14) tasks.push_back({i, m + j});
      }
    }
    const TaskGraph graph = from(m + n, tasks);
    const auto memory = static_cast<unsigned>(2 + rng.below(3));

    const LoadBound bound = graph_load_bound(graph, memory);
    const std::uint64_t optimum = fewest_loads_of_any_order(graph, memory);

    tally.add(bound.loads, optimum, std::to_string(instance));
    if (bound.argument == "charging") charging.add(bound.loads, optimum, "charging");
  }
  EXPECT_GT(charging.cases, 5);
  RecordProperty("tight", std::to_string(tally.tight) + " of " + std::to_string(tally.cases) +
                              ", by charging " + std::to_string(charging.tight) + " of " +
                              std::to_string(charging.cases));
}

TEST(LoadBound, OfAnyGraphFindsTheStructureOfProducts) {
  EXPECT_EQ(graph_load_bound(grid(30, 20), 7), grid_load_bound(30, 20, 7));
  // The four layers of A and B share nothing; nobody told the general bound.
  EXPECT_EQ(graph_load_bound(matrix(6, 7, 4, ReadsC::no), 5),
            matrix_load_bound(6, 7, 4, 5, ReadsC::no));
}

TEST(LoadBound, CountsTheSmallestDataWhereSizesDiffer) {
  auto parts = grid(6, 6, 2).parts();
  parts.bytes[0] = 3;
  const TaskGraph graph(parts);

  EXPECT_EQ(graph_load_bound(graph, 9).loads, grid_load_bound(6, 6, 4).loads);
  EXPECT_EQ(compulsory_bytes(graph), 11U * 2 + 3);
}

/// T(L) by dynamic programming over (rows, columns) held: the gain of a load is what is held of
/// the other side after any evictions. An unbounded grid: no pair comes twice.
std::vector<std::uint64_t> most_tasks_by_programming(std::uint64_t memory, std::uint64_t loads) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> most{{{0, 0}, 0}};
  std::vector<std::uint64_t> best{0};
  for (std::uint64_t l = 1; l <= loads; ++l) {
    decltype(most) next;
    for (const auto& [held, tasks] : most) {
      for (std::uint64_t r = 0; r <= held.first; ++r) {
        for (std::uint64_t c = 0; c <= held.second; ++c) {
          if (r + c + 1 > memory) continue;
          auto& row = next[{r + 1, c}];
          row = std::max(row, tasks + c);
          auto& column = next[{r, c + 1}];
          column = std::max(column, tasks + r);
        }
      }
    }
    most = std::move(next);
    best.push_back(0);
    for (const auto& [held, tasks] : most) best.back() = std::max(best.back(), tasks);
  }
  return best;
}

TEST(LoadBound, IsTheDynamicProgramOverRowsAndColumnsHeld) {
  for (std::uint64_t memory = 2; memory <= 9; ++memory) {
    const auto most = most_tasks_by_programming(memory, 30);
    for (std::uint64_t tasks = 1; tasks <= most.back(); ++tasks) {
      // Degree 10^9 switches the charging off.
      const auto bound = pair_load_bound({0, tasks, 1'000'000'000, true}, memory).loads;
      const auto fewest = std::lower_bound(most.begin(), most.end(), tasks) - most.begin();
      ASSERT_EQ(bound, static_cast<std::uint64_t>(fewest)) << memory << " " << tasks;
    }
  }
}

TEST(LoadBound, OfGridsProvesTheClosedForm) {
  for (const double n : {10.0, 30.0, 100.0, 1000.0}) {
    for (const double share : {0.1, 0.25, 0.5}) {
      const double memory = std::floor(n * share) + 1;
      const auto bound = static_cast<double>(grid_load_bound(static_cast<std::uint64_t>(n),
                                                             static_cast<std::uint64_t>(n),
                                                             static_cast<std::uint64_t>(memory))
                                                 .loads);
      EXPECT_GE((memory - 1) * bound - n * n, n / 2 * (n * n / bound - 1)) << n << " " << memory;
    }
  }
}

TEST(LoadBound, OfTheMatrixProductIsTheLeadingTermPlusMemory) {
  // 2 mnk / sqrt(M) + M with T / M^1.5 a whole number: no rounding but of the runs tried.
  const auto bound = matrix_load_bound(64, 64, 64, 256, ReadsC::yes);  // 2^18 tasks, M^1.5 = 2^12

  EXPECT_EQ(bound.argument, "segments");
  EXPECT_GE(bound.loads, (std::uint64_t{2} << 18U) / 16 + 256 - 1);
  EXPECT_LE(static_cast<double>(bound.loads), 1.01 * ((2 << 18) / 16.0 + 256));
}

TEST(LoadBound, OfCholeskyHasTheLeadingTermItTells) {
  const double n = 300;
  const double memory = 400;

  const auto chol = static_cast<double>(cholesky_load_bound(300, 400).loads);

  EXPECT_NEAR(chol / (n * n * n / (3 * std::sqrt(6 * memory))), 1, 0.05);
}

TEST(LoadBound, RefusesAMemoryTooSmallForATask) {
  EXPECT_THROW((void)grid_load_bound(3, 3, 1), InvalidInput);
  EXPECT_THROW((void)matrix_load_bound(3, 3, 3, 2, ReadsC::yes), InvalidInput);
  EXPECT_THROW((void)grid_load_bound(0, 3, 4), InvalidInput);
  EXPECT_THROW((void)grid_load_bound(2, 3, 4, 7), InvalidInput);
  EXPECT_THROW((void)graph_load_bound(grid(2, 2, 5), 9), InvalidInput);
  EXPECT_EQ(grid_load_bound(2, 3, 4, 6).loads, grid_load_bound(2, 3, 4).loads);
}

}  // namespace
}  // namespace damocles::load_bounds_test
