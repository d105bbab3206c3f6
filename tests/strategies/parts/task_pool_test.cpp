#include "strategies/parts/task_pool.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "strategies/parts/open_grid.hpp"
#include "tests/statistics.hpp"

namespace damocles::task_pool_test {
namespace {

std::vector<std::uint64_t> drain(TaskPool& pool, Rng& rng) {
  std::vector<std::uint64_t> tasks;
  while (!pool.empty()) tasks.push_back(raw(pool.draw(rng)));
  return tasks;
}

TEST(TaskPool, DrawsEachTaskOnce) {
  // 32768 tasks fit in one bucket, 32769 take two, 200000 eight.
  for (const std::uint64_t tasks : {1U, 2U, 9U, 32768U, 32769U, 65537U, 200'000U}) {
    const auto workload = Workload::outer(1, tasks);
    Rng rng(1, Draw::test, tasks);
    TaskPool pool(workload, rng);
    std::vector<bool> drawn(tasks, false);

    for (const std::uint64_t task : drain(pool, rng)) {
      ASSERT_LT(task, tasks);
      ASSERT_FALSE(drawn[task]) << task;
      drawn[task] = true;
    }

    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), true), static_cast<std::int64_t>(tasks));
  }
}

TEST(TaskPool, DrawsTheOpenTasksOnly) {
  for (const auto& workload : {Workload::outer(9, 70), Workload::outer(250, 250)}) {
    OpenGrid open(workload);
    TaskList claimed;
    std::vector<std::uint32_t> rows{0, 3, 8};
    std::vector<std::uint64_t> mask((workload.extent(1) + 63) / 64, 0x5555);
    open.claim_rows(0, rows, mask, claimed);
    open.claim_column(0, rows, 1, claimed);
    std::set<std::uint64_t> expected;
    open.for_each([&](TaskId task) { expected.insert(raw(task)); });
    Rng rng(2, Draw::test, 0);

    TaskPool pool(open, rng);
    const auto drawn = drain(pool, rng);

    EXPECT_EQ(drawn.size(), expected.size());
    EXPECT_EQ(std::set<std::uint64_t>(drawn.begin(), drawn.end()), expected);
  }
}

TEST(TaskPool, NamesATaskStillToComeAsSoon) {
  const auto workload = Workload::outer(1, 40'000);
  Rng rng(3, Draw::test, 0);
  TaskPool pool(workload, rng);
  Rng same_rng(3, Draw::test, 0);
  TaskPool same(workload, same_rng);
  const auto order = drain(same, same_rng);
  std::vector<std::size_t> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;

  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    ASSERT_EQ(raw(pool.draw(rng)), order[i]);
    const std::uint64_t soon = raw(pool.soon());
    ASSERT_LT(soon, order.size());
    ASSERT_GE(position[soon], i);
    ASSERT_LE(position[soon], i + 64);  // not so far that the cache has lost it again
  }
}

TEST(TaskPool, DrawsEachOrderOfAFewTasksEquallyOften) {
  const auto workload = Workload::outer(2, 2);
  std::vector<double> counts(256, 0);

  for (std::uint64_t seed = 0; seed < 24'000; ++seed) {
    Rng rng(seed, Draw::test, 0);
    TaskPool pool(workload, rng);
    std::size_t code = 0;
    for (const auto task : drain(pool, rng)) code = 4 * code + task;
    ++counts[code];
  }

  std::vector<double> orders;
  for (const double count : counts) {
    if (count > 0) orders.push_back(count);
  }
  ASSERT_EQ(orders.size(), 24U);
  EXPECT_LT(chi_square(orders), chi_square_bound(24));
}

