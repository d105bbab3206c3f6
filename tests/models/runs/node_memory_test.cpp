#include "models/runs/node_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "models/rng.hpp"

namespace damocles::node_memory_test {
namespace {

TEST(NodeMemory, RemembersWhoHoldsWhat) {
  // 1, 64, 65 and 130 processors: one word a data item, exactly one, two and three.
  for (const std::uint32_t processors : {1U, 64U, 65U, 130U}) {
    constexpr std::uint64_t data = 37;
    NodeMemory memory(processors, data);
    std::set<std::pair<std::uint32_t, std::uint64_t>> held;
    Rng rng(1, Draw::test, processors);

    for (int i = 0; i < 2000; ++i) {
      const auto p = static_cast<std::uint32_t>(rng.below(processors));
      const std::uint64_t d = rng.below(data);
      memory.prefetch(DataId{d});
      EXPECT_EQ(memory.resident(ProcessorId{p}, DataId{d}), held.contains({p, d}));
      EXPECT_EQ(memory.load(ProcessorId{p}, DataId{d}), held.insert({p, d}).second);
    }

    for (std::uint32_t p = 0; p < processors; ++p) {
      for (std::uint64_t d = 0; d < data; ++d) {
        ASSERT_EQ(memory.resident(ProcessorId{p}, DataId{d}), held.contains({p, d}));
      }
    }
  }
}

TEST(NodeMemory, TellsWhatCameAndWentAsLongAsItWasLittle) {
  constexpr ProcessorId processor{1};
  NodeMemory memory(3, 20);
  memory.load(processor, DataId{5});
  memory.remember_changes();
  std::vector<std::pair<DataId, bool>> changed;
  Rng rng(1, Draw::test, 0);
  for (int i = 0; i < 2000; ++i) {
    const DataId data{rng.below(20)};
    const std::uint64_t before = memory.changes(processor) - changed.size();
    const bool held = memory.resident(processor, data);
    if (rng.below(3) == 0) {
      memory.load(processor, data);
      if (!held) changed.emplace_back(data, true);
    } else if (rng.below(2) == 0) {
      memory.evict(processor, data);
      if (held) changed.emplace_back(data, false);
    } else {
      memory.keep_only(ProcessorId{0}, data);
      if (held) changed.emplace_back(data, false);
    }
    std::vector<std::pair<DataId, bool>> told;
    const bool all = memory.for_each_change(
        processor, before, [&](DataId one, bool came) { told.emplace_back(one, came); });
    ASSERT_EQ(all, changed.size() <= 31);
    if (all) {
      ASSERT_EQ(told, changed);
    }
    if (changed.size() > 32) changed.clear();
  }
}

}  // namespace
}  // namespace damocles::node_memory_test
