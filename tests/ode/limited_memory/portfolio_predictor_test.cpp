// The portfolio predicts candidates only as far as they may be the best; here against all of them
// predicted in full.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "orders/portfolio_candidates.hpp"

namespace damocles::portfolio_predictor_test {
namespace {

const LimitedPredictor& predictor_of(std::string_view strategy) {
  return Table<LimitedPredictor>::named(strategy.substr(0, strategy.find(':')));
}

LimitedPrediction predicted(std::string_view strategy, LimitedRun run) {
  run.eviction = predictor_of(strategy).evictions.front();
  run.strategy = Spec::parse(strategy, "strategy");
  return predictor_of(strategy).predict(run);
}

/// The best of all candidates, each predicted to its end.
LimitedPrediction best_of_all(const LimitedRun& run) {
  std::vector<LimitedPrediction> all;
  for (const std::string_view candidate : portfolio_candidates) {
    const auto& predictor = predictor_of(candidate);
    if (predictor.why_unavailable != nullptr && !predictor.why_unavailable(run).empty()) continue;
    all.push_back(predicted(candidate, run));
  }
  double fastest_s = std::numeric_limits<double>::infinity();
  for (const LimitedPrediction& one : all) fastest_s = std::min(fastest_s, one.makespan_s);
  LimitedPrediction best{.loads = std::numeric_limits<double>::infinity()};
  for (const LimitedPrediction& one : all) {
    const bool is_fast = one.makespan_s <= portfolio_slower_at_most * fastest_s;
    if (is_fast && one.loads < best.loads) best = one;
  }
  return best;
}

/// Grids and other graphs; memory for few data items to most of them; fast and slow buses.
struct Setting {
  explicit Setting(std::uint64_t draw) {
    Rng rng(31, Draw::test, draw);
    const auto up_to = [&](std::uint64_t least, std::uint64_t most) {
      return least + rng.below(most - least + 1);
    };
    const std::uint64_t kind = rng.below(4);
    on = kind == 0   ? fmt::format("gemm3d:n={}", up_to(6, 12))
         : kind == 1 ? fmt::format("sparse2d:n={},density=0.3", up_to(30, 60))
                     : fmt::format("gemm2d:m={},n={}", up_to(20, 50), up_to(20, 50));
    const std::uint64_t gigabytes = std::uint64_t{1} << up_to(1, 6);
    machine = fmt::format("gpus:k={},memory={}data,bandwidth={}GB/s", up_to(1, 4), up_to(6, 80),
                          gigabytes);
  }
  std::string on;
  std::string machine;
};

TEST(PortfolioPrediction, IsTheBestCandidatePredictedInFull) {
  for (std::uint64_t draw = 0; draw < 40; ++draw) {
    const Setting setting(draw);
    SCOPED_TRACE(setting.on + " " + setting.machine);
    const auto workload = Workload::parse(setting.on);
    const auto platform = Scenario::parse(setting.machine).draw(1, 0);
    const LimitedRun run = limited_run(workload, platform, "chosen");

    const LimitedPrediction found = predictor_of("portfolio").predict(run);

    const LimitedPrediction best = best_of_all(run);
    EXPECT_EQ(found.loads, best.loads);
    EXPECT_EQ(found.makespan_s, best.makespan_s);
    EXPECT_EQ(found.sd_loads, best.sd_loads);
  }
}

/// Strategies of one list, of drawn queues, of lists with views, of a chain and of windows.
class LimitedPredictions : public testing::TestWithParam<const char*> {
 protected:
  static LimitedPrediction with_limits(double most_makespan_s, double most_loads) {
    static const auto workload = Workload::parse("gemm2d:n=40");
    static const auto platform = Scenario::parse("gpus:k=2,memory=25data").draw(1, 0);
    LimitedRun run = limited_run(workload, platform, "lru");
    run.most_makespan_s = most_makespan_s;
    run.most_loads = most_loads;
    return predicted(GetParam(), run);
  }
  static constexpr double no_limit = std::numeric_limits<double>::infinity();
};

TEST_P(LimitedPredictions, AreTheSameUnderLimitsThatTheyKeep) {
  const LimitedPrediction whole = with_limits(no_limit, no_limit);

  const LimitedPrediction limited = with_limits(whole.makespan_s, whole.loads);

  EXPECT_EQ(limited.loads, whole.loads);
  EXPECT_EQ(limited.makespan_s, whole.makespan_s);
}

TEST_P(LimitedPredictions, StopWhereALimitIsFarOff) {
  // The mean is of up to 16 draws: even where all others load nothing, one breaks the limit.
  const LimitedPrediction whole = with_limits(no_limit, no_limit);

  EXPECT_TRUE(std::isinf(with_limits(whole.makespan_s / 10, no_limit).makespan_s));
  EXPECT_TRUE(std::isinf(with_limits(no_limit, whole.loads / 100).loads));
}

INSTANTIATE_TEST_SUITE_P(Kinds, LimitedPredictions,
                         testing::Values("eager", "rcm", "heft", "random-by-speed", "dmdar", "hfp",
                                         "darts", "lws", "hybrid", "modular-heft"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace damocles::portfolio_predictor_test
