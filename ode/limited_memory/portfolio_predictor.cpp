// portfolio, which simulates several strategies and uses the best: the best as predicted.

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"
#include "orders/portfolio_candidates.hpp"

namespace damocles {
namespace {

std::vector<LimitedPrediction> predicted(const LimitedRun& run) {
  std::vector<LimitedPrediction> result;
  for (const std::string_view candidate : portfolio_candidates) {
    if (candidate.find(':') != std::string_view::npos) continue;  // no model knows its option
    const auto& predictor = Table<LimitedPredictor>::named(candidate);
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
    const bool fast = one.makespan_s <= portfolio_slower_at_most * fastest_s;
    if (fast && one.loads < best.loads) best = one;
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
                     .different_speeds = {.loads = 0.12, .makespan = 0.03},
                     .predict = predict_best}};

}  // namespace
}  // namespace damocles
