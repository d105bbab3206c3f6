#include "orders/balance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "models/rng.hpp"

namespace damocles::balance_test {
namespace {

using Index = TaskGraph::Index;
using Packages = std::vector<std::vector<Index>>;

TaskGraph tasks_of(const std::vector<double>& flops) {
  TaskGraph::Parts parts;
  for (const double f : flops) parts.add_task({}, f);
  return TaskGraph(std::move(parts));
}

std::vector<Index> sorted_tasks(const Packages& packages) {
  std::vector<Index> tasks;
  for (const auto& package : packages) tasks.insert(tasks.end(), package.begin(), package.end());
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

// Mean 10 / 3. 3 tasks go from 8 to 0, then 1 from 5 to 2 (min(1.67, 1.33)): 4, 3, 3.
TEST(Balance, MovesTailsToTheEndOfTheSmallest) {
  Packages packages = {{9, 8, 7, 6, 5, 4, 3, 2}, {}, {1, 0}};

  balance(packages, tasks_of(std::vector<double>(10, 5e9)));

  EXPECT_EQ(packages, (Packages{{9, 8, 7, 6}, {4, 3, 2}, {1, 0, 5}}));
}

// Loads 5 and 2, mean 3.5: no task is at most 1.5, but the last of the larger makes it 3 and 4.
TEST(Balance, MovesATaskThatNarrowsTheGapWhereNoTailFits) {
  Packages packages = {{0, 1}, {2}};

  balance(packages, tasks_of({3, 2, 2}));

  EXPECT_EQ(packages, (Packages{{0}, {2, 1}}));
}

TEST(Balance, LeavesOnePackageAndNoneAlone) {
  Packages one = {{1, 0}};
  Packages none;

  balance(one, tasks_of({1, 2}));
  balance(none, tasks_of({1, 2}));

  EXPECT_EQ(one, (Packages{{1, 0}}));
  EXPECT_TRUE(none.empty());
}

class BalanceOf : public testing::TestWithParam<int> {};

TEST_P(BalanceOf, KeepsTasksAndLeavesNoGapThatATaskOfTheLargestNarrows) {
  const int kind = GetParam();  // of flops: equal, 1 to 4, over 6 decades, many zeros, all zero
  for (std::uint64_t instance = 0; instance < 200; ++instance) {
    Rng rng(static_cast<std::uint64_t>(kind), Draw::test, instance);
    std::vector<double> flops(1 + rng.below(60));
    for (double& f : flops) {
      const double u = rng.uniform();
      f = kind == 0 ? 2 : kind == 1 ? 1 + 3 * u : kind == 2 ? u / (u * u + 1e-6) : 0;
      if (kind == 3) f = u < 0.5 ? 0 : u;
    }
    Packages packages(1 + rng.below(6));
    for (Index task = 0; task < flops.size(); ++task) {
      const auto p = std::min(rng.below(packages.size()), rng.below(packages.size()));
      packages[p].push_back(task);
    }

    balance(packages, tasks_of(flops));

    std::vector<Index> all(flops.size());
    std::iota(all.begin(), all.end(), Index{0});
    ASSERT_EQ(sorted_tasks(packages), all);
    const bool counted =
        std::all_of(flops.begin(), flops.end(), [&](double f) { return f == flops[0]; });
    std::vector<double> load;
    for (const auto& package : packages) {
      load.push_back(0);
      for (const Index task : package) load.back() += counted ? 1 : flops[task];
    }
    const auto [least, most] = std::minmax_element(load.begin(), load.end());
    const double total = std::accumulate(load.begin(), load.end(), 0.0);
    for (const Index task : packages[static_cast<std::size_t>(most - load.begin())]) {
      const double one = counted ? 1 : flops[task];
      if (one > 0) {
        ASSERT_GE(one, *most - *least - 2e-9 * total);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Flops, BalanceOf, testing::Range(0, 5));

}  // namespace
}  // namespace damocles::balance_test
