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

/// What EnabledTaskIndex keeps of a processor, counted anew from the view and the open tasks.
class Recount {
 public:
  Recount(const TaskGraph& graph, const std::vector<bool>& open, std::size_t pair_inputs,
          std::size_t processor)
      : in_view(graph.data(), false),
        k(processor),
        graph_(graph),
        is_open_(open),
        pair_inputs_(pair_inputs) {}

  std::vector<bool> in_view;
  std::size_t k;

  [[nodiscard]] std::vector<Index> lacking(Index task) const {
    std::vector<Index> result;
    for (const Index input : graph_.inputs(task)) {
      if (!in_view[input]) result.push_back(input);
    }
    return result;
  }
  [[nodiscard]] bool is_free(Index task) const { return is_open_[task] && lacking(task).empty(); }
  [[nodiscard]] std::vector<Index> freed(Index data) const {
    std::vector<Index> result;
    for (Index task = 0; task < graph_.tasks(); ++task) {
      if (is_open_[task] && lacking(task) == std::vector{data}) result.push_back(task);
    }
    return result;
  }
  [[nodiscard]] bool is_nearly_free_by(Index task, Index data) const {
    const auto missing = lacking(task);
    return pair_inputs_ > 0 && is_open_[task] && missing.size() == 2 &&
           graph_.inputs(task).size() >= pair_inputs_ &&
           std::find(missing.begin(), missing.end(), data) != missing.end();
  }

  void expect_equals(const EnabledTaskIndex& enabled) const {
    for (Index task = 0; task < graph_.tasks(); ++task) {
      EXPECT_EQ(enabled.is_free(k, task), is_free(task)) << task;
    }
    for (Index data = 0; data < graph_.data(); ++data) {
      const auto tasks = freed(data);
      double flops = 0;
      for (const Index task : tasks) flops += graph_.flops(task);
      std::uint32_t nearly = 0;
      for (Index task = 0; task < graph_.tasks(); ++task) {
        const bool is_nearly = is_nearly_free_by(task, data);
        EXPECT_EQ(enabled.is_nearly_free_by(k, task, data), is_nearly) << task << " " << data;
        nearly += is_nearly ? 1 : 0;
      }
      EXPECT_EQ(enabled.in_view(k, data), in_view[data]) << data;
      EXPECT_EQ(enabled.item(k, data).frees, tasks.size()) << data;
      EXPECT_EQ(enabled.item(k, data).nearly, nearly) << data;
      if (pair_inputs_ > 0) {
        EXPECT_EQ(enabled.item(k, data).flops, flops) << data;  // whole numbers: exact
      }
    }
  }

 private:
  const TaskGraph& graph_;
  const std::vector<bool>& is_open_;
  std::size_t pair_inputs_;
};

/// Two words of processors, of which some have data in view, first and last ones among them.
constexpr std::size_t processors = 67;
constexpr std::array<std::size_t, 4> busy{0, 63, 64, 66};
constexpr std::size_t idle = 5;

class FreeingOf : public testing::TestWithParam<std::size_t> {};

TEST_P(FreeingOf, EqualsARecountAfterEveryChange) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Rng rng(seed, Draw::test, 0);
    const auto graph = oracle::random_graph(rng, 18, 7, 4, 3);
    std::vector<bool> is_open(graph.tasks(), true);
    EnabledTaskIndex enabled(graph, processors, GetParam());
    std::vector<Recount> recounts;
    for (const std::size_t k : busy) recounts.emplace_back(graph, is_open, GetParam(), k);
    recounts.emplace_back(graph, is_open, GetParam(), idle);
    for (const Recount& recount : recounts) recount.expect_equals(enabled);
    for (int step = 0; step < 150 && !HasFailure(); ++step) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " step " << step);

      if (rng.below(2) == 0) {
        Recount& recount = recounts[rng.below(busy.size())];
        const auto data = static_cast<Index>(rng.below(graph.data()));
        const auto expected = recount.freed(data);
        if (recount.in_view[data]) {
          enabled.hide(recount.k, data);
        } else {
          EXPECT_EQ(enabled.show(recount.k, data), expected);
        }
        recount.in_view[data] = !recount.in_view[data];
      } else {
        const auto task = static_cast<Index>(rng.below(graph.tasks()));
        if (is_open[task]) {
          enabled.take(task);
        } else {
          std::vector<std::uint32_t> expected;
          for (std::uint32_t k = 0; k < processors; ++k) {
            const auto at = std::find(busy.begin(), busy.end(), k) - busy.begin();  // 4: idle ones
            if (recounts[static_cast<std::size_t>(at)].lacking(task).empty()) expected.push_back(k);
          }
          EXPECT_EQ(enabled.give_back(task), expected);
        }
        is_open[task] = !is_open[task];
      }

      for (const Recount& recount : recounts) recount.expect_equals(enabled);
    }
  }
}

