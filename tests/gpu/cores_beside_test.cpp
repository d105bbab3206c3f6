#include "gpu/cores_beside.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/core_laws.hpp"
#include "tests/gpu/plain_device.hpp"
#include "tests/gpu/writing_laws.hpp"

namespace damocles::cores_beside_test {
namespace {

using Calls = std::vector<std::string>;

/// Notes what it is called for; of a clock that began some time ago.
class NotingDevice final : public PlainDevice {
 public:
  NotingDevice(std::string name, std::size_t processors, Calls& calls, double age_s = 0)
      : PlainDevice(processors), name_(std::move(name)), calls_(calls), age_s_(age_s) {}

  [[nodiscard]] DeviceDescription description() const override {
    return {name_, name_ + "s", "driver of " + name_,
            std::vector<std::string>(processors(), "a " + name_)};
  }
  [[nodiscard]] bool computes_in_host_memory(ProcessorId) const override { return name_ == "core"; }
  [[nodiscard]] std::size_t lanes() const override { return name_ == "core" ? 1 : 2; }
  [[nodiscard]] std::size_t loads_ahead(double bytes) const override {
    return static_cast<std::size_t>(name_ == "core" ? 0 : bytes);
  }
  [[nodiscard]] std::byte* allocate_host(std::size_t bytes) override {
    calls_.push_back(name_ + " host memory");
    return PlainDevice::allocate_host(bytes);
  }
  [[nodiscard]] std::byte* allocate(ProcessorId processor, std::size_t bytes) override {
    note("memory", processor);
    return PlainDevice::allocate_host(bytes);
  }
  void prepare(const Kernel&) override { calls_.push_back(name_ + " prepare"); }
  [[nodiscard]] double now_s() const override {
    const auto since = std::chrono::steady_clock::now() - begin_;
    return age_s_ + std::chrono::duration<double>(since).count();
  }
  void start_load(ProcessorId to, std::byte*, const std::byte*, std::size_t,
                  double ready_s) override {
    note("load", to);
    ready_s_.push_back(ready_s);
  }
  Interval finish_load(ProcessorId) override { return next(); }
  void start_peer_load(ProcessorId from, ProcessorId to, std::byte*, const std::byte*, std::size_t,
                       double ready_s) override {
    note("lend", from);
    note("borrow", to);
    ready_s_.push_back(ready_s);
  }
  Interval finish_peer_load(ProcessorId) override { return next(); }
  void start_task(ProcessorId on, TaskCall call) override {
    note("task", on);
    ready_s_.push_back(call.ready_s);
  }
  Interval finish_task(ProcessorId) override { return next(); }
  void start_write(ProcessorId of, std::byte*, const std::byte*, std::size_t,
                   double ready_s) override {
    note("write", of);
    ready_s_.push_back(ready_s);
  }
  Interval finish_write(ProcessorId) override { return next(); }
  void cancel() noexcept override { calls_.push_back(name_ + " cancel"); }

 private:
  void note(const std::string& what, ProcessorId processor) {
    calls_.push_back(name_ + " " + what + " " + std::to_string(raw(processor)));
  }
  /// From when it could start until now.
  Interval next() {
    const Interval when{ready_s_.front(), now_s()};
    ready_s_.pop_front();
    return when;
  }

