#include "strategies/parts/open_grid.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "models/rng.hpp"

namespace damocles::open_grid_test {
namespace {

/// The same, by a set of task ids.
class NaiveGrid {
 public:
  explicit NaiveGrid(const Workload& workload) : workload_(workload) {
    for (std::uint64_t id = 0; id < workload.tasks(); ++id) open_.insert(id);
  }

  /// The open tasks of slab x rows x columns, in ascending order.
  std::vector<std::uint64_t> claim(std::uint64_t slab, const std::vector<std::uint32_t>& rows,
                                   const std::vector<std::uint32_t>& columns) {
    std::vector<std::uint64_t> claimed;
    for (const auto row : rows) {
      for (const auto column : columns) {
        const TaskId task = workload_.dimensions() == 2 ? workload_.task(row, column)
                                                        : workload_.task(slab, row, column);
        if (open_.erase(raw(task)) == 1) claimed.push_back(raw(task));
      }
    }
    std::sort(claimed.begin(), claimed.end());
    return claimed;
  }
  [[nodiscard]] std::vector<std::uint64_t> all() const { return {open_.begin(), open_.end()}; }

 private:
  const Workload& workload_;
  std::set<std::uint64_t> open_;
};

std::vector<std::uint64_t> sorted(const TaskList& list) {
  std::vector<std::uint64_t> tasks;
  list.for_each([&](TaskId task) { tasks.push_back(raw(task)); });
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

std::vector<std::uint64_t> all_open(const OpenGrid& open) {
  std::vector<std::uint64_t> tasks;
  open.for_each([&](TaskId task) { tasks.push_back(raw(task)); });
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

/// A random subset of 0..extent-1 in random order.
std::vector<std::uint32_t> subset(std::uint64_t extent, Rng& rng) {
  std::vector<std::uint32_t> all(extent);
  for (std::uint32_t i = 0; i < extent; ++i) all[i] = i;
  rng.shuffle(std::span(all));
  all.resize(rng.below(extent + 1));
  return all;
}

class OpenGridOf : public testing::TestWithParam<const char*> {};

TEST_P(OpenGridOf, ClaimsWhatASetOfTasksWould) {
  const auto workload = Workload::parse(GetParam());
  const int dimensions = workload.dimensions();
  const std::uint64_t slabs = dimensions == 2 ? 1 : workload.extent(0);
  const std::uint64_t rows = workload.extent(dimensions - 2);
  const std::uint64_t columns = workload.extent(dimensions - 1);
  OpenGrid open(workload);
  NaiveGrid naive(workload);
  Rng rng(1, Draw::test, workload.tasks());

  ASSERT_EQ(all_open(open), naive.all());
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t slab = rng.below(slabs);
    const auto some_rows = subset(rows, rng);
    TaskList claimed;
    std::vector<std::uint64_t> expected;

    if (rng.below(2) == 0) {
      const auto some_columns = subset(columns, rng);
      std::vector<std::uint64_t> mask((columns + 63) / 64, 0);
      for (const auto column : some_columns) {
        mask[column / 64] |= std::uint64_t{1} << (column % 64);
      }
      open.claim_rows(slab, some_rows, mask, claimed);
      expected = naive.claim(slab, some_rows, some_columns);
    } else {
      const auto column = static_cast<std::uint32_t>(rng.below(columns));
      open.claim_column(slab, some_rows, column, claimed);
      expected = naive.claim(slab, some_rows, {column});
    }

    ASSERT_EQ(sorted(claimed), expected);
    ASSERT_EQ(claimed.size(), expected.size());
    ASSERT_EQ(open.count(), naive.all().size());
  }
  EXPECT_EQ(all_open(open), naive.all());
}

// Columns around the 64 bits of a word, and more slabs than one.
INSTANTIATE_TEST_SUITE_P(Grids, OpenGridOf,
                         testing::Values("outer:n=1", "outer:m=5,n=13", "outer:m=3,n=63",
                                         "outer:m=3,n=64", "outer:m=7,n=65", "outer:m=130,n=130",
                                         "outer:m=200,n=1", "matrix:n=4", "matrix:m=2,n=3,k=5",
                                         "matrix:m=1,n=1,k=9", "matrix:m=3,n=2,k=65",
                                         "matrix:m=3,n=70,k=129"));

TEST(OpenGrid, AddsToTheTasksClaimedBefore) {
  const auto workload = Workload::outer(2, 3);
  OpenGrid open(workload);
  TaskList claimed;
  const std::vector<std::uint32_t> both{0, 1};

  open.claim_column(0, both, 2, claimed);  // (0, 2) and (1, 2): tasks 2 and 5
  open.claim_rows(0, {both.data(), 1}, std::vector<std::uint64_t>{0b101}, claimed);  // (0, 0)

  EXPECT_EQ(sorted(claimed), (std::vector<std::uint64_t>{0, 2, 5}));
  EXPECT_EQ(open.count(), 3U);
  EXPECT_EQ(all_open(open), (std::vector<std::uint64_t>{1, 3, 4}));
}

}  // namespace
}  // namespace damocles::open_grid_test
