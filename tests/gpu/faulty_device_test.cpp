#include "tests/gpu/faulty_device.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "gpu/host/host_device.hpp"

namespace damocles::faulty_device_test {
namespace {

constexpr ProcessorId p0{0};
constexpr ProcessorId p1{1};

/// The checks of the device that checks others.
class FaultyDeviceChecks : public testing::Test {
 protected:
  FaultyDeviceChecks() { device.prepare({.kind = Kernel::Kind::empty}); }
  ~FaultyDeviceChecks() override {
    device.cancel();
    for (std::byte* const at : {here, there}) device.release(p0, at);
    for (std::byte* const at : {home, away}) device.release_host(at);
  }

  void task(const std::byte* reads, std::byte* writes, bool accumulate = false) {
    TaskCall call;
    call.inputs = {{reads, 64}};
    call.output = writes;
    call.accumulate = accumulate;
    device.start_task(p0, call);
  }

  FaultyDevice device{make_host_device({.processors = 2}), {}};
  std::byte* here = device.allocate(p0, 64);
  std::byte* there = device.allocate(p0, 64);
  std::byte* home = device.allocate_host(64);
  std::byte* away = device.allocate_host(64);
};

TEST_F(FaultyDeviceChecks, AcceptWorkInOrder) {
  device.start_load(p0, here, home, 64, 0);
  (void)device.finish_load(p0);
  task(here, there);
  task(here, there, true);
  (void)device.finish_task(p0);
  (void)device.finish_task(p0);
  device.start_write(p0, away, there, 64, 0);
  device.start_load(p0, here, home, 64, 0);
  (void)device.finish_write(p0);
  (void)device.finish_load(p0);

  EXPECT_EQ(device.take_broken(), "");
}

TEST_F(FaultyDeviceChecks, SeeALoadIntoWhatATaskReads) {
  task(here, there);
  device.start_load(p0, here, home, 64, 0);
  EXPECT_EQ(device.take_broken(), "start_load writes what is being read");
}

TEST_F(FaultyDeviceChecks, SeeATaskThatReadsWhatIsBeingLoaded) {
  device.start_load(p0, here, home, 64, 0);
  task(here, there);
  EXPECT_EQ(device.take_broken(), "start_task reads what is being written");
}

TEST_F(FaultyDeviceChecks, SeeTwoLoadsIntoOnePlace) {
  device.start_load(p0, here, home, 64, 0);
  device.start_load(p0, here + 8, away, 8, 0);
  EXPECT_EQ(device.take_broken(), "start_load writes what is being written");
}

TEST_F(FaultyDeviceChecks, SeeAnOutputInUseTwice) {
  task(here, there);
  task(here, there);
  EXPECT_EQ(device.take_broken(), "start_task writes what is being written");
}

TEST_F(FaultyDeviceChecks, SeeAResultThatLeavesTooEarly) {
  task(here, there);
  device.start_write(p0, home, there, 64, 0);
  EXPECT_EQ(device.take_broken(), "start_write reads what is being written");
}

TEST_F(FaultyDeviceChecks, SeeMemoryThatIsNotThere) {
  device.start_load(p0, here + 1, home, 64, 0);
  EXPECT_EQ(device.take_broken(), "start_load outside of all memory");
}

TEST_F(FaultyDeviceChecks, SeeMemoryReleasedInUse) {
  std::byte* const piece = device.allocate(p0, 64);
  device.start_load(p0, piece, home, 64, 0);
  (void)device.finish_load(p0);
  std::byte* const other = device.allocate(p0, 64);
  device.start_load(p0, other, home, 64, 0);
  device.release(p0, piece);
  EXPECT_EQ(device.take_broken(), "");
  device.release(p0, other);
  EXPECT_EQ(device.take_broken(), "memory is released while work uses it");
  EXPECT_EQ(device.held(), 4U);
}

TEST_F(FaultyDeviceChecks, SeeAFinishWithoutAStart) {
  device.start_load(p0, here, home, 64, 0);
  EXPECT_THROW((void)device.finish_load(p1), DeviceError);
  EXPECT_EQ(device.take_broken(), "a finish without a start");
}

TEST_F(FaultyDeviceChecks, SeeTwoThreadsAtOneEngine) {
  device.start_load(p0, here, home, 64, 0);
  device.start_load(p0, there, home, 64, 0);
  (void)device.finish_load(p0);
  std::thread([&] { (void)device.finish_load(p0); }).join();
  EXPECT_EQ(device.take_broken(), "two threads finish the work of one engine");
}

TEST_F(FaultyDeviceChecks, FailAtTheCallThatIsAskedFor) {
  device.arm(DeviceCall::start_load, 2);
  device.start_load(p0, here, home, 64, 0);
  EXPECT_THROW(device.start_load(p0, there, home, 64, 0), DeviceError);
  device.start_load(p0, there, home, 64, 0);
  EXPECT_EQ(device.calls(DeviceCall::start_load), 3U);
}

}  // namespace
}  // namespace damocles::faulty_device_test
