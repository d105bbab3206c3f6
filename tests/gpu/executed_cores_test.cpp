// Processors that compute in the host's memory, on real memory: products and checksums are right,
// and nothing moves to or from them.

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "tests/error_text.hpp"
#include "tests/gpu/executed_run.hpp"

namespace damocles::executed_cores_test {
namespace {

class EveryArithmetic : public testing::TestWithParam<const char*> {};

TEST_P(EveryArithmetic, IsRightAtHomeAndMovesNothing) {
  const auto workload = Workload::parse(GetParam());
  for (const std::size_t gpus : {0U, 1U, 2U}) {
    for (const bool write_back : {false, true}) {
      SCOPED_TRACE(testing::Message() << gpus << " GPUs, write_back " << write_back);
      Platform platform = limited(gpus, 2 * room_bytes(workload, Room::all), 2);
      platform.limits->write_back = write_back;
      add_cores(platform, 2);

      ExecutedRun run(workload, platform, {.faulty = {.jitter_us = 20}});
      run.by("eager");

      run.expect_sound();
      const Trace& trace = run.execution.trace;
      for (std::size_t core = gpus; core < gpus + 2; ++core) {
        EXPECT_EQ(trace.loads[core], 0U);
        EXPECT_EQ(trace.bytes_written[core], 0U);
        EXPECT_EQ(run.execution.peak_bytes[core], 0U);
      }
      const auto ran = std::accumulate(trace.tasks.begin(), trace.tasks.end(), std::uint64_t{0});
      EXPECT_EQ(ran, workload.tasks());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryArithmetic,
                         testing::Values("gemm2d:n=5,tile=8,k=16", "gemm3d:n=3,tile=8",
                                         "gemm3d:n=3,tile=8,c=yes", "gemm3d:n=3,tile=8,c=later",
                                         "sparse2d:n=8,tile=8,k=8,density=0.3",
                                         "cholesky:n=4,tile=4"));

TEST(ExecutedCores, AreRefusedWhereNoProcessorReachesHome) {
  const auto workload = Workload::parse("gemm2d:n=2,tile=8,k=8");
  Platform platform = limited(1, room_bytes(workload, Room::medium), 2);
  add_cores(platform, 1);
  ExecutedRun run(workload, platform, {.faulty = {.at_home = false}});

  EXPECT_EQ(error_text([&] { run.by("eager"); }),
            "the processors of this backend cannot compute in the host's memory; leave cpus= out, "
            "or use --backend host");
}

}  // namespace
}  // namespace damocles::executed_cores_test