TEST_P(FreeingOf, NamesEveryDataItemWhoseCountsChanged) {
  Rng rng(5, Draw::test, 0);
  const auto graph = oracle::random_graph(rng, 18, 7, 4, 3);
  EnabledTaskIndex enabled(graph, processors, GetParam());
  struct Known {
    std::uint32_t frees = 0;
    std::uint32_t nearly = 0;
    bool operator==(const Known&) const = default;
  };
  std::array<std::vector<Known>, processors> known;
  for (auto& one : known) one.resize(graph.data());
  std::vector<bool> is_open(graph.tasks(), true);
  for (int step = 0; step < 300; ++step) {
    const std::size_t shown = busy[rng.below(busy.size())];
    const auto data = static_cast<Index>(rng.below(graph.data()));
    const auto task = static_cast<Index>(rng.below(graph.tasks()));
    if (step > 0 && rng.below(2) == 0) {
      enabled.in_view(shown, data) ? enabled.hide(shown, data) : (void)enabled.show(shown, data);
    } else if (step > 0) {
      is_open[task] ? enabled.take(task) : (void)enabled.give_back(task);
      is_open[task] = !is_open[task];
    }
    for (std::size_t k = 0; k < processors; ++k) {
      std::set<Index> changed;

      enabled.for_each_changed(k, [&](Index number) {
        EXPECT_TRUE(changed.insert(enabled.numbered_item(k, number).data).second);
      });

      for (Index d = 0; d < graph.data(); ++d) {
        const Known now{enabled.item(k, d).frees, enabled.item(k, d).nearly};
        if (!changed.contains(d)) {
          EXPECT_EQ(now, known[k][d]) << d << " on " << k << " step " << step;
        }
        known[k][d] = now;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(PairInputs, FreeingOf, testing::Values(0, 2, 3));

TEST(EnabledTaskIndex, CountsTheTasksThatLackOneDataAlone) {
  const auto graph = oracle::product(3);  // rows 0 1 2, columns 3 4 5
  EnabledTaskIndex enabled(graph, 1, 0);
  for (Index data = 0; data < 6; ++data) EXPECT_EQ(enabled.item(0, data).frees, 0U);

  EXPECT_TRUE(enabled.show(0, 0).empty());
  EXPECT_EQ(enabled.show(0, 4), std::vector<Index>{1});

  // Column 3 frees (0, 3), rows 1 and 2 free (1, 4) and (2, 4); what is in view frees nothing.
  for (const auto& [data, frees] :
       {std::array<Index, 2>{0, 0}, {1, 1}, {2, 1}, {3, 1}, {4, 0}, {5, 1}}) {
    EXPECT_EQ(enabled.item(0, data).frees, frees) << data;
  }
}

TEST(EnabledTaskIndex, TellsWatchersAlone) {
  const auto graph = oracle::product(2);  // rows 0 1, columns 2 3
  EnabledTaskIndex enabled(graph, 3, 0);
  for (const std::size_t k : {0, 2}) {
    enabled.show(k, 0);
    enabled.for_each_changed(
        k, [&](Index number) { enabled.watch(k, enabled.numbered_item(k, number).data, k == 2); });
  }
  enabled.note_watched(3);
  std::vector<std::size_t> told;
  for (std::size_t k = 0; k < 3; ++k) {
    enabled.for_each_changed(k, [&](Index number) {
      EXPECT_EQ(enabled.numbered_item(k, number).data, 3U);
      told.push_back(k);
    });
  }
  EXPECT_EQ(told, std::vector<std::size_t>{2});
}

/// Of thousands of processors those that hold an input keep something of a task, and no others.
TEST(EnabledTaskIndex, ConcernsTheProcessorsThatHoldAnInput) {
  constexpr std::size_t many = 4096;
  constexpr std::array<std::size_t, 3> holders{7, 640, 4095};
  const auto graph = oracle::product(20);
  EnabledTaskIndex enabled(graph, many, 0);
  for (const std::size_t k : holders) enabled.show(k, 0);

  for (Index task = 0; task < graph.tasks(); ++task) enabled.take(task);
  for (Index task = 0; task < graph.tasks(); ++task) EXPECT_TRUE(enabled.give_back(task).empty());

  // Row 0 is there: the 20 columns free a task each.
  for (std::size_t k = 0; k < many; ++k) {
    const bool holds = std::find(holders.begin(), holders.end(), k) != holders.end();
    EXPECT_EQ(enabled.items(k), holds ? 20U : 0U) << k;
  }
}

}  // namespace
}  // namespace damocles::enabled_task_index_test
