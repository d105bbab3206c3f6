// Predictions for GPUs of different speeds, against simulated runs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/task_lists.hpp"
#include "ode/static_plans/plan_predictor.hpp"
#include "sim/simulate.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// A grid on two or four GPUs, of which all but the first are up to four times slower.
struct UnequalGpus {
  explicit UnequalGpus(std::uint64_t draw) {
    Rng rng(17, Draw::test, draw);
    const std::uint64_t n = 20 + rng.below(31);
    const std::size_t gpus = draw % 2 == 0 ? 2 : 4;
    workload = Workload::parse(fmt::format("gemm2d:n={}", n));
    platform = Scenario::parse(
                   fmt::format("gpus:k={},memory={}data,jitter=off", gpus, n / 3 + rng.below(n)))
                   .draw(1, 0);
    for (std::size_t k = 1; k < gpus; ++k) {
      const double slower = std::pow(4, rng.uniform());
      platform.machine->processors[k].flops_per_s /= slower;
      platform.speeds[k] /= slower;
    }
  }
  [[nodiscard]] StrategyChoice choice(const std::string& strategy) const {
    return StrategyChoice::parse(strategy, workload);
  }
  [[nodiscard]] LimitedRun run(const std::string& strategy) const {
    const StrategyChoice chosen = choice(strategy);
    LimitedRun run = limited_run(workload, platform, chosen.eviction(), chosen.entry->depth);
    run.strategy = chosen.spec;
    return run;
  }
  [[nodiscard]] double predicted_loads(const std::string& strategy) const {
    const auto* const planned = Table<PlanPredictor>::find(strategy);
    if (planned != nullptr) {
      const auto depth = choice(strategy).entry->depth;
      return plan_prediction(planned_run(workload, platform, planned->schedule, depth),
                             run(strategy))
          .loads;
    }
    const auto& predictor = Table<LimitedPredictor>::named(choice(strategy).entry->name);
    return predictor.predict(run(strategy)).loads;
  }
  [[nodiscard]] bool is_said_to_be_wrong(const std::string& strategy) const {
    const auto* const predictor = Table<LimitedPredictor>::find(choice(strategy).entry->name);
    return predictor != nullptr && predictor->why_wrong != nullptr &&
           !predictor->why_wrong(run(strategy)).empty();
  }
  [[nodiscard]] double simulated_loads(const std::string& strategy, std::uint64_t runs) const {
    double sum = 0;
    for (std::uint64_t replicate = 0; replicate < runs; ++replicate) {
      sum += static_cast<double>(
          simulate(workload, platform, choice(strategy), 1, replicate).total_loads());
    }
    return sum / static_cast<double>(runs);
  }

  Workload workload = Workload::parse("gemm2d:n=1");
  Platform platform;
};

/// The error of loads that nine of ten settings stay below, of those where the model says that it
/// is right.
double error_of_nine_in_ten(const std::string& strategy, std::uint64_t runs) {
  constexpr std::uint64_t settings = 20;
  std::vector<double> errors;
  for (std::uint64_t draw = 0; draw < settings; ++draw) {
    const UnequalGpus setting(draw);
    if (setting.is_said_to_be_wrong(strategy)) continue;
    errors.push_back(
        std::abs(setting.predicted_loads(strategy) / setting.simulated_loads(strategy, runs) - 1));
  }
  std::sort(errors.begin(), errors.end());
  return errors[errors.size() * 9 / 10];
}

TEST(UnequalSpeeds, LeaveListsByCompletionTimeExact) {
  for (const char* strategy : {"dm", "dmda", "dmdap", "dmdas", "pheft", "dmdar", "hfp"}) {
    EXPECT_LT(error_of_nine_in_ten(strategy, 1), 0.005) << strategy;
  }
}
TEST(UnequalSpeeds, AreKnownToStaticSchedules) {
  for (const char* strategy : {"heft", "bil", "min-min", "etf"}) {
    EXPECT_LT(error_of_nine_in_ten(strategy, 1), 0.005) << strategy;
  }
}
TEST(UnequalSpeeds, AreKnownToStaticZones) {
  for (const char* strategy : {"static-columns", "static-nrrp", "hybrid"}) {
    EXPECT_LT(error_of_nine_in_ten(strategy, 1), 0.005) << strategy;
  }
}
TEST(UnequalSpeeds, AreKnownToPanels) {
  EXPECT_LT(error_of_nine_in_ten("panel-streaming", 1), 0.005);
}
TEST(UnequalSpeeds, AreKnownToWhoeverAsksForTasks) {
  EXPECT_LT(error_of_nine_in_ten("darts", 4), 0.05);
  EXPECT_LT(error_of_nine_in_ten("dynamic", 8), 0.1);
  EXPECT_LT(error_of_nine_in_ten("prio", 1), 0.02);
  EXPECT_LT(error_of_nine_in_ten("lws", 1), 0.005);
  EXPECT_LT(error_of_nine_in_ten("random", 6), 0.06);
  EXPECT_LT(error_of_nine_in_ten("random-by-speed", 12), 0.05);
}

TEST(UnequalSpeeds, DealTasksInProportion) {
  UnequalGpus setting(0);
  setting.workload = Workload::parse("gemm2d:n=100");
  for (std::size_t k = 0; k < 2; ++k) {
    setting.platform.machine->processors[k].flops_per_s = k == 0 ? 3e12 : 1e12;
  }
  const LimitedRun run = setting.run("random-by-speed");
  ASSERT_EQ(run.slowness, (std::vector<double>{1, 3}));
  EXPECT_DOUBLE_EQ(run.s(1, 0), 3 * run.s(0, 0));

  Rng rng(1, Draw::test, 0);
  EXPECT_NEAR(static_cast<double>(dealt_at_random(run, rng)[0].size()), 7500, 150);
  EXPECT_EQ(planned_lists(run, Placed::as_submitted)[0].size(), 7500U);
}

std::string why_outside(const std::string& workload, std::vector<double> slowness) {
  const Workload tasks = Workload::parse(workload);
  LimitedRun run = limited_run(tasks, Scenario::parse("gpus:k=3,memory=20data").draw(1, 0), "lru");
  run.slowness = std::move(slowness);
  return why_outside_study(run);
}

TEST(UnequalSpeeds, AreValidatedWhereTheyWereStudied) {
  EXPECT_EQ(why_outside("gemm2d:n=30", {1, 4, 2}), "");
  EXPECT_EQ(why_outside("gemm2d:n=30", {1, 0.5, 2}), "");
  EXPECT_EQ(why_outside("gemm2d:n=30", {1, 0.5, 2.1}),
            "speeds that differ 4.2 times, validated up to 4");
  EXPECT_EQ(why_outside("gemm3d:n=10", {1, 1.5, 1}),
            "the tasks of gemm3d on GPUs of different speeds, validated for gemm2d");
  EXPECT_EQ(why_outside("gemm3d:n=10", {}), "");
}

TEST(UnequalSpeeds, OfEqualGpusAreNone) {
  const Workload workload = Workload::parse("gemm2d:n=5");
  const Platform platform = Scenario::parse("gpus:k=3,memory=5data").draw(1, 0);

  EXPECT_TRUE(limited_run(workload, platform, "lru").slowness.empty());
  EXPECT_FALSE(processors_differ(*platform.machine));
}

}  // namespace
}  // namespace damocles
