#include "ode/hybrid_prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"

namespace damocles::hybrid_prediction_test {
namespace {

struct Mean {
  double loads = 0;
  double makespan_s = 0;
};

/// Of simulated runs on platforms drawn alike, and of their predictions.
std::pair<Mean, Mean> both(const std::string& workload_text, const std::string& platform_text,
                           const std::string& strategy, std::uint64_t runs) {
  const auto workload = Workload::parse(workload_text);
  const auto choice = StrategyChoice::parse(strategy, workload);
  Mean simulated;
  Mean predicted;
  for (std::uint64_t replicate = 0; replicate < runs; ++replicate) {
    const auto platform = Scenario::parse(platform_text).draw(1, replicate);
    const Trace trace = simulate(workload, platform, choice, 1, replicate);
    const Prediction prediction =
        predict_hybrid({workload, platform.relative_speeds()}, platform.speeds, choice.spec);
    const auto count = static_cast<double>(runs);
    simulated.loads += static_cast<double>(std::accumulate(trace.loads.begin(), trace.loads.end(),
                                                           std::uint64_t{0})) /
                       count;
    simulated.makespan_s += trace.makespan_s / count;
    predicted.loads += prediction.loads / count;
    predicted.makespan_s += prediction.makespan_s.value_or(0) / count;
  }
  return {simulated, predicted};
}

/// Nothing flows between zones: what they read, in the time of the latest.
TEST(PredictHybrid, CountsZonesThatAreKeptWhole) {
  for (const auto* const text : {"outer:n=100", "outer:m=30,n=200", "matrix:n=20"}) {
    const auto [simulated, predicted] =
        both(text, "uniform:p=12,lo=10,hi=100", "hybrid:share=1", 3);
    EXPECT_NEAR(predicted.loads, simulated.loads, 1e-9 * simulated.loads) << text;
    EXPECT_NEAR(predicted.makespan_s, simulated.makespan_s, 1e-9 * simulated.makespan_s) << text;
  }
}

/// The fluid does not know the granularity of tasks, nor that they are taken in turn: measured on
/// these settings 0.2 to 2.1 % of the mean of ten runs, whose own standard error is up to 1.3 %; 5
/// % is asked. Times end up to a task of the slowest (1/10 s) later, never earlier but for the
/// drawn estimates, which with a safe share do not matter.
TEST(PredictHybrid, IsNearTheSimulatedMeans) {
  for (const auto* const text : {"outer:n=100", "matrix:n=40"}) {
    for (const auto* const strategy : {"hybrid", "hybrid:share=0", "hybrid:error=0.3"}) {
      const auto [simulated, predicted] = both(text, "uniform:p=20,lo=10,hi=100", strategy, 8);
      EXPECT_NEAR(predicted.loads, simulated.loads, 0.05 * simulated.loads) << text << strategy;
      EXPECT_GE(simulated.makespan_s, predicted.makespan_s * (1 - 1e-9)) << text << strategy;
      EXPECT_LE(simulated.makespan_s, predicted.makespan_s + 0.1) << text << strategy;
    }
  }
}

TEST(PredictHybrid, HasASpreadOnlyWhereEstimatesAreDrawn) {
  const auto workload = Workload::parse("outer:n=50");
  const std::vector<double> speeds{1, 2, 3, 4};
  const Problem problem(workload, std::vector<double>{0.1, 0.2, 0.3, 0.4});
  const auto sd = [&](const std::string& text) {
    return *predict_hybrid(problem, speeds, Spec::parse(text, "strategy")).sd_loads;
  };
  EXPECT_EQ(sd("hybrid"), 0);
  EXPECT_GT(sd("hybrid:error=0.2"), 0);
}

}  // namespace
}  // namespace damocles::hybrid_prediction_test
