// The device whose processors are ranks, with ranks that are threads of this process.

#include "gpu/mpi/rank_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/cores_beside.hpp"
#include "sim/limited_run.hpp"
#include "sim/simulate.hpp"
#include "tests/gpu/core_laws.hpp"
#include "tests/gpu/mpi/ranks_on_threads.hpp"
#include "tests/gpu/plain_device.hpp"
#include "tests/gpu/writing_laws.hpp"

namespace damocles::rank_device_test {
namespace {

/// A run on ranks of its own.
struct RunOnRanks {
  RunOnRanks(const Workload& workload, const Platform& platform,
             const RanksOnThreads::MakeOwn& make_own = RanksOnThreads::host_device)
      : ranks(platform.processors(), make_own) {
    current = &ranks;
    run.emplace(workload, platform, RunOptions{.device = device_of_current});
  }
  static std::unique_ptr<Device> device_of_current(const Platform& /*platform*/) {
    return make_rank_device(current->job());
  }

  inline static RanksOnThreads* current = nullptr;
  RanksOnThreads ranks;
  std::optional<ExecutedRun> run;
};

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

class RankDevice : public testing::TestWithParam<const char*> {};

/// Data come in messages, all of them and nothing else: results and sums too.
TEST_P(RankDevice, SendsTheBytesThatAreCounted) {
  const auto workload = Workload::parse(GetParam());
  for (const Room room : {Room::tight, Room::all}) {
    const Platform platform = limited(3, room_bytes(workload, room), 2);
    RunOnRanks on(workload, platform);
    const std::uint64_t before = on.ranks.network().content_bytes();

    const Execution& execution = on.run->by("eager");

    on.run->expect_sound();
    EXPECT_EQ(on.ranks.network().content_bytes() - before, sum(execution.trace.bytes_loaded) +
                                                               sum(execution.trace.bytes_written) +
                                                               execution.bytes_summed);
  }
}

/// The decisions of a simulated run move the same bytes on ranks as on threads of one process.
TEST_P(RankDevice, ReplaysWhatWasSimulated) {
  const auto workload = Workload::parse(GetParam());
  const Platform platform = limited(3, room_bytes(workload, Room::medium), 2);
  std::vector<RunEvent> events;
  const Trace simulated =
      simulate_limited(workload, platform, StrategyChoice::parse("darts", workload), 1, 0,
                       [&](const RunEvent& event) { events.push_back(event); });
  RunOnRanks on(workload, platform);

  const Execution& execution = on.run->replay(events);

  on.run->expect_sound();
  EXPECT_EQ(execution.trace.loads, simulated.loads);
  EXPECT_EQ(execution.trace.evictions, simulated.evictions);
  EXPECT_EQ(execution.trace.tasks, simulated.tasks);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RankDevice, testing::ValuesIn(every_arithmetic));

TEST(RankDevice, MovesWhatTheUnlimitedSimulationSaysOnOneProcessor) {
  for (const auto* text : {"outer:m=6,n=5", "matrix:m=3,n=4,k=2"}) {
    const auto workload = Workload::parse(text);
    const Platform platform{{1}};
    const auto choice = StrategyChoice::parse("dynamic-2phases:beta=2", workload);
    RunOnRanks on(workload, platform);

    on.run->by(choice);

    on.run->expect_sound();
    EXPECT_EQ(on.run->execution.trace.loads, simulate(workload, platform, choice, 1, 0).loads);
  }
}

/// Ranks, and cores of rank 0 beside them; the job stays until the next device is made.
std::unique_ptr<Device> ranks_and_cores(const Platform& platform) {
  static std::unique_ptr<RanksOnThreads> job;
  job.reset();
  const auto home = in_host_memory(platform);
  const auto cores = static_cast<std::size_t>(std::count(home.begin(), home.end(), true));
  job = std::make_unique<RanksOnThreads>(home.size() - cores);
  auto ranks = make_rank_device(job->job());
  if (cores == 0) return ranks;
  return with_cores_beside(std::move(ranks), make_host_device({.processors = cores}), home);
}

TEST(RankDevice, LosesNothingThatIsWritten) {
  const SeenToMove seen =
      expect_nothing_lost({&wild(), Spec::parse("wild", "strategy")}, 60,
                          {.make = ranks_and_cores, .sizes = Sizes::any, .clocks_apart_s = 100e-6});
  EXPECT_GT(seen.from_peers, 0U);
  EXPECT_GT(seen.bytes_returned, 0U);
  EXPECT_GT(seen.tasks_in_host_memory, 0U);
}

/// Computes and copies nothing, and fails where it is asked for the end of one kind of work.
class BrokenDevice final : public PlainDevice {
 public:
  explicit BrokenDevice(DeviceCall call) : call_(call) {}
  Interval finish_load(ProcessorId) override { return fail_at(DeviceCall::finish_load); }
  Interval finish_task(ProcessorId) override { return fail_at(DeviceCall::finish_task); }
  Interval finish_write(ProcessorId) override { return fail_at(DeviceCall::finish_write); }

