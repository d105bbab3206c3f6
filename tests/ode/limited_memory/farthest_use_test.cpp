#include "ode/limited_memory/farthest_use.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <tuple>
#include <vector>

#include "models/rng.hpp"

namespace damocles::farthest_use_test {
namespace {

using Index = FarthestUse::Index;

bool always(Index) { return true; }

TEST(FarthestUse, GoesFirst) {
  FarthestUse held(4);
  EXPECT_EQ(held.first_if(always), std::nullopt);
  held.add(0, 7);
  held.add(1, FarthestUse::never);
  held.add(2, 9);
  EXPECT_EQ(held.first_if(always), 1U);
  EXPECT_EQ(held.first_if([](Index item) { return item != 1; }), 2U);
  held.set_next_use(2, 3);
  held.remove(1);
  EXPECT_EQ(held.first_if(always), 0U);
}

TEST(FarthestUse, BreaksTiesByTheLeastRecentTouch) {
  FarthestUse held(3);
  for (const Index item : {2, 0, 1}) held.add(item, 5);
  EXPECT_EQ(held.first_if(always), 2U);
  held.touch(2);
  EXPECT_EQ(held.first_if(always), 0U);
}

struct Use {
  bool held = false;
  Index next = 0;
  std::size_t touched = 0;
};

TEST(FarthestUse, AgreesWithASearchOverAllHeld) {
  for (const std::size_t data : {1, 5, 100}) {
    FarthestUse held(data);
    std::vector<Use> naive(data);
    Rng rng(1, Draw::test, data);
    for (std::size_t step = 1; step < 4000; ++step) {
      const auto item = static_cast<Index>(rng.below(data));
      Use& use = naive[item];
      const auto next = rng.below(4) == 0 ? FarthestUse::never : static_cast<Index>(rng.below(20));
      const std::uint64_t kind = rng.below(3);
      if (!use.held) {
        held.add(item, next);
        use = {.held = true, .next = next, .touched = step};
      } else if (kind == 0) {
        held.touch(item);
        use.touched = step;
      } else if (kind == 1) {
        held.set_next_use(item, next);
        use.next = next;
      } else {
        held.remove(item);
        use.held = false;
      }
      const std::uint64_t mask = rng.below(4);
      const auto may = [&](Index one) { return one % 4 != mask; };
      std::optional<Index> first;
      const auto rank = [&](Index one) {
        return std::tuple(naive[one].next, step - naive[one].touched);
      };
      for (Index one = 0; one < data; ++one) {
        if (!naive[one].held || !may(one)) continue;
        if (!first || rank(one) > rank(*first)) first = one;
      }
      ASSERT_EQ(held.first_if(may), first) << data << " step " << step;
    }
  }
}

}  // namespace
}  // namespace damocles::farthest_use_test
