#include "models/bounds/grid_bound.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace damocles::bounds_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

double bound(const Workload& workload, const std::vector<double>& shares) {
  return balanced_bound(workload, shares);
}

/// Number of distinct data that the tasks of `set`, one bit each, read.
double data_of(const Workload& workload, std::uint64_t set) {
  std::set<DataId> data;
  for (; set != 0; set &= set - 1) {
    const TaskId task{static_cast<std::uint64_t>(std::countr_zero(set))};
    workload.for_each_input(task, [&](DataId id) { data.insert(id); });
  }
  return static_cast<double>(data.size());
}

TEST(LowerBound, IsThePapersFormulaOnSquareGrids) {
  const std::vector<double> shares{0.1, 0.2, 0.3, 0.4};
  double outer = 0;
  double matrix = 0;
  for (const double share : shares) {
    outer += 2 * 100 * std::sqrt(share);
    matrix += 3 * 40 * 40 * std::pow(share, 2.0 / 3);
  }

  // A few roundings a processor, each relative: 20 epsilon.
  EXPECT_NEAR(bound(Workload::outer(100, 100), shares), outer, 20 * eps * outer);
  EXPECT_NEAR(bound(Workload::matrix(40, 40, 40), shares), matrix, 20 * eps * matrix);
}

TEST(LowerBound, IsAllDataForOneProcessor) {
  for (const auto& workload : {Workload::outer(1, 1), Workload::outer(5, 13), Workload::outer(9, 2),
                               Workload::matrix(2, 3, 5), Workload::matrix(5, 3, 2),
                               Workload::matrix(1, 1, 9), Workload::matrix(4, 4, 4)}) {
    const auto data = static_cast<double>(workload.data());
    EXPECT_NEAR(bound(workload, {1.0}), data, 20 * eps * data) << workload.text();
  }
}

TEST(LowerBound, FillsTheShortSideWhereASquareDoesNotFit) {
  // 4 x 100 tasks, half of them to each: 200 = 4 x 50, so 4 + 50 data items each.
  EXPECT_NEAR(bound(Workload::outer(4, 100), {0.5, 0.5}), 108, 200 * eps);
  EXPECT_NEAR(bound(Workload::outer(100, 4), {0.5, 0.5}), 108, 200 * eps);
  // A share of 1/25: 16 = 4 x 4 fits just.
  EXPECT_NEAR(bound(Workload::outer(4, 100), std::vector<double>(25, 0.04)), 25 * 8, 2000 * eps);
}

TEST(LowerBound, FillsTheShortSidesWhereACubeDoesNotFit) {
  // 2 x 50 x 100 = 10000 tasks; 1/2: 5000 = 2 x 50 x 50: A 2 x 50, B 50 x 50, C 2 x 50 in some
  // order.
  const double half = 2 * 50 + 50 * 50 + 2 * 50;
  // 1/50: 200 = 2 x 10 x 10: 20 + 100 + 20.
  const double small = 20 + 100 + 20;

  EXPECT_NEAR(bound(Workload::matrix(2, 50, 100), {0.5, 0.5}), 2 * half, 1e5 * eps);
  EXPECT_NEAR(bound(Workload::matrix(100, 2, 50), {0.5, 0.5}), 2 * half, 1e5 * eps);
  EXPECT_NEAR(bound(Workload::matrix(50, 100, 2), std::vector<double>(50, 0.02)), 50 * small,
              1e5 * eps);
}

TEST(CompulsoryLoads, AreTheDataThatAnyTaskReads) {
  TaskGraph::Parts parts;
  parts.bytes = {1, 2, 3, 4};
  for (const auto& reads : {std::vector<TaskGraph::Index>{0, 3}, {3}}) parts.add_task(reads, 1);

  EXPECT_EQ(compulsory_loads(Workload::of_graph("three", TaskGraph(parts))), 2);
  EXPECT_EQ(compulsory_loads(Workload::matrix(2, 3, 4)), 2 * 4 + 4 * 3 + 2 * 3);
}

