#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/limited_run.hpp"
#include "sim/simulate.hpp"
#include "strategies/eviction/eviction.hpp"
#include "tests/gpu/executed_run.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::executed_agreement_test {
namespace {

class ExecutedAndSimulated : public testing::TestWithParam<std::string> {};

/// One processor asks in the same situations however long anything takes.
TEST_P(ExecutedAndSimulated, AgreeOnOneProcessorWithAllTheMemoryItWants) {
  for (const auto* text : {"outer:m=6,n=5", "matrix:m=3,n=4,k=2", "gemm2d:n=5,tile=8,k=8",
                           "gemm3d:n=3,tile=8,c=yes"}) {
    const auto workload = Workload::parse(text);
    if (!defined_on(GetParam(), workload)) continue;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      SCOPED_TRACE(testing::Message() << text << ", seed " << seed);
      const Platform platform{{1}};
      const Trace simulated =
          simulate(workload, platform, StrategyChoice::parse(GetParam(), workload), seed, 0);

      ExecutedRun run(workload, platform, {.seed = seed, .faulty = {.jitter_us = 20}});
      run.by(GetParam());

      run.expect_sound();
      EXPECT_EQ(run.execution.trace.loads, simulated.loads);
    }
  }
}

struct Simulated {
  Trace trace;
  bool loads_ahead = false;  // something was loaded while a task ran
};

Simulated simulate_watched(const Workload& workload, const Platform& platform,
                           const std::string& strategy, std::uint64_t seed) {
  Simulated result;
  bool running = false;
  result.trace = simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload),
                                  seed, 0, [&](const auto& e) {
                                    if (e.kind == RunEvent::Kind::task_started) running = true;
                                    if (e.kind == RunEvent::Kind::task_ended) running = false;
                                    if (e.kind == RunEvent::Kind::load_started && running)
                                      result.loads_ahead = true;
                                  });
  return result;
}

/// With a buffer of one task nothing is loaded while it runs, but what the strategy asks ahead for
/// beyond it. Without such hints nothing depends on time, whatever the policy; with them the loads
/// do, even here. A portfolio may choose one that hints.
TEST_P(ExecutedAndSimulated, AgreeOnOneProcessorWithABufferOfOneTask) {
  const bool loads_ahead = Table<StrategyEntry>::named(name_in(GetParam())).loads_ahead;
  bool compared = false;
  for (const auto* text :
       {"gemm2d:n=5,tile=8,k=8", "gemm3d:n=3,tile=8,c=yes", "cholesky:n=4,tile=8,deps=false"}) {
    const auto workload = Workload::parse(text);
    if (!defined_on(GetParam(), workload)) continue;
    for (const auto& policy : evictions()) {
      for (const std::uint64_t seed : {1U, 2U}) {
        std::string strategy = GetParam();
        strategy += strategy.find(':') == std::string::npos ? ":" : ",";
        strategy += "eviction=" + policy.name;
        SCOPED_TRACE(testing::Message() << text << ", " << strategy << ", seed " << seed);
        const Platform platform = limited(1, room_bytes(workload, Room::medium), 1);
        const Simulated simulated = simulate_watched(workload, platform, strategy, seed);
        if (simulated.loads_ahead) {
          EXPECT_TRUE(loads_ahead) << "set StrategyEntry::loads_ahead";
          continue;
        }
        compared = true;

        ExecutedRun run(workload, platform, {.seed = seed, .faulty = {.jitter_us = 20}});
        run.by(strategy);

        run.expect_sound();
        EXPECT_EQ(run.execution.trace.loads, simulated.trace.loads);
        EXPECT_EQ(run.execution.trace.evictions, simulated.trace.evictions);
      }
    }
  }
  EXPECT_TRUE(compared || loads_ahead) << "set StrategyEntry::loads_ahead";
}

INSTANTIATE_TEST_SUITE_P(Table, ExecutedAndSimulated, testing::ValuesIn(every_choice()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::executed_agreement_test
