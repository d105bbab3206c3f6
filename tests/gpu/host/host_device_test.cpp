#include "gpu/host/host_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "models/error.hpp"
#include "tests/gpu/host/soonest.hpp"

namespace damocles::host_device_test {
namespace {

constexpr ProcessorId only{0};
constexpr std::size_t mib = 1U << 20U;

/// A bus of 64 MiB/s, and one link of that share of it.
MachineModel bus(double link_share) {
  const double rate = 64 * static_cast<double>(mib);
  MachineModel machine{.processors = {{.flops_per_s = 1, .memory_bytes = 1}},
                       .bus_bytes_per_s = rate};
  machine.processors[0].link_bytes_per_s = link_share * rate;
  return machine;
}

struct Buffers {
  std::vector<std::byte> a = std::vector<std::byte>(mib);
  std::vector<std::byte> b = std::vector<std::byte>(mib);
};

/// A link carries both ways at once, as in the simulator: 1 MiB in and 1 MiB out over a quarter of
/// the bus take 1/16 s each, at the same time.
TEST(HostDevice, LinksCarryBothWaysAtOnce) {
  const auto device =
      make_host_device({.processors = 1, .bus = bus(0.25), .paced = true, .writes_on_bus = true});
  Buffers load;
  Buffers write;
  double both = 1;
  for (int attempt = 0; attempt < 5; ++attempt) {  // threads that are late wait for each other
    device->start_clock();
    device->start_load(only, load.a.data(), load.b.data(), mib, 0);
    device->start_write(only, write.a.data(), write.b.data(), mib, 0);
    Interval in;
    std::thread loader([&] { in = device->finish_load(only); });
    const Interval out = device->finish_write(only);
    loader.join();
    EXPECT_GE(std::min(in.end_s, out.end_s), 1.0 / 16 - 1e-9);
    both = std::min(both, std::max(in.end_s, out.end_s));
  }

  EXPECT_LT(both, 1.75 / 16);
}

/// The second run starts at time 0 again, so what it says is the same as in the first: 1 MiB over
/// 64 MiB/s.
TEST(HostDevice, HasAFreeBusAtTheStartOfEveryRun) {
  const auto device = make_host_device({.processors = 1, .bus = bus(1), .paced = true});
  const auto run = [&] {
    Buffers load;
    device->start_clock();
    device->start_load(only, load.a.data(), load.b.data(), mib, 0);
    const double end_s = device->finish_load(only).end_s;
    EXPECT_GE(end_s, 1.0 / 64 - 1e-9);
    return end_s;
  };
  run();

  EXPECT_NEAR(soonest(run), 1.0 / 64, 1e-9);  // of those that another came before
}

TEST(HostDevice, ForgetsACancelledRunWhenTheNextStarts) {
  const auto device = make_host_device({.processors = 1, .bus = bus(1), .paced = true});
  const double end_s = soonest([&] {
    Buffers cancelled;
    Buffers load;
    load.b.assign(mib, std::byte{7});
    device->start_clock();
    device->start_load(only, cancelled.a.data(), cancelled.b.data(), mib, 0);
    device->cancel();

    device->start_clock();
    device->start_load(only, load.a.data(), load.b.data(), mib, 0);
    const Interval when = device->finish_load(only);
    EXPECT_GE(when.end_s, 1.0 / 64 - 1e-9);
    EXPECT_GE(device->now_s(), when.end_s);  // it waited
    EXPECT_EQ(load.a, load.b);
    return when.end_s;
  });

  EXPECT_NEAR(end_s, 1.0 / 64, 1e-9);
}

TEST(HostDevice, RefusesAFinishWithoutAStart) {
  const auto device = make_host_device({.processors = 1});

  EXPECT_THROW((void)device->finish_load(only), DeviceError);
  EXPECT_THROW((void)device->finish_task(only), DeviceError);
  EXPECT_THROW((void)device->finish_write(only), DeviceError);
}

TEST(HostDevice, RefusesMemoryNobodyHas) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers end the program where memory is not to be had";
#endif
  const auto device = make_host_device({.processors = 1});

  EXPECT_THROW((void)device->allocate(only, std::size_t{1} << 60U), InvalidInput);
}

/// A task of 20 ms that could start at 5 ms ends at 25 ms, however short its kernel.
TEST(HostDevice, PacesTasks) {
  const auto device = make_host_device({.processors = 1, .paced = true});
  device->prepare({.kind = Kernel::Kind::empty});
  device->start_clock();
  TaskCall call;
  call.ready_s = 0.005;
  call.paced_s = 0.02;
  device->start_task(only, call);

  const Interval when = device->finish_task(only);

  EXPECT_EQ(when.begin_s, 0.005);
  EXPECT_NEAR(when.end_s, 0.025, 1e-12);
  EXPECT_GE(device->now_s(), when.end_s);
}

}  // namespace
}  // namespace damocles::host_device_test
