#include "experiments/recommend/expectations.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "experiments/prediction/limited_predictions.hpp"
#include "models/error.hpp"
#include "models/parallel.hpp"
#include "models/platforms/scenario.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// A prediction with its margin: the true value is not expected outside.
struct PredictedRange {
  double value = 0;
  double margin = 0;  ///< relative

  [[nodiscard]] double least() const { return value * (1 - margin); }
  [[nodiscard]] double most() const { return value * (1 + margin); }
};

std::optional<PredictedRange> predicted_range(const Experiment& experiment,
                                              const std::string& strategy, Goal goal) {
  constexpr double caution = 2;  // times the error of nine of ten
  try {
    const ResolvedStrategy resolved = resolve_strategy(strategy, experiment);
    const auto trust = limited_trust(resolved.choice.entry->name, experiment);
    if (!trust) return std::nullopt;
    const ExpectedErrors& errors = trust->errors;
    if (!why_not_predicted(trust->model, experiment, resolved).empty()) return std::nullopt;
    const Record record = limited_prediction(experiment, resolved, trust->model, 0);
    if (record.status.kind != Status::Kind::ok || record.domain != "inside") return std::nullopt;
    if (goal == Goal::time) return PredictedRange{*record.makespan_s, caution * errors.makespan};
    return PredictedRange{*record.bytes_loaded, caution * errors.loads};
  } catch (const Infeasible&) {
    return std::nullopt;  // the race says why it has no run
  }
}

}  // namespace

Expectations expectations(const Experiment& experiment, Goal goal,
                          std::chrono::steady_clock::time_point until) {
  Expectations result;
  const auto& strategies = experiment.strategies;
  std::vector<std::optional<PredictedRange>> ranges(strategies.size());
  if (experiment.scenario.machine() && goal != Goal::energy) {
    in_parallel(strategies.size(), [&](std::uint64_t k) {
      if (std::chrono::steady_clock::now() < until) {
        ranges[k] = predicted_range(experiment, strategies[k], goal);
      }
    });
  }
  double most_of_best = std::numeric_limits<double>::infinity();
  for (const auto& range : ranges) {
    if (range) most_of_best = std::min(most_of_best, range->most());
  }
  std::vector<Expected> racing;
  std::vector<std::string> unpredicted;
  for (std::size_t k = 0; k < strategies.size(); ++k) {
    if (!ranges[k]) {
      unpredicted.push_back(strategies[k]);
    } else {
      const bool loses = ranges[k]->least() > race_far_behind * most_of_best;
      (loses ? result.losers : racing).push_back({strategies[k], ranges[k]->value});
    }
  }
  const auto by_value = [](const Expected& a, const Expected& b) { return a.value < b.value; };
  std::stable_sort(result.losers.begin(), result.losers.end(), by_value);
  std::stable_sort(racing.begin(), racing.end(), by_value);
  for (const Expected& one : racing) result.racing.push_back(one.strategy);
  result.racing.insert(result.racing.end(), unpredicted.begin(), unpredicted.end());
  return result;
}

}  // namespace damocles
