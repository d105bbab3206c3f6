#include "ode/limited_memory/hiding_memory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"

namespace damocles::hiding_memory_test {
namespace {

struct Machine {
  int gpus;
  std::string bandwidth;
};

std::string platform_text(const Machine& machine, std::size_t memory) {
  return fmt::format("gpus:k={},memory={}data,bandwidth={}GB/s", machine.gpus, memory,
                     machine.bandwidth);
}

double simulated_s(const Workload& workload, const Machine& machine, const std::string& strategy,
                   std::size_t memory) {
  const auto platform = Scenario::parse(platform_text(machine, memory)).draw(1, 0);
  return simulate(workload, platform, StrategyChoice::parse(strategy, workload), 1, 0).makespan_s;
}

/// From how many data items on, up to so many, a run takes at most 5 % longer than with memory for
/// all.
std::size_t simulated_knee(const Workload& workload, const Machine& machine,
                           const std::string& strategy, std::size_t up_to) {
  const double least_s = simulated_s(workload, machine, strategy, workload.data());
  std::size_t memory = std::min<std::size_t>(workload.data(), up_to);
  while (memory > 3 && simulated_s(workload, machine, strategy, memory - 1) < 1.05 * least_s) {
    --memory;
  }
  return memory;
}

std::optional<std::size_t> predicted(
    const Workload& workload, const Machine& machine,
    std::optional<std::size_t> (*hiding_memory)(const LimitedRun&)) {
  const auto platform = Scenario::parse(platform_text(machine, 6)).draw(1, 0);
  return hiding_memory(limited_run(workload, platform, "lru"));
}

void expect_within_one(std::optional<std::size_t> said, std::size_t simulated,
                       const std::string& where) {
  ASSERT_TRUE(said.has_value()) << where;
  EXPECT_LE(std::abs(static_cast<long>(*said) - static_cast<long>(simulated)), 1)
      << where << ": predicted " << *said << ", simulated " << simulated;
}

TEST(HidingMemoryOfPanels, IsTheKneeOfSimulatedMakespansOfPanelStreaming) {
  for (const char* const text : {"gemm2d:n=30", "gemm2d:m=40,n=70"}) {
    const auto workload = Workload::parse(text);
    for (const char* const bandwidth : {"4", "6", "8", "12", "24"}) {
      const Machine machine{1, bandwidth};
      const auto said = predicted(workload, machine, hiding_memory_of_panels);
      expect_within_one(said,
                        simulated_knee(workload, machine, "panel-streaming", said.value_or(0) + 12),
                        fmt::format("{} at {} GB/s", text, bandwidth));
    }
  }
}

TEST(HidingMemoryOfRounds, IsTheKneeOfSimulatedMakespansOfTasksDealtInTurn) {
  for (const char* const text : {"gemm2d:n=40", "gemm2d:n=41", "gemm2d:m=60,n=30"}) {
    const auto workload = Workload::parse(text);
    for (const int gpus : {1, 2, 4}) {
      for (const char* const bandwidth : {"24", "48", "200"}) {
        const Machine machine{gpus, bandwidth};
        for (const char* const strategy : {"lws", "heft"}) {
          const auto said = predicted(workload, machine, hiding_memory_of_rounds);
          expect_within_one(
              said, simulated_knee(workload, machine, strategy, workload.data()),
              fmt::format("{} of {} on {} GPUs at {} GB/s", strategy, text, gpus, bandwidth));
        }
      }
    }
  }
}

TEST(HidingMemory, IsNoneWhereFirstLoadsTakeLongerThanTasks) {
  const auto workload = Workload::parse("gemm2d:n=20");
  EXPECT_FALSE(predicted(workload, {1, "0.5"}, hiding_memory_of_panels).has_value());
  EXPECT_FALSE(predicted(workload, {4, "2"}, hiding_memory_of_rounds).has_value());
}

}  // namespace
}  // namespace damocles::hiding_memory_test
