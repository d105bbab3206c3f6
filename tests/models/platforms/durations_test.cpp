// What a task takes: by its flops, or by its kind.

#include "models/platforms/durations.hpp"

#include <gtest/gtest.h>

#include "models/bounds/workload_bound.hpp"
#include "models/platforms/scenario.hpp"
#include "tests/error_text.hpp"

namespace damocles::durations_test {
namespace {

Platform platform(const std::string& text) { return Scenario::parse(text).draw(1, 0); }

TEST(Durations, AreFlopsOverRateAndTheOverhead) {
  const Workload workload = Workload::parse("cholesky:n=3,tile=10,deps=true");
  const Platform gpus = platform("gpus:k=2,gflops=2,overhead=1us");

  const Durations durations(workload, gpus);

  EXPECT_FALSE(durations.by_kind());
  EXPECT_DOUBLE_EQ(durations.s(1, 1), 1000 / 2e9 + 1e-6);  // TRSM: tile^3
  EXPECT_EQ(durations.least_flops(1), 1000);
}

TEST(Durations, OfAKindThatThePlatformKnowsAreThose) {
  const Workload workload = Workload::parse("cholesky:n=3,tile=10,deps=true");
  const Platform gpus = platform("gpus:k=2,gflops=2,overhead=1us,times=POTRF:3ms");

  const Durations durations(workload, gpus);

  EXPECT_TRUE(durations.by_kind());
  EXPECT_DOUBLE_EQ(durations.s(0, 0), 3e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(durations.s(0, 1), 1000 / 2e9 + 1e-6);
  EXPECT_DOUBLE_EQ(durations.least_flops(0), 3e-3 * 2e9);
  // Three factorisations one after the other, and what lies between them.
  const auto bound = workload_makespan_bound(workload, gpus, {});
  EXPECT_EQ(bound.argument, "critical path");
  EXPECT_NEAR(bound.seconds, 9e-3, 1e-4);
}

TEST(Durations, OfAKindThatTheWorkloadDoesNotHaveAreRefused) {
  const Platform gpus = platform("gpus:k=2,times=GEM:3ms");
  const auto refusal = [&](const char* text) {
    const Workload workload = Workload::parse(text);
    return error_text([&] { static_cast<void>(Durations(workload, gpus)); });
  };
  EXPECT_EQ(refusal("cholesky:n=3,deps=true"),
            "the platform gives a time for tasks of kind GEM, but 'cholesky:n=3,deps=true' has the "
            "kinds POTRF, TRSM, SYRK, GEMM; give times of its kinds alone");
  EXPECT_EQ(refusal("gemm2d:n=3"),
            "the platform gives a time for tasks of kind GEM, but 'gemm2d:n=3' has no kinds; "
            "give times of its kinds alone");
}

}  // namespace
}  // namespace damocles::durations_test
