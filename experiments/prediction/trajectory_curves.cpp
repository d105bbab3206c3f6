#include "experiments/prediction/trajectory_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "models/error.hpp"

namespace damocles {
namespace {

/// The value below which this share of the sorted values lies, between neighbours linearly.
double quantile(const Curve& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Curve instants_until(double end_s, int instants) {
  Curve times;
  for (int i = 0; i < instants; ++i) times.push_back(end_s * i / (instants - 1));
  return times;
}

void add_points(const std::vector<RunCurves>& runs, std::pair<Quantity, double> which,
                const std::string& model, const Curve& times,
                std::vector<TrajectoryPoint>& points) {
  const bool band = model.empty() && runs.size() > 1;
  const std::string source = model.empty() ? "simulated" : "predicted";
  for (std::size_t i = 0; i < times.size(); ++i) {
    Curve values;
    for (const auto& run : runs) {
      const auto curve = run.find(which);  // absent where a draw has nobody of this speed
      if (curve != run.end()) values.push_back(curve->second[i]);
    }
    std::sort(values.begin(), values.end());
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    points.push_back({source, model, which.first,
                      which.second == 0 ? std::nullopt : std::optional(which.second), times[i],
                      mean, band ? std::optional(quantile(values, 0.05)) : std::nullopt,
                      band ? std::optional(quantile(values, 0.95)) : std::nullopt});
  }
}

void refuse_much_memory(const Experiment& experiment, int instants) {
  constexpr double most = 1e7;  // numbers of each kind: some 300 MB
  const auto replicates = static_cast<double>(experiment.replicates);
  const auto processors = static_cast<double>(experiment.scenario.processors());
  if (replicates * instants <= most && replicates * processors <= most) return;
  throw InvalidInput(
      fmt::format("{} replicates of {} instants on {} processors take too much memory; give fewer "
                  "replicates, so that neither product is above {:.0g}",
                  experiment.replicates, instants, experiment.scenario.processors(), most));
}

}  // namespace damocles