/// Several buckets: is the order still uniform? Over many seeds, the first task drawn, the place of
/// the first and the last task, and the order of pairs, near and far.
TEST(TaskPool, DrawsInUniformOrderAcrossBuckets) {
  constexpr std::uint64_t tasks = 40'000;
  constexpr std::uint64_t seeds = 800;
  constexpr std::size_t parts = 8;
  const auto workload = Workload::outer(200, 200);
  const OpenGrid open(workload);
  const auto part = [](std::uint64_t at) { return static_cast<std::size_t>(at * parts / tasks); };
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs{
      {0, 1}, {0, tasks - 1}, {19'999, 20'000}, {5, 205}, {7, 30'000}};
  std::vector<double> first(parts, 0);
  std::vector<double> place_of_first(parts, 0);
  std::vector<double> place_of_last(parts, 0);
  std::vector<std::vector<double>> in_order(pairs.size(), std::vector<double>(2, 0));

  std::vector<std::uint64_t> place(tasks);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Rng rng(seed, Draw::test, 1);
    TaskPool pool = seed % 2 == 0 ? TaskPool(workload, rng) : TaskPool(open, rng);
    const auto order = drain(pool, rng);
    for (std::uint64_t i = 0; i < tasks; ++i) place[order[i]] = i;
    ++first[part(order[0])];
    ++place_of_first[part(place[0])];
    ++place_of_last[part(place[tasks - 1])];
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      ++in_order[i][place[pairs[i].first] < place[pairs[i].second] ? 1 : 0];
    }
  }

  EXPECT_LT(chi_square(first), chi_square_bound(parts));
  EXPECT_LT(chi_square(place_of_first), chi_square_bound(parts));
  EXPECT_LT(chi_square(place_of_last), chi_square_bound(parts));
  for (const auto& counts : in_order) EXPECT_LT(chi_square(counts), chi_square_bound(2));
}

/// Neighbours in the order are neighbours in the grid no more often than by chance.
TEST(TaskPool, KeepsNoTraceOfTheOrderOfTasks) {
  constexpr std::uint64_t tasks = 40'000;
  const auto workload = Workload::outer(200, 200);
  double rises = 0;
  double together = 0;
  double places = 0;

  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed, Draw::test, 2);
    TaskPool pool(workload, rng);
    const auto order = drain(pool, rng);
    for (std::size_t i = 0; i + 1 < order.size(); ++i, ++places) {
      if (order[i] < order[i + 1]) ++rises;
      if (order[i] / 200 == order[i + 1] / 200) ++together;
    }
  }

  // Rises of a random permutation: mean 1/2, variance (T + 1)/12 over T places (Eulerian).
  EXPECT_NEAR(rises / places, 0.5, 5 * std::sqrt(1 / (12 * places)));
  // Both in one row: 199 of the 39999 others; nearly independent from place to place.
  const double chance = 199.0 / (tasks - 1);
  EXPECT_NEAR(together / places, chance, 5 * std::sqrt(chance / places));
}

/// Eight buckets: the places of two neighbouring tasks, in eighths, are independent: 64 cells.
/// Their margins are nearly fixed, so the statistic has fewer degrees of freedom than the bound
/// allows.
TEST(TaskPool, ThrowsNeighboursIntoBucketsIndependently) {
  constexpr std::uint64_t tasks = 250'000;
  const auto workload = Workload::outer(500, 500);
  Rng rng(1, Draw::test, 3);
  TaskPool pool(workload, rng);
  const auto order = drain(pool, rng);
  std::vector<std::size_t> eighth(tasks);
  for (std::uint64_t i = 0; i < tasks; ++i) eighth[order[i]] = i * 8 / tasks;

  std::vector<double> counts(64, 0);
  for (std::uint64_t task = 0; task < tasks; task += 2) {
    ++counts[8 * eighth[task] + eighth[task + 1]];
  }

  EXPECT_LT(chi_square(counts), chi_square_bound(64));
}

/// Buckets and orders within them come from different numbers of the stream.
TEST(TaskPool, UsesNoRandomNumberTwice) {
  const auto workload = Workload::outer(200, 200);
  Rng rng(1, Draw::test, 4);
  Rng before = rng;

  const TaskPool pool(workload, rng);

  // Two buckets for 40000 tasks take a bit each, 625 numbers at least.
  const std::uint64_t next = rng.next();
  for (int i = 0; i < 625; ++i) ASSERT_NE(before.next(), next);
}

}  // namespace
}  // namespace damocles::task_pool_test
