#include "models/runs/node_memory.hpp"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace damocles::node_memory_test
