// Waits that others imply, against a search for other ways.

#include "orders/implied_waits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/rng.hpp"

namespace damocles::implied_waits_test {
namespace {

using Index = Dependencies::Index;
using Pairs = std::vector<std::pair<Index, Index>>;

Pairs kept(std::vector<PlannedWait> waits, const std::vector<Index>& order) {
  drop_implied_waits(waits, order);
  Pairs result;
  for (const PlannedWait& wait : waits) result.emplace_back(wait.before, wait.after);
  return result;
}

TEST(ImpliedWaits, AreLeftOutWhereNothingPasses) {
  const std::vector<Index> order{0, 1, 2, 3};
  EXPECT_EQ(kept({{0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {1, 2, 0}, {2, 3, 0}}, order),
            (Pairs{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(kept({{0, 1, 0}, {0, 2, 7}, {0, 3, 0}, {1, 2, 0}, {2, 3, 0}}, order),
            (Pairs{{0, 1}, {0, 2}, {1, 2}, {2, 3}}));
  EXPECT_EQ(kept({{0, 2, 0}, {0, 3, 0}, {1, 2, 0}, {1, 3, 0}}, order),
            (Pairs{{0, 2}, {0, 3}, {1, 2}, {1, 3}}));
  EXPECT_EQ(kept({}, order), Pairs{});
}

/// Graphs of up to 300 tasks, so that there are several words of targets.
TEST(ImpliedWaits, AreThoseWithAnotherWay) {
  Rng rng(11, Draw::test, 0);
  for (int instance = 0; instance < 30; ++instance) {
    const std::size_t tasks = 2 + rng.below(instance < 20 ? 20 : 300);
    std::vector<Index> order(tasks);
    for (Index task = 0; task < tasks; ++task) order[task] = task;
    rng.shuffle(std::span(order));
    std::vector<std::vector<bool>> edge(tasks, std::vector<bool>(tasks));
    std::vector<PlannedWait> waits;
    const std::uint64_t one_in = 2 + rng.below(tasks / 2 + 1);
    for (std::size_t from = 0; from < tasks; ++from) {
      for (std::size_t to = from + 1; to < tasks; ++to) {
        if (rng.below(one_in) > 0) continue;
        edge[order[from]][order[to]] = true;
        waits.push_back({order[from], order[to], rng.below(4) == 0 ? 1.0 : 0.0});
      }
    }
    std::sort(waits.begin(), waits.end(), [](const PlannedWait& a, const PlannedWait& b) {
      return std::pair(a.before, a.after) < std::pair(b.before, b.after);
    });
    std::vector<std::vector<bool>> way = edge;
    for (std::size_t at = tasks; at-- > 0;) {
      const Index task = order[at];
      for (Index later = 0; later < tasks; ++later) {
        for (Index far = 0; edge[task][later] && far < tasks; ++far) {
          if (way[later][far]) way[task][far] = true;
        }
      }
    }
    Pairs expected;
    for (const PlannedWait& wait : waits) {
      bool implied = false;
      for (Index by = 0; by < tasks; ++by) {
        implied = implied || (edge[wait.before][by] && way[by][wait.after]);
      }
      if (!implied || wait.transfer_s > 0) expected.emplace_back(wait.before, wait.after);
    }

    EXPECT_EQ(kept(waits, order), expected) << "instance " << instance;
  }
}

}  // namespace
}  // namespace damocles::implied_waits_test
