#include "strategies/parts/enabled_task_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "tests/strategies/small_graphs.hpp"

namespace damocles::enabled_task_index_test {
namespace {

using Index = TaskGraph::Index;

/// What EnabledTaskIndex keeps, counted anew from the view and the open tasks.
class Recount {
 public:
  Recount(const TaskGraph& graph, std::size_t pair_inputs)
      : in_view(graph.data(), false),
        is_open(graph.tasks(), true),
        graph_(graph),
        pair_inputs_(pair_inputs) {}

  std::vector<bool> in_view;
  std::vector<bool> is_open;

  [[nodiscard]] std::vector<Index> lacking(Index task) const {
    std::vector<Index> result;
    for (const Index input : graph_.inputs(task)) {
      if (!in_view[input]) result.push_back(input);
    }
    return result;
  }
  [[nodiscard]] bool is_free(Index task) const { return is_open[task] && lacking(task).empty(); }
  [[nodiscard]] std::vector<Index> freed(Index data) const {
    std::vector<Index> result;
    for (Index task = 0; task < graph_.tasks(); ++task) {
      if (is_open[task] && lacking(task) == std::vector{data}) result.push_back(task);
    }
    return result;
  }
  [[nodiscard]] bool is_nearly_free_by(Index task, Index data) const {
    const auto missing = lacking(task);
    return pair_inputs_ > 0 && is_open[task] && missing.size() == 2 &&
           graph_.inputs(task).size() >= pair_inputs_ &&
           std::find(missing.begin(), missing.end(), data) != missing.end();
  }

  void expect_equals(const EnabledTaskIndex& enabled) const {
    for (Index task = 0; task < graph_.tasks(); ++task) {
      EXPECT_EQ(enabled.is_free(task), is_free(task)) << task;
    }
    for (Index data = 0; data < graph_.data(); ++data) {
      const auto tasks = freed(data);
      double flops = 0;
      for (const Index task : tasks) flops += graph_.flops(task);
      std::uint32_t nearly = 0;
      for (Index task = 0; task < graph_.tasks(); ++task) {
        const bool is_nearly = is_nearly_free_by(task, data);
        EXPECT_EQ(enabled.is_nearly_free_by(task, data), is_nearly) << task << " " << data;
        nearly += is_nearly ? 1 : 0;
      }
      EXPECT_EQ(enabled.in_view(data), in_view[data]) << data;
      EXPECT_EQ(enabled.frees(data), tasks.size()) << data;
      EXPECT_EQ(enabled.nearly_frees(data), nearly) << data;
      if (pair_inputs_ > 0) {
        EXPECT_EQ(enabled.freed_flops(data), flops) << data;  // whole numbers: exact
      }
    }
  }

 private:
  const TaskGraph& graph_;
  std::size_t pair_inputs_;
};

class FreeingOf : public testing::TestWithParam<std::size_t> {};

TEST_P(FreeingOf, EqualsARecountAfterEveryChange) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Rng rng(seed, Draw::test, 0);
    const auto graph = oracle::random_graph(rng, 18, 7, 4, 3);
    EnabledTaskIndex enabled(graph, GetParam());
    Recount recount(graph, GetParam());
    recount.expect_equals(enabled);
    for (int step = 0; step < 150 && !HasFailure(); ++step) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " step " << step);

      if (rng.below(2) == 0) {
        const auto data = static_cast<Index>(rng.below(graph.data()));
        const auto expected = recount.freed(data);
        if (recount.in_view[data]) {
          enabled.hide(data);
        } else {
          std::vector<Index> freed;
          enabled.show(data, [&](Index task) { freed.push_back(task); });
          EXPECT_EQ(freed, expected);
        }
        recount.in_view[data] = !recount.in_view[data];
      } else {
        const auto task = static_cast<Index>(rng.below(graph.tasks()));
        if (recount.is_open[task]) {
          enabled.take(task);
        } else {
          EXPECT_EQ(enabled.give_back(task), recount.lacking(task).empty());
        }
        recount.is_open[task] = !recount.is_open[task];
      }

      recount.expect_equals(enabled);
    }
  }
}

TEST_P(FreeingOf, NamesEveryDataThatChanged) {
  Rng rng(5, Draw::test, 0);
  const auto graph = oracle::random_graph(rng, 18, 7, 4, 3);
  EnabledTaskIndex enabled(graph, GetParam());
  struct Known {
    std::uint32_t frees = 0;
    std::uint32_t nearly = 0;
    bool in_view = false;
    bool operator==(const Known&) const = default;
  };
  std::vector<Known> known(graph.data());
  std::vector<bool> is_open(graph.tasks(), true);
  for (int step = 0; step < 300; ++step) {
    const auto data = static_cast<Index>(rng.below(graph.data()));
    const auto task = static_cast<Index>(rng.below(graph.tasks()));
    if (rng.below(2) == 0) {
      enabled.in_view(data) ? enabled.hide(data) : enabled.show(data, [](Index) {});
    } else {
      is_open[task] ? enabled.take(task) : (void)enabled.give_back(task);
      is_open[task] = !is_open[task];
    }
    std::set<Index> changed;

    enabled.for_each_changed([&](Index d) { EXPECT_TRUE(changed.insert(d).second); });

    for (Index d = 0; d < graph.data(); ++d) {
      const Known now{enabled.frees(d), enabled.nearly_frees(d), enabled.in_view(d)};
      if (step == 0) {
        EXPECT_TRUE(changed.contains(d));  // all are new
      } else if (!changed.contains(d)) {
        EXPECT_EQ(now, known[d]) << d << " step " << step;
      }
      known[d] = now;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(PairInputs, FreeingOf, testing::Values(0, 2, 3));

TEST(EnabledTaskIndex, CountsTheTasksThatLackOneDataAlone) {
  const auto graph = oracle::product(3);  // rows 0 1 2, columns 3 4 5
  EnabledTaskIndex enabled(graph, 0);
  for (Index data = 0; data < 6; ++data) EXPECT_EQ(enabled.frees(data), 0U);

  enabled.show(0, [](Index) {});
  enabled.show(4, [](Index task) { EXPECT_EQ(task, 1U); });

  // Column 3 frees (0, 3), rows 1 and 2 free (1, 4) and (2, 4); what is in view frees nothing.
  for (const auto& [data, frees] :
       {std::array<Index, 2>{0, 0}, {1, 1}, {2, 1}, {3, 1}, {4, 0}, {5, 1}}) {
    EXPECT_EQ(enabled.frees(data), frees) << data;
  }
}

}  // namespace
}  // namespace damocles::enabled_task_index_test
