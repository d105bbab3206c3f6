// Tasks that several cores compute together, each a part of it, on host threads: what comes out is
// right, and a paced run takes what the platform's speed-up says.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/host/host_kernels.hpp"
#include "models/platforms/scenario.hpp"
#include "tests/gpu/executed_run.hpp"

namespace damocles::executed_teams_test {
namespace {

/// Beside these so many cores that compute together.
void add_team(Platform& platform, std::size_t cores) {
  for (std::size_t core = 0; core < cores; ++core) {
    platform.speeds.push_back(1e9);
    platform.machine->processors.push_back(
        {.flops_per_s = 1e9,
         .kind = "cpu",
         .in_host_memory = true,
         .speedups = {{.law = Speedup::Law::amdahl, .parameter = 0.1}}});
  }
}

std::size_t joined(const Execution& run) {
  return static_cast<std::size_t>(
      std::count_if(run.events.begin(), run.events.end(),
                    [](const RunEvent& event) { return event.kind == RunEvent::Kind::joined; }));
}

class EveryArithmeticInTeams : public testing::TestWithParam<const char*> {};

TEST_P(EveryArithmeticInTeams, IsRight) {
  const auto workload = Workload::parse(GetParam());
  for (const std::size_t gpus : {0U, 1U}) {
    for (const char* const strategy : {"peager", "pheft:smallest=3", "peager:largest=2"}) {
      SCOPED_TRACE(testing::Message() << gpus << " GPUs, " << strategy);
      Platform platform = limited(gpus, 2 * room_bytes(workload, Room::all), 2);
      add_team(platform, 3);

      ExecutedRun run(workload, platform, {.faulty = {.jitter_us = 20}});
      run.by(strategy);

      run.expect_sound();
      EXPECT_GT(joined(run.execution), 0U);
      ExecutedRun again(workload, platform);
      again.replay(run.execution.events);
      again.expect_sound();
      EXPECT_EQ(joined(again.execution), joined(run.execution));
      EXPECT_EQ(again.execution.trace.tasks, run.execution.trace.tasks);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryArithmeticInTeams,
                         testing::Values("gemm2d:n=5,tile=8,k=16", "gemm2d:n=3,tile=2,k=8",
                                         "gemm3d:n=3,tile=8", "gemm3d:n=3,tile=8,c=later",
                                         "cholesky:n=4,tile=4,deps=false",
                                         "cholesky:n=4,tile=4,deps=true",
                                         "cholesky:n=4,tile=4,deps=true,updates=commute",
                                         "cholesky:n=4,tile=4,deps=true,updates=reduce"));

/// Of 7 rows in 3 parts, of 2 in 3: each element is computed once, as by one thread. The products
/// and sums of small whole numbers are exact.
TEST(PartsOfATask, AreTheWholeProduct) {
  for (const std::size_t m : {7U, 2U}) {
    const std::size_t n = 5;
    const std::size_t k = 4;
    std::vector<float> x(m * k);
    std::vector<float> y(k * n);
    std::iota(x.begin(), x.end(), 1.0F);
    std::iota(y.begin(), y.end(), -7.0F);
    std::vector<float> whole(m * n, 100);
    std::vector<float> parts = whole;
    const Kernel kernel{.precision = Precision::fp32, .m = m, .n = n, .k = k};
    const auto bytes = [](auto& numbers) { return reinterpret_cast<std::byte*>(numbers.data()); };
    TaskCall call{
        .inputs = {{bytes(x), x.size() * sizeof(float)}, {bytes(y), y.size() * sizeof(float)}},
        .written = {},
        .output = bytes(whole),
        .accumulate = true};
    run_on_host(kernel, call);
    call.output = bytes(parts);
    call.parts = 3;
    for (const std::size_t part : {2U, 0U, 1U}) {
      call.part = part;
      run_on_host(kernel, call);
    }
    EXPECT_EQ(parts, whole);
  }
}

/// Inputs of 0, 3, 8 and 100 bytes in 4 parts; the last part that comes writes.
TEST(PartsOfATask, AreTheWholeChecksum) {
  const Kernel kernel{.kind = Kernel::Kind::checksum};
  std::vector<std::byte> bytes(100);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(7 * i + 1);
  std::uint64_t whole = 0;
  std::uint64_t parts = 0;
  TaskCall call;
  for (const std::size_t size : {0U, 3U, 8U, 100U}) call.inputs.push_back({bytes.data(), size});
  call.output = reinterpret_cast<std::byte*>(&whole);
  run_on_host(kernel, call);
  call.output = reinterpret_cast<std::byte*>(&parts);
  call.parts = 4;
  call.fold = std::make_shared<PartsOfFold>();
  for (const std::size_t part : {3U, 1U, 0U, 2U}) {
    EXPECT_EQ(parts, 0U);
    call.part = part;
    run_on_host(kernel, call);
  }
  EXPECT_NE(whole, 0U);
  EXPECT_EQ(parts, whole);
}

/// 6 tasks one after the other on all of 3 cores, each 20 ms of one core and so 20 (0.1 + 0.9 / 3):
/// 48 ms in all; no sooner, as every task waits for its time, and hardly later.
TEST(ExecutedTeams, TakeThePlatformsTimeWhereTheyArePaced) {
  const auto workload = Workload::parse("gemm2d:m=2,n=3,tile=8,k=8");
  const double flops = workload.graph().flops(0);
  Platform platform = limited(0, 0, 1);
  add_team(platform, 3);
  for (ProcessorModel& core : platform.machine->processors) core.flops_per_s = flops / 20e-3;
  const auto device = make_host_device({.processors = 3, .paced = true});
  const Arithmetic arithmetic = Arithmetic::of(workload, {.tile = 8, .rank = 8}, 5);
  Store store(arithmetic, *device);

  const Execution run = execute(workload, platform, StrategyChoice::parse("peager", workload),
                                arithmetic, store, *device, {.time_scale = 1, .keep_events = true});

  ASSERT_EQ(run.failure, "");
  EXPECT_EQ(joined(run), 12U);
  EXPECT_GE(run.trace.makespan_s, 48e-3 * (1 - 1e-9));
  EXPECT_LE(run.trace.makespan_s, 3 * 48e-3);  // other work on the machine
  for (const double busy_s : run.trace.busy_s) EXPECT_GE(busy_s, 48e-3 * (1 - 1e-9));
  EXPECT_EQ(run.trace.tasks, (std::vector<std::uint64_t>{6, 0, 0}));
  EXPECT_TRUE(verify(arithmetic, workload, store, Check::full).right);
}

}  // namespace
}  // namespace damocles::executed_teams_test