  std::string name_;
  Calls& calls_;
  double age_s_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::deque<double> ready_s_;
};

/// GPU, core, core, GPU.
std::unique_ptr<Device> mixed(Calls& calls, double age_of_gpus_s = 0, double age_of_cores_s = 0) {
  return with_cores_beside(std::make_unique<NotingDevice>("gpu", 2, calls, age_of_gpus_s),
                           std::make_unique<NotingDevice>("core", 2, calls, age_of_cores_s),
                           {false, true, true, false});
}

TEST(CoresBeside, AreCalledByTheirOwnNumbers) {
  Calls calls;
  const auto device = mixed(calls);

  device->prepare({});
  for (std::uint32_t p = 0; p < 4; ++p) device->start_task(ProcessorId{p}, {});
  device->start_load(ProcessorId{3}, nullptr, nullptr, 0, 0);
  device->start_write(ProcessorId{2}, nullptr, nullptr, 0, 0);
  device->start_peer_load(ProcessorId{0}, ProcessorId{3}, nullptr, nullptr, 0, 0);
  device->cancel();

  EXPECT_EQ(calls, (Calls{"core prepare", "gpu prepare", "gpu task 0", "core task 0", "core task 1",
                          "gpu task 1", "gpu load 1", "core write 1", "gpu lend 0", "gpu borrow 1",
                          "gpu cancel", "core cancel"}));
}

/// What is copied to GPUs lies in their memory of the host; what a core has, where cores have it.
TEST(CoresBeside, HaveTheMemoryOfTheirDevice) {
  Calls calls;
  const auto device = mixed(calls);

  std::byte* const host = device->allocate_host(1);
  std::byte* const of_gpu = device->allocate(ProcessorId{3}, 1);
  std::byte* const of_core = device->allocate(ProcessorId{1}, 1);
  device->release(ProcessorId{1}, of_core);  // each goes back where it was had, else it would leak
  device->release(ProcessorId{3}, of_gpu);
  device->release_host(host);

  EXPECT_EQ(calls, (Calls{"gpu host memory", "gpu memory 1", "core memory 0"}));
}

TEST(CoresBeside, AreDescribedInTheOrderOfProcessors) {
  Calls calls;
  const auto device = mixed(calls);
  const DeviceDescription text = device->description();

  EXPECT_EQ(text.backend, "gpu");
  EXPECT_EQ(text.name, "gpus; cores");
  EXPECT_EQ(text.driver, "driver of gpu; driver of core");
  EXPECT_EQ(text.parts, (std::vector<std::string>{"a gpu", "a core", "a core", "a gpu"}));
  EXPECT_EQ(device->processors(), 4U);
  EXPECT_EQ(device->at_once(), 4U);
  EXPECT_EQ(device->lanes(), 2U);
  EXPECT_EQ(device->loads_ahead(7), 7U);
  for (const std::uint32_t p : {0U, 1U, 2U, 3U}) {
    EXPECT_EQ(device->computes_in_host_memory(ProcessorId{p}), p == 1 || p == 2) << p;
  }
}

/// The cores' clock is 1000 s ahead, and nobody sees it: work on a core was ready when it was said
/// to be, and ends by the clock that the device shows.
TEST(CoresBeside, TellTimesByTheClockOfTheOthers) {
  Calls calls;
  const auto device = mixed(calls, 0, 1000);
  device->start_clock();
  constexpr double apart_s = 100e-6;  // of 16 readings of both clocks one takes less than that

  for (std::uint32_t p = 0; p < 4; ++p) {
    const ProcessorId processor{p};
    const double ready_s = device->now_s();
    const auto expect_told = [&](const Interval& when) {
      EXPECT_NEAR(when.begin_s, ready_s, 1e-9);  // there and back, in numbers of 1000 s
      EXPECT_GT(when.end_s, ready_s - apart_s);
      EXPECT_LT(when.end_s, device->now_s() + apart_s);
    };
    TaskCall call;
    call.ready_s = ready_s;
    device->start_task(processor, call);
    expect_told(device->finish_task(processor));
    device->start_load(processor, nullptr, nullptr, 0, ready_s);
    expect_told(device->finish_load(processor));
    device->start_write(processor, nullptr, nullptr, 0, ready_s);
    expect_told(device->finish_write(processor));
  }
  const double ready_s = device->now_s();
  device->start_peer_load(ProcessorId{0}, ProcessorId{3}, nullptr, nullptr, 0, ready_s);
  EXPECT_EQ(device->finish_peer_load(ProcessorId{3}).begin_s, ready_s);
}

/// Host threads in the place of GPUs.
std::unique_ptr<Device> two_devices(const Platform& platform) {
  const auto home = in_host_memory(platform);
  const auto cores = static_cast<std::size_t>(std::count(home.begin(), home.end(), true));
  return with_cores_beside(make_host_device({.processors = home.size() - cores}),
                           make_host_device({.processors = cores}), home);
}

class CoresBesideOthers : public testing::TestWithParam<const char*> {};

TEST_P(CoresBesideOthers, AreRightAndMoveNothing) {
  expect_right_in_host_memory(Workload::parse(GetParam()), 2, two_devices);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CoresBesideOthers, testing::ValuesIn(every_arithmetic));

TEST(CoresBeside, LoseNothingThatIsWritten) {
  const SeenToMove seen =
      expect_nothing_lost({&wild(), Spec::parse("wild", "strategy")}, 100,
                          {.make = two_devices, .sizes = Sizes::any, .clocks_apart_s = 100e-6});
  EXPECT_GT(seen.from_peers, 0U);
  EXPECT_GT(seen.bytes_returned, 0U);
  EXPECT_GT(seen.tasks_in_host_memory, 0U);
}

}  // namespace
}  // namespace damocles::cores_beside_test
