// portfolio, which simulates several strategies and uses the best: the best as predicted.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"
#include "orders/portfolio_candidates.hpp"

namespace damocles {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// The candidates, each predicted only as far as it may be the best: of those that take at most
/// portfolio_slower_at_most times as long as the fastest, the one that loads least.
class Candidates {
 public:
  explicit Candidates(const LimitedRun& run)
      : run_(run), surely_fast_s_(portfolio_slower_at_most * run.least_makespan_s()) {
    for (const std::string_view name : portfolio_candidates) {
      Spec strategy = Spec::parse(name, "strategy");
      const auto& predictor = Table<LimitedPredictor>::named(strategy.name());
      if (predictor.why_unavailable != nullptr && !predictor.why_unavailable(run).empty()) continue;
      all_.push_back({.predictor = &predictor, .strategy = std::move(strategy)});
    }
  }

  LimitedPrediction best() {
    // Those first that are often good: they set limits to the others.
    for (const std::string_view name : {"panel-streaming", "dmdar", "darts", "hfp"}) {
      for (Candidate& one : all_) {
        if (one.predictor->name == name && !one.is_predicted)
          predict(one, fewest_loads(), portfolio_slower_at_most * fastest_s_);
      }
    }
    for (Candidate& one : all_) {
      if (!one.is_predicted) predict(one, fewest_loads(), portfolio_slower_at_most * fastest_s_);
    }
    LimitedPrediction found = best_so_far();
    if (found.makespan_s <= surely_fast_s_) return found;
    // One that was stopped for its loads may be so fast that this one is too slow.
    const double matters_s = found.makespan_s / portfolio_slower_at_most;
    for (Candidate& one : all_) {
      if (std::isinf(one.said.makespan_s)) predict(one, no_limit, matters_s);
    }
    return best_so_far();
  }

 private:
  struct Candidate {
    const LimitedPredictor* predictor = nullptr;
    Spec strategy{};
    bool is_predicted = false;
    LimitedPrediction said{};  // infinite where it was stopped
  };

  void predict(Candidate& candidate, double most_loads, double most_makespan_s) {
    LimitedRun its_own = run_;
    its_own.eviction = candidate.predictor->evictions.front();
    its_own.strategy = candidate.strategy;
    its_own.most_makespan_s = most_makespan_s;
    its_own.most_loads = most_loads;
    candidate.said = candidate.predictor->predict(its_own);
    candidate.is_predicted = true;
    fastest_s_ = std::min(fastest_s_, candidate.said.makespan_s);
  }

  /// Of those that are fast enough however fast the fastest is.
  [[nodiscard]] double fewest_loads() const {
    double fewest = no_limit;
    for (const Candidate& one : all_) {
      const bool counts = one.is_predicted && one.said.makespan_s <= surely_fast_s_;
      if (counts) fewest = std::min(fewest, one.said.loads);
    }
    return fewest;
  }

  /// Ties: the first.
  [[nodiscard]] LimitedPrediction best_so_far() const {
    LimitedPrediction best{.loads = no_limit};
    for (const Candidate& one : all_) {
      const bool is_fast = one.said.makespan_s <= portfolio_slower_at_most * fastest_s_;
      if (is_fast && one.said.loads < best.loads) best = one.said;
    }
    return best;
  }

  const LimitedRun& run_;
  double surely_fast_s_;
  double fastest_s_ = no_limit;
  std::vector<Candidate> all_;  // the simplest first
};

LimitedPrediction predict_best(const LimitedRun& run) { return Candidates(run).best(); }

const Register portfolio_predictor{
    LimitedPredictor{.name = "portfolio",
                     .model = "counted",
                     .evictions = {"chosen"},
                     .alone = {.loads = 0.01, .makespan = 0.005},
                     .several = {.loads = 0.01, .makespan = 0.005},
                     .alone_elsewhere = {.loads = 0.005, .makespan = 0.005},
                     .several_elsewhere = {.loads = 0.005, .makespan = 0.005},
                     .different_speeds = {.loads = 0.01, .makespan = 0.005},
                     .predict = predict_best}};

}  // namespace
}  // namespace damocles
