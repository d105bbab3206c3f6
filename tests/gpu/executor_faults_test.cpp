#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "models/error.hpp"
#include "models/spec.hpp"
#include "strategies/registry.hpp"
#include "tests/gpu/executed_run.hpp"

namespace damocles::executor_faults_test {
namespace {

using Clock = std::chrono::steady_clock;

std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// Threads of this process before a run. Of threads that were joined one in a thousand is still
/// listed, as the kernel wakes who joins it a moment before it takes it off; so the fewest seen.
std::ptrdiff_t settled_threads() {
  std::ptrdiff_t fewest = threads();
  for (int looks = 0; looks < 5; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    fewest = std::min(fewest, threads());
  }
  return fewest;
}

/// Threads after a run, once those that were joined are gone. One that still runs stays, and is
/// counted.
std::ptrdiff_t threads_left(std::ptrdiff_t expected) {
  for (int waits = 0; threads() > expected && waits < 100; ++waits) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return threads();
}

/// What a run that may throw ended with: its failure, or the text of the DeviceError.
template <typename Run>
std::string failure_of(Run&& run) {
  try {
    return run().failure;
  } catch (const DeviceError& error) {
    return error.what();
  }
}

/// A workload and a platform in which nearly every kind of call is made several times.
struct Site {
  std::string name;
  std::string workload;
  std::string strategy;
  Platform platform;
};

std::vector<Site> sites() {
  const auto gemm = Workload::parse("gemm2d:n=5,tile=8,k=8");
  const auto sums = Workload::parse("gemm3d:n=3,tile=8,c=yes");
  const auto written = Workload::parse("cholesky:n=4,tile=8,deps=true");
  Platform linked = limited(2, room_bytes(written, Room::tight), 2);
  linked.machine->peer_bytes_per_s = 1e10;
  return {
      {"one processor, all memory", "matrix:n=3", "sorted", Platform{{1}}},
      {"outputs written back", gemm.text(), "eager", limited(3, room_bytes(gemm, Room::tight), 2)},
      {"sums evicted", sums.text(), "random", limited(2, room_bytes(sums, Room::tight), 2)},
      {"data written", written.text(), "eager", linked}};
}

/// Whether the run makes such calls: only sums go to buffers of the host first, and only one has
/// links.
bool makes(const Site& site, DeviceCall call) {
  if (call == DeviceCall::start_peer_load || call == DeviceCall::finish_peer_load) {
    return site.name == "data written";
  }
  return call != DeviceCall::allocate_host ||
         (site.name != "outputs written back" && site.name != "data written");
}

/// Each kind of call fails at its first, middle and last time. Where processors race the last may
/// not come; then the run ends well.
TEST(ExecutorFaults, EndTheRunWithTheirTextAndLeaveNothingBehind) {
  for (const Site& site : sites()) {
    const auto workload = Workload::parse(site.workload);
    ExecutedRun(workload, site.platform).by(site.strategy);  // libraries start their threads
    const std::ptrdiff_t threads_before = settled_threads();
    for (const DeviceCall call : device_calls) {
      ExecutedRun whole(workload, site.platform);
      whole.device().arm(call, 0);
      whole.by(site.strategy);
      const std::size_t calls = whole.device().calls(call);
      for (const std::size_t at : {std::size_t{1}, (calls + 1) / 2, calls}) {
        SCOPED_TRACE(testing::Message() << site.name << ", call " << at << " of " << calls << " to "
                                        << device_call_names[static_cast<std::size_t>(call)]);
        ExecutedRun run(workload, site.platform, {.faulty = {.jitter_us = 50}});
        run.device().arm(call, at);
        const auto start = Clock::now();

        const std::string failure = failure_of([&] { return run.by(site.strategy); });

        EXPECT_LT(Clock::now() - start, std::chrono::seconds(60));
        if (run.device().calls(call) >= at && at > 0) {
          EXPECT_EQ(failure, FaultyDevice::fault);
        }
        EXPECT_EQ(run.device().held(), run.held_before());
        EXPECT_EQ(threads_left(threads_before), threads_before);
      }
      if (makes(site, call)) {
        EXPECT_GE(calls, 1U);  // or nothing was tested
      }
    }
  }
}

/// A strategy made of one function.
class Scripted final : public Strategy {
 public:
  using Request = std::function<void(ProcessorId, Grant&)>;
  explicit Scripted(Request request) : request_(std::move(request)) {}
  void request(ProcessorId processor, Grant& grant) override { request_(processor, grant); }

