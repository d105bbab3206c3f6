#include "models/runs/min_reloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "models/rng.hpp"

namespace damocles::min_reloads_test {
namespace {

using Use = MemoryRequests::Use;

/// Requests of one item each, without pins.
MemoryRequests one_by_one(const std::vector<std::uint32_t>& items) {
  MemoryRequests all;
  for (const std::uint32_t item : items) {
    const auto at = all.uses.size();
    all.uses.push_back({item, true});
    all.requests.push_back({at, at + 1, false, 0, 0});
  }
  return all;
}

TEST(MinReloads, AreNoneWhereAllItemsFit) {
  EXPECT_EQ(min_reloads(one_by_one({0, 1, 2, 0, 1, 2}), {1, 1, 1}, 3).loads, 0U);
}

/// 0 1 2 | 0 1 2 with room for two: MIN keeps 0, then reloads 1 (or 2, which leaves no room to
/// gain).
TEST(MinReloads, EvictWhatIsNeededLast) {
  const Reloads reloads = min_reloads(one_by_one({0, 1, 2, 0, 1, 2}), {5, 5, 5}, 10);

  EXPECT_EQ(reloads.loads, 1U);
  EXPECT_EQ(reloads.bytes, 5U);
}

TEST(MinReloads, CostNothingWhereAnItemIsMadeAnew) {
  MemoryRequests all = one_by_one({0, 1, 0});
  all.uses[2].loaded = false;

  EXPECT_EQ(min_reloads(all, {1, 1}, 1).loads, 0U);
}

/// Item 0 is pinned from the first request to the last, so that 1 and 2 take turns beside it.
TEST(MinReloads, KeepPinnedItems) {
  MemoryRequests all = one_by_one({0, 1, 2, 1, 2, 0});
  all.requests[0].pins = true;
  EXPECT_EQ(min_reloads(all, {1, 1, 1}, 2).loads, 2U);

  all.requests[0].pins = false;
  EXPECT_EQ(min_reloads(all, {1, 1, 1}, 2).loads, 1U);
  EXPECT_EQ(min_reloads(all, {1, 1, 1}, 1).loads, 3U);
}

/// The fewest reloads of any eviction, by trying all of them.
class Exhaustive {
 public:
  Exhaustive(const MemoryRequests& all, std::size_t memory) : all_(all), memory_(memory) {}

  std::uint64_t run() { return from(0, {}, {}, {}); }

 private:
  using Items = std::set<std::uint32_t>;
  using Pins = std::map<std::uint32_t, int>;
  static constexpr std::uint64_t impossible = std::numeric_limits<std::uint64_t>::max() / 2;

  std::uint64_t from(std::size_t at, Items held, Items seen, Pins pins) {
    if (at == all_.requests.size()) return 0;
    const auto& request = all_.requests[at];
    std::uint64_t reloads = 0;
    Items asked;
    for (auto u = request.uses_begin; u < request.uses_end; ++u) {
      const Use& use = all_.uses[u];
      if (held.insert(use.item).second && use.loaded && seen.contains(use.item)) ++reloads;
      seen.insert(use.item);
      asked.insert(use.item);
      if (request.pins) ++pins[use.item];
    }
    Items free;
    for (const std::uint32_t item : held) {
      if (!asked.contains(item) && pins[item] == 0) free.insert(item);
    }
    const std::size_t excess = held.size() > memory_ ? held.size() - memory_ : 0;
    if (excess > free.size()) return impossible;
    for (auto k = request.released_begin; k < request.released_end; ++k) --pins[all_.released[k]];
    return reloads + best_of(at, excess, held, seen, pins, {free.begin(), free.end()}, 0);
  }

  /// Over all sets of `excess` items among the free ones from the k-th on.
  std::uint64_t best_of(std::size_t at, std::size_t excess, const Items& held, const Items& seen,
                        const Pins& pins, const std::vector<std::uint32_t>& free, std::size_t k) {
    if (excess == 0) return from(at + 1, held, seen, pins);
    std::uint64_t best = impossible;
    for (; k < free.size(); ++k) {
      Items less = held;
      less.erase(free[k]);
      best = std::min(best, best_of(at, excess - 1, less, seen, pins, free, k + 1));
    }
    return best;
  }

  const MemoryRequests& all_;
  std::size_t memory_;
};

/// Tasks of one or two of eight items, some of which stay until the next task.
MemoryRequests drawn_requests(Rng& rng) {
  MemoryRequests all;
  std::vector<std::uint32_t> to_release;
  for (std::uint64_t task = 8 + rng.below(5); task > 0; --task) {
    MemoryRequests::Request request{all.uses.size(), 0, rng.below(3) == 0, all.released.size(), 0};
    for (const std::uint32_t item : to_release) all.released.push_back(item);
    to_release.clear();
    std::set<std::uint32_t> items;
    for (std::uint64_t more = 1 + rng.below(2); more > 0; --more) {
      items.insert(static_cast<std::uint32_t>(rng.below(8)));
    }
    for (const std::uint32_t item : items) {
      all.uses.push_back({item, rng.below(5) > 0});
      if (request.pins) to_release.push_back(item);
    }
    request.uses_end = all.uses.size();
    request.released_end = all.released.size();
    all.requests.push_back(request);
  }
  return all;
}

TEST(MinReloads, AreTheFewestOfAllEvictions) {
  constexpr std::size_t room = 4;  // for two that are pinned and two that are asked for
  Rng rng(5, Draw::test, 0);
  std::uint64_t with_reloads = 0;
  for (int k = 0; k < 400; ++k) {
    const MemoryRequests all = drawn_requests(rng);
    const auto reloads = min_reloads(all, std::vector<std::uint64_t>(8, 1), room).loads;
    ASSERT_EQ(reloads, Exhaustive(all, room).run()) << k;
    with_reloads += reloads > 0 ? 1U : 0U;
  }
  EXPECT_GT(with_reloads, 40U);
}

}  // namespace
}  // namespace damocles::min_reloads_test
