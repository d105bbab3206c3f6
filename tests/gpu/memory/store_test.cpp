#include "gpu/memory/store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "models/host_memory.hpp"
#include "tests/error_text.hpp"
#include "tests/gpu/plain_device.hpp"

namespace damocles::store_test {
namespace {

Arithmetic arithmetic_of(const Workload& workload, const ArithmeticOptions& options = {}) {
  return Arithmetic::of(workload, options, 3);
}

void expect_content(const Arithmetic& arithmetic, const Store& store) {
  for (std::uint64_t data = 0; data < arithmetic.data(); ++data) {
    std::vector<std::byte> expected(arithmetic.data_bytes(DataId{data}));
    arithmetic.fill(DataId{data}, expected);
    EXPECT_EQ(std::memcmp(store.data(DataId{data}), expected.data(), expected.size()), 0) << data;
  }
}

TEST(Store, HoldsWhatTheDataAreFilledWith) {
  PlainDevice device;
  for (const char* text :
       {"outer:n=9", "matrix:n=3", "cholesky:n=4,tile=5,deps=false", "gemm3d:n=2,tile=3"}) {
    const auto arithmetic = arithmetic_of(Workload::parse(text));
    expect_content(arithmetic, Store(arithmetic, device));
  }
}

TEST(Store, HoldsDataOfUnlikeSizesSideBySide) {
  TaskGraph::Parts parts;
  parts.bytes = {3, 100, 8, 64, 1};
  parts.add_task(std::array<TaskGraph::Index, 5>{0, 1, 2, 3, 4}, 1);
  const auto arithmetic =
      arithmetic_of(Workload::of_graph("odd sizes", TaskGraph(std::move(parts))));
  PlainDevice device;

  const Store store(arithmetic, device);

  expect_content(arithmetic, store);
}

TEST(Store, PoisonsEveryByteOfTheResults) {
  PlainDevice device;
  const auto arithmetic = arithmetic_of(Workload::parse("outer:n=4"), {.tile = 3, .rank = 1});
  Store store(arithmetic, device);

  for (std::uint64_t tile = 0; tile < arithmetic.outputs(); ++tile) {
    EXPECT_EQ(store.arrivals(tile), 0U);
    for (std::size_t at = 0; at < arithmetic.output_bytes(); ++at) {
      ASSERT_EQ(store.output(tile)[at], std::byte{0xff});
    }
  }
}

TEST(Store, AddsSumsToTheFirst) {
  PlainDevice device;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    Store store(arithmetic_of(Workload::parse("matrix:n=1"), {.precision = precision, .tile = 2}),
                device);
    const std::array<float, 4> single{1, 2, 3, 4};
    const std::array<double, 4> twice{1, 2, 3, 4};
    const auto* const sum = precision == Precision::fp32
                                ? reinterpret_cast<const std::byte*>(single.data())
                                : reinterpret_cast<const std::byte*>(twice.data());

    for (int i = 0; i < 3; ++i) store.add(0, sum);

    EXPECT_EQ(store.arrivals(0), 3U);
    for (std::size_t i = 0; i < 4; ++i) {
      const double number = precision == Precision::fp32
                                ? reinterpret_cast<const float*>(store.output(0))[i]
                                : reinterpret_cast<const double*>(store.output(0))[i];
      EXPECT_EQ(number, 3 * twice[i]);
    }
  }
}

TEST(Store, TakesSumsFromManyThreads) {
  constexpr std::uint64_t threads = 4;
  constexpr int times = 50;
  PlainDevice device;
  const auto arithmetic = arithmetic_of(Workload::parse("matrix:n=3"), {.tile = 4});
  Store store(arithmetic, device);
  const std::vector<float> ones(16, 1);

  {
    std::vector<std::jthread> adding;
    for (std::uint64_t t = 0; t < threads; ++t) {
      adding.emplace_back([&, t] {
        for (int i = 0; i < times; ++i) {
          for (std::uint64_t tile = 0; tile < 9; ++tile) {
            store.add((tile + t) % 9, reinterpret_cast<const std::byte*>(ones.data()));
          }
        }
      });
    }
  }

  for (std::uint64_t tile = 0; tile < 9; ++tile) {
    EXPECT_EQ(store.arrivals(tile), threads * times);
    EXPECT_EQ(reinterpret_cast<const float*>(store.output(tile))[15], threads * times);
  }
}

TEST(Store, GivesTheMemoryBackToTheDevice) {
  PlainDevice device;
  {
    const Store store(arithmetic_of(Workload::parse("outer:n=4")), device);
    EXPECT_EQ(device.held(), 2U);
  }
  EXPECT_EQ(device.held(), 0U);
}

/// Has room for one piece only.
class NarrowDevice final : public PlainDevice {
 public:
  std::byte* allocate_host(std::size_t bytes) override {
    if (held() == 1) throw DeviceError("no memory left");
    return PlainDevice::allocate_host(bytes);
  }
};

TEST(Store, GivesTheMemoryBackWhereThereIsTooLittle) {
  NarrowDevice device;

  EXPECT_THROW(Store(arithmetic_of(Workload::parse("outer:n=4")), device), DeviceError);
  EXPECT_EQ(device.held(), 0U);
}

TEST(Store, RefusesWhatTheHostCannotHoldBeforeAllocating) {
  PlainDevice device;

  // 2 10^6 panels of 14.7 MB and 10^12 tiles of 3.7 MB
  const auto text =
      error_text([&] { Store(arithmetic_of(Workload::parse("gemm2d:n=1000000")), device); });

  EXPECT_TRUE(text.starts_with("data and results take 3.686e+09 GB and this machine has ")) << text;
  EXPECT_EQ(device.held(), 0U);
}

TEST(HostMemory, IsReadFromTheSystem) {
  const auto available = available_host_memory();

  ASSERT_TRUE(available.has_value());
  EXPECT_GT(*available, 1U << 20U);
  EXPECT_LT(*available, std::uint64_t{1} << 50U);
}

TEST(HostMemory, IsRefusedByBothSizes) {
  EXPECT_EQ(error_text([] { require_host_memory(2e9, 1'500'000'000); }),
            "data and results take 2 GB and this machine has 1.5 GB of memory to spare; take fewer "
            "or smaller blocks, or set DAMOCLES_HOST_MEMORY=100GB to override");
  EXPECT_EQ(error_text([] { require_host_memory(1.5e9, 1'500'000'000); }), "no error");
  EXPECT_EQ(error_text([] { require_host_memory(1e30, std::nullopt); }), "no error");
}

}  // namespace
}  // namespace damocles::store_test
