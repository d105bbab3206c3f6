#include "gpu/memory/memory_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "models/rng.hpp"
#include "tests/gpu/plain_device.hpp"

namespace damocles::memory_pool_test {
namespace {

constexpr ProcessorId only{0};

TEST(SlotPool, HasItsSlotsAndNoMore) {
  PlainDevice device;
  SlotPool pool(device, only, 3, 100);

  std::set<std::byte*> slots{pool.take(), pool.take(), pool.take()};

  EXPECT_EQ(slots.size(), 3U);
  EXPECT_FALSE(slots.contains(nullptr));
  EXPECT_EQ(pool.take(), nullptr);
  pool.give_back(*slots.begin());
  EXPECT_EQ(pool.take(), *slots.begin());
  EXPECT_EQ(pool.slots(), 3U);
}

TEST(SlotPool, AlignsSlotsAsDeviceMemory) {
  PlainDevice device;
  SlotPool pool(device, only, 2, 257);

  for (int i = 0; i < 2; ++i) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool.take()) % 256, 0U);
}

TEST(SlotPool, WastesNothingBetweenAlignedSlots) {
  PlainDevice device;
  SlotPool pool(device, only, 2, 512);

  std::byte* const first = pool.take();
  EXPECT_EQ(pool.take() - first, 512);
}

TEST(SlotPool, WithoutSlotsGivesNothing) {
  PlainDevice device;

  EXPECT_EQ(SlotPool(device, only, 0, 8).take(), nullptr);
  EXPECT_EQ(device.held(), 0U);
}

TEST(MemoryPool, CountsBytesWhereSizesDiffer) {
  PlainDevice device;
  MemoryPool pool(device, only, 100, 0, 9);

  std::byte* const first = pool.take(60);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(pool.take(41), nullptr);
  std::byte* const second = pool.take(40);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(pool.take(1), nullptr);
  pool.give_back(first, 60);

  EXPECT_EQ(pool.used_bytes(), 40U);
  EXPECT_EQ(pool.peak_bytes(), 100U);
  EXPECT_EQ(device.held(), 1U);  // what is given back, others can have
  EXPECT_NE(pool.take(60), nullptr);
}

/// 1000 B hold 3 data items of 300 B, though four would be asked for; and no more slots are made
/// than there are data.
TEST(MemoryPool, HoldsWhatFitsOfOneSize) {
  PlainDevice device;
  MemoryPool by_bytes(device, only, 1000, 300, 99);
  MemoryPool by_data(device, only, 1000, 300, 2);

  for (int i = 0; i < 3; ++i) EXPECT_NE(by_bytes.take(300), nullptr);
  EXPECT_EQ(by_bytes.take(300), nullptr);
  for (int i = 0; i < 2; ++i) EXPECT_NE(by_data.take(300), nullptr);
  EXPECT_EQ(by_data.take(300), nullptr);
  EXPECT_EQ(by_bytes.peak_bytes(), 900U);
}

/// Taken and given back in random order: pieces never overlap, the sum never exceeds the capacity,
/// and what fits is never refused.
TEST(MemoryPool, KeepsItsBooksUnderAnyOrder) {
  for (const std::size_t uniform : {std::size_t{0}, std::size_t{7}}) {
    PlainDevice device;
    {
      Rng rng(3, Draw::test, uniform);
      MemoryPool pool(device, only, 70, uniform, 1000);
      std::vector<std::pair<std::byte*, std::size_t>> taken;
      std::uint64_t used = 0;
      std::uint64_t peak = 0;
      for (int step = 0; step < 2000; ++step) {
        if (!taken.empty() && rng.below(2) == 0) {
          std::swap(taken[rng.below(taken.size())], taken.back());
          pool.give_back(taken.back().first, taken.back().second);
          used -= taken.back().second;
          taken.pop_back();
          continue;
        }
        const std::size_t bytes = uniform > 0 ? uniform : 1 + rng.below(20);
        std::byte* const at = pool.take(bytes);
        ASSERT_EQ(at != nullptr, used + bytes <= 70);
        if (at == nullptr) continue;
        for (const auto& [other, size] : taken) {
          ASSERT_TRUE(at + bytes <= other || other + size <= at);
        }
        taken.emplace_back(at, bytes);
        used += bytes;
        peak = std::max(peak, used);
        ASSERT_EQ(pool.used_bytes(), used);
        ASSERT_EQ(pool.peak_bytes(), peak);
      }
      EXPECT_FALSE(taken.empty());
    }
    EXPECT_EQ(device.held(), 0U);  // also what was still taken
  }
}

}  // namespace
}  // namespace damocles::memory_pool_test
