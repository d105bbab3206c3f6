#include "gpu/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "gpu/host/host_device.hpp"

namespace damocles::calibration_test {
namespace {

double peak(std::size_t processors) {
  const auto workload = Workload::parse("gemm2d:n=2,tile=64,k=64");
  const auto device = make_host_device({.processors = processors});
  return measure_peak(Arithmetic::of(workload, {}, 1), workload, *device, 0.02);
}

TEST(MeasurePeak, DoesNotGrowWithProcessorsThatShareTheCores) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());

  // Each of 16 processors a core has a 16th of it; 4 leaves room for a busy machine.
  EXPECT_LT(peak(16 * cores), 4 * std::max(peak(cores), peak(cores)));
}

Calibration calibrated(const DeviceRequest& options) {
  const auto workload = Workload::parse("gemm2d:n=2,tile=16,k=16");
  const auto device = make_host_device(options);
  return calibrate(Arithmetic::of(workload, {}, 1), workload, *device, 0.002);
}

// That of processors that take turns: FakeGpu.Calibrate.
TEST(Calibration, SeesThatCopiesOfThreadsGoSideBySide) {
  EXPECT_EQ(calibrated({.processors = 1}).sharing, BusSharing::fair);
  // On a busy machine a thread may come late, now and then.
  bool seen = false;
  for (int i = 0; i < 3 && !seen; ++i) {
    seen = calibrated({.processors = 2}).sharing == BusSharing::fair;
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace damocles::calibration_test
