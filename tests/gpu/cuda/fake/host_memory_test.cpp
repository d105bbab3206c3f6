#include "gpu/cuda/host_memory.hpp"

#include <gtest/gtest.h>

#include <string>

#include "gpu/cuda/check.hpp"
#include "tests/gpu/cuda/fake/fake.hpp"

namespace damocles::cuda {
namespace {

constexpr std::size_t mapped_from = 1U << 20U;
constexpr std::size_t large = (3U << 20U) + 8;

// Whether a copy to the GPU may begin anywhere in it, and the last byte can be written.
bool is_pinned(std::byte* at, std::size_t bytes) {
  at[bytes - 1] = std::byte{7};
  return fake::place_of(at, bytes) == fake::Place::host;
}

TEST(HostMemory, IsPinnedWhateverItsSize) {
  HostMemory memory(mapped_from);
  for (const std::size_t bytes : {std::size_t{1}, mapped_from - 1, mapped_from, large}) {
    std::byte* const at = memory.allocate(bytes);
    EXPECT_TRUE(is_pinned(at, bytes)) << bytes;
    memory.release(at);
    EXPECT_EQ(fake::place_of(at, 1), fake::Place::nowhere) << bytes;
  }
}

TEST(HostMemory, OfNoBytesIsAPieceToo) {
  HostMemory memory(mapped_from);
  std::byte* const at = memory.allocate(0);
  EXPECT_NE(at, nullptr);
  memory.release(at);
  memory.release(nullptr);
}

TEST(HostMemory, IsTheDriversWhereItPinsNoOther) {
  const fake::Being refusing({.registers_memory = false});
  HostMemory memory(mapped_from);
  std::byte* const at = memory.allocate(large);
  EXPECT_TRUE(is_pinned(at, large));
  memory.release(at);
}

TEST(HostMemory, ThatCannotBePinnedIsSaid) {
  const fake::Being poor({.pinnable_bytes = large});
  HostMemory memory(mapped_from);
  std::byte* const at = memory.allocate(large);
  for (const std::size_t bytes : {std::size_t{8}, large}) {
    try {
      (void)memory.allocate(bytes);
      ADD_FAILURE() << bytes;
    } catch (const DeviceError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("out of host memory: ", 0), 0U) << error.what();
    }
  }
  memory.release(at);
  memory.release(memory.allocate(large));  // and all of it is to be had again
}

}  // namespace
}  // namespace damocles::cuda
