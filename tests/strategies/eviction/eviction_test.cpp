#include "strategies/eviction/eviction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/error_text.hpp"
#include "tests/statistics.hpp"

namespace damocles::eviction_test {
namespace {

constexpr ProcessorId first{0};
constexpr ProcessorId second{1};

/// A processor's memory as a test wants it.
struct FakeCandidates final : EvictionCandidates {
  std::set<std::uint64_t> pinned;
  std::map<std::uint64_t, std::uint32_t> buffered;
  std::map<std::uint64_t, std::uint64_t> next;  ///< never, where not given

  [[nodiscard]] bool evictable(DataId data) const override { return !pinned.contains(raw(data)); }
  [[nodiscard]] std::uint32_t buffered_uses(DataId data) const override {
    const auto at = buffered.find(raw(data));
    return at == buffered.end() ? 0 : at->second;
  }
  [[nodiscard]] std::uint64_t next_use(DataId data) const override {
    const auto at = next.find(raw(data));
    return at == next.end() ? Strategy::never : at->second;
  }
};

struct FakeStrategy final : Strategy {
  std::map<std::uint64_t, std::uint32_t> planned;

  void request(ProcessorId, Grant&) override {}
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId, DataId data) const override {
    const auto at = planned.find(raw(data));
    return at == planned.end() ? 0 : at->second;
  }
};

/// A policy for two processors and ten data items, driven by hand.
struct Policy {
  explicit Policy(const std::string& name, std::uint64_t seed = 1)
      : eviction(Table<EvictionEntry>::named(name).make(
            {2, 10, strategy, Rng(seed, Draw::eviction, 0)})) {}

  void load(std::initializer_list<std::uint64_t> data, ProcessorId processor = first) const {
    for (const auto d : data) eviction->on_loaded(processor, DataId{d});
  }
  void use(std::uint64_t data) const { eviction->on_used(first, DataId{data}); }
  /// Evicts until nobody is left to evict; who went, in order.
  [[nodiscard]] std::vector<std::uint64_t> evict_all(ProcessorId processor = first) const {
    std::vector<std::uint64_t> gone;
    while (const auto victim = eviction->victim(processor, candidates)) {
      eviction->on_evicted(processor, *victim);
      gone.push_back(raw(*victim));
      if (gone.size() > 10) break;
    }
    return gone;
  }

  FakeStrategy strategy;
  FakeCandidates candidates;
  std::unique_ptr<Eviction> eviction;
};

using Ids = std::vector<std::uint64_t>;

TEST(Evictions, AreATableSortedByName) {
  std::vector<std::string> names;
  for (const auto& entry : evictions()) {
    names.push_back(entry.name);
    EXPECT_FALSE(entry.source.empty());
    EXPECT_FALSE(entry.summary.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"belady", "chosen", "fifo", "lru", "lru-clean", "luf",
                                             "random"}));
  EXPECT_EQ(
      error_text([] { (void)Table<EvictionEntry>::named("bellady"); }),
      "unknown eviction policy 'bellady'; did you mean 'belady'? valid: belady, chosen, fifo, lru, "
      "lru-clean, luf, random");
}

TEST(Lru, EvictsWhatWasUsedLongestAgo) {
  Policy lru("lru");
  lru.load({1, 2, 3, 4});
  lru.use(2);
  lru.use(1);

  EXPECT_EQ(lru.evict_all(), (Ids{3, 4, 2, 1}));
}

TEST(Lru, CountsALoadAsAUse) {
  Policy lru("lru");
  lru.load({1, 2});
  lru.use(1);
  lru.load({3});

  EXPECT_EQ(lru.evict_all(), (Ids{2, 1, 3}));
}

TEST(Fifo, EvictsInTheOrderOfLoadsWhateverIsUsed) {
  Policy fifo("fifo");
  fifo.load({4, 2, 3});
  fifo.use(4);
  fifo.use(2);

  EXPECT_EQ(fifo.evict_all(), (Ids{4, 2, 3}));
}

TEST(Fifo, TakesADataThatCameBackAsNew) {
  Policy fifo("fifo");
  fifo.load({1, 2});
  fifo.eviction->on_evicted(first, DataId{1});
  fifo.load({1});

  EXPECT_EQ(fifo.evict_all(), (Ids{2, 1}));
}

TEST(Belady, EvictsTheFurthestNextUse) {
  Policy belady("belady");
  belady.load({1, 2, 3, 4});
  belady.candidates.next = {{1, 5}, {2, 9}, {4, 0}};  // 3: never

  EXPECT_EQ(belady.evict_all(), (Ids{3, 2, 1, 4}));
}

