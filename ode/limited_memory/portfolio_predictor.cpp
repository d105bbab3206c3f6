// portfolio, which simulates several strategies and uses the best: the best as predicted.

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"

namespace damocles {
namespace {

/// What it chooses from, as strategies/portfolio.cpp has it.
constexpr std::array candidates{"eager", "mst", "rcm", "dmdar", "hfp", "darts", "panel-streaming"};

/// The strategy takes the one that loads least of those that are slower by no more than this.
constexpr double slower_at_most = 1.01;

std::vector<LimitedPrediction> predicted(const LimitedRun& run) {
  std::vector<LimitedPrediction> result;
  for (const char* const name : candidates) {
    const auto& predictor = Table<LimitedPredictor>::named(name);
    if (predictor.why_unavailable != nullptr && !predictor.why_unavailable(run).empty()) continue;
    LimitedRun its_own = run;
    its_own.eviction = predictor.evictions.front();
    its_own.strategy = {};
    result.push_back(predictor.predict(its_own));
  }
  return result;
}

LimitedPrediction predict_best(const LimitedRun& run) {
  const auto all = predicted(run);
  double fastest_s = std::numeric_limits<double>::infinity();
  for (const LimitedPrediction& one : all) fastest_s = std::min(fastest_s, one.makespan_s);
  LimitedPrediction best{.loads = std::numeric_limits<double>::infinity()};
  for (const LimitedPrediction& one : all) {
    if (one.makespan_s <= slower_at_most * fastest_s && one.loads < best.loads) best = one;
  }
  return best;
}

const Register portfolio_predictor{
    LimitedPredictor{.name = "portfolio",
                     .model = "counted",
                     .evictions = {"chosen"},
                     .alone = {.loads = 0.01, .makespan = 0.005},
                     .several = {.loads = 0.08, .makespan = 0.03},
                     .alone_elsewhere = {.loads = 0.075, .makespan = 0.065},
                     .several_elsewhere = {.loads = 0.1, .makespan = 0.075},
                     .predict = predict_best}};

}  // namespace
}  // namespace damocles