TEST(CheapestBox, HoldsItsTasksWithinTheExtents) {
  for (const auto& workload : {Workload::outer(3, 40), Workload::outer(40, 3),
                               Workload::matrix(2, 50, 7), Workload::matrix(9, 9, 9)}) {
    const auto all = static_cast<double>(workload.tasks());
    for (double tasks = 0.25; tasks <= all; tasks *= 1.5) {
      const auto sides = cheapest_box(workload, tasks);
      EXPECT_NEAR(sides[0] * sides[1] * sides[2], tasks, 8 * eps * tasks);
      for (int index = 0; index < workload.dimensions(); ++index) {
        EXPECT_LE(sides[static_cast<std::size_t>(index)],
                  static_cast<double>(workload.extent(index)));
      }
    }
  }
}

TEST(CheapestBox, OfNothingNeedsNothing) {
  const auto flat = Workload::outer(3, 4);
  const auto deep = Workload::matrix(3, 4, 5);
  EXPECT_EQ(box_data(flat, cheapest_box(flat, 0)), 0);
  EXPECT_EQ(box_data(deep, cheapest_box(deep, 0)), 0);
}

TEST(CheapestBox, IsCheaperThanAnyOther) {
  // Sides of all other boxes of 120 tasks in the 6 x 50 x 10 grid, on a fine mesh.
  const auto workload = Workload::matrix(6, 50, 10);
  const double best = box_data(workload, cheapest_box(workload, 120));

  for (double a = 0.5; a <= 6; a += 0.05) {
    for (double b = 0.5; b <= 50; b += 0.25) {
      const double c = 120 / (a * b);
      if (c <= 10) {
        EXPECT_GE(box_data(workload, {a, b, c}), best * (1 - 8 * eps));
      }
    }
  }
}

/// No set of tasks needs less than the cheapest box of as many: all 2^T sets of small grids.
TEST(CheapestBox, NeedsNoMoreThanAnySetOfTasks) {
  for (const auto& workload : {Workload::outer(3, 4), Workload::outer(2, 6), Workload::outer(1, 9),
                               Workload::matrix(2, 2, 2), Workload::matrix(3, 2, 2),
                               Workload::matrix(1, 3, 4), Workload::matrix(1, 1, 9)}) {
    for (std::uint64_t set = 0; set < std::uint64_t{1} << workload.tasks(); ++set) {
      const auto tasks = static_cast<double>(std::popcount(set));
      ASSERT_LE(box_data(workload, cheapest_box(workload, tasks)),
                data_of(workload, set) * (1 + 20 * eps))
          << workload.text() << " set " << set;
    }
  }
}

/// No way to deal 6 or 8 tasks to 3 processors needs less than the bound for its shares; boxes are
/// among them.
TEST(LowerBound, IsBelowEveryPartitionOfASmallGrid) {
  for (const auto& workload :
       {Workload::outer(2, 3), Workload::outer(2, 4), Workload::matrix(2, 2, 2)}) {
    const std::uint64_t tasks = workload.tasks();
    std::uint64_t deals = 1;
    for (std::uint64_t i = 0; i < tasks; ++i) deals *= 3;
    for (std::uint64_t deal = 0; deal < deals; ++deal) {
      std::vector<std::uint64_t> sets(3, 0);
      std::uint64_t rest = deal;
      for (std::uint64_t task = 0; task < tasks; ++task, rest /= 3) {
        sets[rest % 3] |= std::uint64_t{1} << task;
      }

      std::vector<double> shares;
      double needed = 0;
      for (const std::uint64_t set : sets) {
        shares.push_back(std::popcount(set) / static_cast<double>(tasks));
        needed += data_of(workload, set);
      }

      ASSERT_LE(balanced_bound(workload, shares), needed * (1 + 20 * eps)) << workload.text();
    }
  }
}

}  // namespace
}  // namespace damocles::bounds_test