TEST(Belady, BreaksTiesByLeastRecentlyUsed) {
  Policy belady("belady");
  belady.load({1, 2, 3, 4});
  belady.candidates.next = {{1, 7}, {2, 7}, {3, 7}};
  belady.use(1);

  EXPECT_EQ(belady.evict_all(), (Ids{4, 2, 3, 1}));
}

TEST(Luf, EvictsTheLeastPlannedOfWhatNoBufferedTaskReads) {
  Policy luf("luf");
  luf.load({1, 2, 3, 4});
  luf.candidates.buffered = {{1, 1}};
  luf.candidates.next = {{1, 3}};
  luf.strategy.planned = {{2, 5}, {3, 2}, {4, 4}};

  // 1 has no planned task, but a buffered one: it goes last.
  EXPECT_EQ(luf.evict_all(), (Ids{3, 4, 2, 1}));
}

TEST(Luf, EvictsTheFurthestIfBufferedTasksReadAll) {
  Policy luf("luf");
  luf.load({1, 2, 3});
  luf.candidates.buffered = {{1, 1}, {2, 2}, {3, 1}};
  luf.candidates.next = {{1, 1}, {2, 3}, {3, 2}};

  EXPECT_EQ(luf.evict_all(), (Ids{2, 3, 1}));
}

TEST(Luf, BreaksTiesByLeastRecentlyUsed) {
  Policy luf("luf");
  luf.load({1, 2, 3});
  luf.strategy.planned = {{1, 1}, {2, 1}, {3, 1}};
  luf.use(1);

  EXPECT_EQ(luf.evict_all(), (Ids{2, 3, 1}));
}

TEST(RandomEviction, EvictsEachDataEquallyOften) {
  // 3 of the 4 may go.
  std::vector<double> counts(4, 0);
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    Policy random("random", seed);
    random.load({0, 1, 2, 3});
    random.candidates.pinned = {2};
    ++counts.at(raw(*random.eviction->victim(first, random.candidates)));
  }

  EXPECT_EQ(counts[2], 0);
  counts.erase(counts.begin() + 2);
  EXPECT_LT(chi_square(counts), chi_square_bound(3));
}

TEST(RandomEviction, EvictsInEachOrderEquallyOften) {
  std::map<Ids, double> orders;
  for (std::uint64_t seed = 0; seed < 6'000; ++seed) {
    Policy random("random", seed);
    random.load({7, 8, 9});
    ++orders[random.evict_all()];
  }

  std::vector<double> counts;
  for (const auto& [order, count] : orders) counts.push_back(count);
  ASSERT_EQ(counts.size(), 6U);
  EXPECT_LT(chi_square(counts), chi_square_bound(6));
}

/// What holds for every policy of the table.
class EveryEviction : public testing::TestWithParam<std::string> {};

TEST_P(EveryEviction, NeverEvictsWhatIsPinned) {
  Policy policy(GetParam());
  policy.load({0, 1, 2, 3, 4});
  policy.candidates.pinned = {0, 3};
  policy.candidates.next = {{1, 4}, {2, 2}, {4, 1}};

  auto gone = policy.evict_all();

  std::sort(gone.begin(), gone.end());
  EXPECT_EQ(gone, (Ids{1, 2, 4}));
  policy.candidates.pinned.clear();
  gone = policy.evict_all();
  std::sort(gone.begin(), gone.end());
  EXPECT_EQ(gone, (Ids{0, 3}));
}

TEST_P(EveryEviction, HasNobodyToEvictFromAnEmptyMemory) {
  Policy policy(GetParam());
  EXPECT_EQ(policy.evict_all(), Ids{});

  policy.load({1});

  EXPECT_EQ(policy.evict_all(), Ids{1});
  EXPECT_EQ(policy.evict_all(), Ids{});
}

TEST_P(EveryEviction, KeepsTheMemoriesOfProcessorsApart) {
  Policy policy(GetParam());
  policy.load({1, 2});
  policy.load({2}, second);

  EXPECT_EQ(policy.evict_all(second), Ids{2});
  auto gone = policy.evict_all();
  std::sort(gone.begin(), gone.end());
  EXPECT_EQ(gone, (Ids{1, 2}));
}

INSTANTIATE_TEST_SUITE_P(Table, EveryEviction, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& entry : evictions()) names.push_back(entry.name);
                           return names;
                         }()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace damocles::eviction_test