 private:
  Request request_;
};

/// The failure of a run in which that function decides, in both kinds of memory.
std::string failure_by(const Platform& platform, const Scripted::Request& request) {
  StrategyEntry entry{.name = "scripted", .source = {}, .summary = {}, .make = {}};
  entry.make = [&](const StrategyContext&) { return std::make_unique<Scripted>(request); };
  const auto workload = Workload::parse("gemm2d:n=4,tile=8,k=8");
  ExecutedRun run(workload, platform);
  const std::ptrdiff_t threads_before = settled_threads();
  const auto start = Clock::now();
  std::string failure = run.by(StrategyChoice{&entry, Spec::parse("scripted", "strategy")}).failure;
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(60));
  EXPECT_EQ(run.device().held(), run.held_before());
  EXPECT_EQ(threads_left(threads_before), threads_before);
  return failure;
}

const std::vector<Platform>& both_kinds_of_memory() {
  static const std::vector<Platform> all{Platform{{1, 1}}, limited(2, std::uint64_t{4} * 256, 2)};
  return all;
}

/// Grants task t with its inputs, of which nobody else has been granted any: (t, t) of 4 x 4.
void grant_diagonal(std::uint64_t t, Grant& grant) {
  grant.loads = {DataId{t}, DataId{4 + t}};
  grant.tasks.add(TaskId{5 * t});
}

TEST(ExecutorFaults, AStrategyThatThrowsEndsTheRun) {
  for (const Platform& platform : both_kinds_of_memory()) {
    for (const int at : {1, 3, 4}) {
      int requests = 0;
      EXPECT_EQ(failure_by(platform,
                           [&](ProcessorId, Grant& grant) {
                             if (++requests == at) throw std::runtime_error("out of ideas");
                             grant_diagonal(static_cast<std::uint64_t>(requests - 1), grant);
                           }),
                "out of ideas");
    }
  }
}

TEST(ExecutorFaults, AStrategyThatNeverGrantsEndsTheRun) {
  for (const Platform& platform : both_kinds_of_memory()) {
    EXPECT_EQ(failure_by(platform, [](ProcessorId, Grant&) {}),
              "the strategy ran 0 of 16 tasks and stopped");
  }
}

TEST(ExecutorFaults, AStrategyThatStopsHalfWayEndsTheRun) {
  for (const Platform& platform : both_kinds_of_memory()) {
    std::uint64_t next = 0;
    EXPECT_EQ(failure_by(platform,
                         [&](ProcessorId, Grant& grant) {
                           if (next < 3) grant_diagonal(next++, grant);
                         }),
              "the strategy ran 3 of 16 tasks and stopped");
  }
}

TEST(ExecutorFaults, AStrategyThatSendsDataWithoutEndEndsTheRun) {
  const auto send = [](ProcessorId, Grant& grant) { grant.loads = {DataId{0}}; };
  EXPECT_EQ(failure_by(both_kinds_of_memory()[0], send).substr(0, 22), "data A(0) is sent to P");
  EXPECT_EQ(failure_by(both_kinds_of_memory()[1], send),
            "the strategy sends GPU0 data without end and no task");
}

/// A task whose inputs the processor was never sent cannot start.
TEST(ExecutorFaults, ATaskWithoutItsDataEndsTheRun) {
  EXPECT_EQ(failure_by(both_kinds_of_memory()[0],
                       [](ProcessorId, Grant& grant) { grant.tasks.add(TaskId{0}); }),
            "the strategy ran 0 of 16 tasks and stopped");
}

/// 16 tasks of 100 s each on one processor; after 50 ms the user has enough.
TEST(ExecutorFaults, AnInterruptEndsALongRun) {
  const auto workload = Workload::parse("outer:n=4");
  const Platform platform{{1}};
  FaultyDevice device(make_host_device({.processors = 1, .paced = true}), {});
  const auto arithmetic = Arithmetic::of(workload, {.tile = 8}, 1);
  Store store(arithmetic, device);
  const std::size_t held = device.held();
  const std::ptrdiff_t threads_before = settled_threads();
  std::atomic<bool> interrupted{false};
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    interrupted = true;
  });
  const auto start = Clock::now();

  const auto execution =
      execute(workload, platform, StrategyChoice::parse("random", workload), arithmetic, store,
              device, {.time_scale = 100, .interrupted = &interrupted});

  EXPECT_LT(Clock::now() - start, std::chrono::seconds(60));
  user.join();
  EXPECT_EQ(execution.failure, "interrupted");
  EXPECT_EQ(device.held(), held);
  EXPECT_EQ(threads_left(threads_before), threads_before);
}

}  // namespace
}  // namespace damocles::executor_faults_test
