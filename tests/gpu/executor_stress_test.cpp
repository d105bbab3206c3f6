#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/gpu/executed_run.hpp"

namespace damocles::executor_stress_test {
namespace {

/// Four processors with room for one task each, whose copies and tasks end at random times: 200
/// runs, sums evicted all the time, every one verified.
TEST(ExecutorStress, SurvivesTwoHundredRunsWithJitter) {
  struct Case {
    const char* workload;
    const char* strategy;
    std::size_t lanes;
  };
  constexpr std::array cases{Case{"gemm3d:n=3,tile=8,c=yes", "random", 1},
                             Case{"gemm3d:n=3,tile=8,c=yes", "darts", 2},
                             Case{"gemm3d:n=3,tile=8,c=later", "dmdar", 1},
                             Case{"gemm2d:n=5,tile=8,k=8", "eager:eviction=random", 2},
                             Case{"gemm2d:n=5,tile=8,k=8", "dynamic", 1},
                             Case{"gemm3d:n=3,tile=8,c=yes", "hfp", 1},
                             Case{"cholesky:n=4,tile=8,deps=false", "darts:eviction=lru", 1},
                             Case{"gemm3d:n=3,tile=8,c=yes", "sorted", 2}};
  for (std::uint64_t repetition = 0; repetition < 200 && !HasFailure(); ++repetition) {
    const Case& drawn = cases.at(repetition % cases.size());
    SCOPED_TRACE(testing::Message() << "repetition " << repetition << ": " << drawn.strategy
                                    << " on " << drawn.workload);
    const auto workload = Workload::parse(drawn.workload);
    const Platform platform = limited(4, room_bytes(workload, Room::tight), repetition % 4);
    ExecutedRun run(workload, platform,
                    {.seed = repetition,
                     .faulty = {.jitter_us = 200,
                                .seed = repetition,
                                .lanes = drawn.lanes,
                                .loads_ahead = drawn.lanes - 1}});

    run.by(drawn.strategy);

    run.expect_sound();
  }
}

}  // namespace
}  // namespace damocles::executor_stress_test