 private:
  [[nodiscard]] Interval fail_at(DeviceCall call) const {
    if (call == call_) throw DeviceError("it is broken");
    return {};
  }
  DeviceCall call_;
};

TEST(RankDevice, SaysWhichRankFailed) {
  const auto workload = Workload::parse("gemm2d:n=5,tile=8,k=8");
  for (const DeviceCall call :
       {DeviceCall::finish_load, DeviceCall::finish_task, DeviceCall::finish_write}) {
    RunOnRanks on(workload, limited(2, room_bytes(workload, Room::tight), 2),
                  [&](int rank) -> std::unique_ptr<Device> {
                    if (rank == 1) return make_host_device({});
                    return std::make_unique<BrokenDevice>(call);
                  });

    const std::string failure = on.run->by("eager").failure;

    EXPECT_EQ(failure.substr(0, 10), "rank 2 on ");
    EXPECT_EQ(failure.substr(failure.find(": ")), ": it is broken");
    EXPECT_EQ(on.run->device().held(), on.run->held_before());
  }
}

TEST(RankDevice, SaysWhichRankHasNoMemory) {
  RanksOnThreads ranks(2);
  const auto device = make_rank_device(ranks.job());
  std::string says;

  try {
    (void)device->allocate(ProcessorId{1}, std::size_t{1} << 60U);
  } catch (const DeviceError& error) {
    says = error.what();
  }

  EXPECT_EQ(says.substr(0, 10), "rank 2 on ");
  EXPECT_NE(says.find("memory"), std::string::npos) << says;
  std::byte* const at = device->allocate(ProcessorId{1}, 64);  // it goes on
  device->release(ProcessorId{1}, at);
}

/// What a cancelled run left reaches into no other one: not even a load that arrives late.
TEST(RankDevice, RunsAgainAfterARunThatFailed) {
  const auto workload = Workload::parse("cholesky:n=4,tile=8,deps=true");
  Platform platform = limited(3, room_bytes(workload, Room::tight), 2);
  platform.machine->peer_bytes_per_s = 1e10;
  RunOnRanks on(workload, platform);
  const Arithmetic& arithmetic = on.run->arithmetic();
  const auto choice = StrategyChoice::parse("eager", workload);
  Store store(arithmetic, on.run->device());
  const auto memory = memory_bytes(*platform.machine, workload);
  for (const std::size_t at : {1U, 4U, 9U}) {
    on.run->device().arm(DeviceCall::finish_task, at);
    EXPECT_EQ(execute(workload, platform, choice, arithmetic, store, on.run->device(), {}).failure,
              FaultyDevice::fault);
    on.run->device().arm(DeviceCall::finish_task, 0);
    store.renew();
    EXPECT_EQ(execute(workload, platform, choice, arithmetic, store, on.run->device(), {}).failure,
              "");
    EXPECT_TRUE(verify(arithmetic, workload, store, Check::full).right);
    store.renew();
  }
}

std::string device_error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(RankDevice, SaysWhichRankIsLost) {
  Network network(2);
  RankJob job(std::make_unique<ThreadRanks>(network, 0, 2), 0.1);
  for (int device = 1; device <= 2; ++device) {  // the second one knows at once
    EXPECT_EQ(device_error_of([&] { (void)make_rank_device(job); }),
              "mpi: rank 1 is lost: nothing was heard of it for 0.1 s");
  }
}

TEST(RankDevice, ARankEndsWhereRank0IsLost) {
  Network network(2);
  ThreadRanks ranks(network, 1, 2);
  const auto own = make_host_device({});
  EXPECT_EQ(device_error_of([&] { serve_as_processor(ranks, *own, 0.1); }), "mpi: rank 0 is lost");
}

TEST(RankDevice, DescribesItsRanks) {
  RanksOnThreads ranks(2);
  const DeviceDescription text = make_rank_device(ranks.job())->description();

  EXPECT_EQ(text.backend, "mpi");
  ASSERT_EQ(text.parts.size(), 2U);
  EXPECT_EQ(text.parts[1].substr(0, 10), "rank 2 on ");
  EXPECT_NE(text.driver.find("threads"), std::string::npos);
}

/// A task takes at least its paced time on its rank.
TEST(RankDevice, PacesTasks) {
  RanksOnThreads ranks(1);
  const auto device = make_rank_device(ranks.job());
  constexpr ProcessorId only{0};
  device->prepare({.kind = Kernel::Kind::empty});
  device->start_clock();
  TaskCall call;
  call.paced_s = 0.02;

  device->start_task(only, call);
  const Interval when = device->finish_task(only);

  EXPECT_GT(when.end_s - when.begin_s, 0.019);
}

}  // namespace
}  // namespace damocles::rank_device_test
