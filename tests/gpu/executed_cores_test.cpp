// Processors that compute in the host's memory, on real memory: products and checksums are right,
// and nothing moves to or from them.

#include <gtest/gtest.h>

#include <string>

#include "tests/error_text.hpp"
#include "tests/gpu/core_laws.hpp"
#include "tests/gpu/executed_run.hpp"

namespace damocles::executed_cores_test {
namespace {

class EveryArithmetic : public testing::TestWithParam<const char*> {};

TEST_P(EveryArithmetic, IsRightAtHomeAndMovesNothing) {
  const auto workload = Workload::parse(GetParam());
  for (const std::size_t gpus : {0U, 1U, 2U})
    expect_right_in_host_memory(workload, gpus, host_threads);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryArithmetic, testing::ValuesIn(every_arithmetic));

TEST(ExecutedCores, AreRefusedWhereNoProcessorReachesHome) {
  const auto workload = Workload::parse("gemm2d:n=2,tile=8,k=8");
  Platform platform = limited(1, room_bytes(workload, Room::medium), 2);
  add_cores(platform, 1);
  ExecutedRun run(workload, platform, {.faulty = {.in_host_memory = false}});

  EXPECT_EQ(error_text([&] { run.by("eager"); }),
            "the processors of this backend cannot compute in the host's memory; leave cpus= out, "
            "or use --backend host");
}

}  // namespace
}  // namespace damocles::executed_cores_test
