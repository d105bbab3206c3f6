#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/measured/counterpart.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// A measured point beside ours.
struct Compared {
  const Measurement* measured = nullptr;
  Counterpart how;
  std::optional<double> gflops;  ///< ours: flops of all runs over the sum of their times
  std::optional<double> loads;   ///< ours: mean over runs, all GPUs
  /// What a model says of them without simulation, on Counterpart::model_platform.
  std::optional<double> predicted_gflops;
  std::optional<double> predicted_loads;
  std::string no_prediction;  ///< why there is none; empty where there is one

  /// ours / measured - 1; nothing where one of the two is absent.
  [[nodiscard]] std::optional<double> gflops_deviation() const;
  [[nodiscard]] std::optional<double> loads_deviation() const;
  [[nodiscard]] std::optional<double> predicted_gflops_deviation() const;
  [[nodiscard]] std::optional<double> predicted_loads_deviation() const;
};

/// How points are simulated.
struct ComparisonRuns {
  std::uint64_t runs = 10;  ///< of each point, as many as the authors' iterations
  std::uint64_t seed = 1;
  int threads = 0;
};

/// Simulates and predicts every point that has a counterpart, equal ones once. The order is that of
/// `points`.
[[nodiscard]] std::vector<Compared> compare_with_measured(
    const std::vector<const Measurement*>& points, const ComparisonRuns& runs,
    const Progress& progress = {});

/// The absolute deviations of a group of points. p90 is the smallest that at least 90 % of them do
/// not exceed; `worst` keeps its sign.
struct Spread {
  double median = 0;
  double p90 = 0;
  double worst = 0;
};
/// Nothing where there are none.
[[nodiscard]] std::optional<Spread> spread(const std::vector<double>& deviations);

/// The points of one strategy on one number of GPUs: of one run of one figure.
struct ComparedGroup {
  const Measurement* first = nullptr;  ///< says figure, run, application, GPUs, strategy, memory
  std::string ours;                    ///< our strategy; empty: no counterpart
  std::string absent;                  ///< why a point has none
  std::vector<const Compared*> points;
  std::optional<Spread> gflops;
  std::optional<Spread> loads;
  std::size_t predicted = 0;  ///< points that have a prediction
  std::optional<Spread> predicted_gflops;
  std::optional<Spread> predicted_loads;
  /// Of the simulator, of the predicted points alone.
  std::optional<Spread> gflops_of_predicted;
  std::optional<Spread> loads_of_predicted;
  std::string no_prediction;  ///< why the last point without a prediction has none
};
/// In the order in which their first points come. @param compared must outlive the result
[[nodiscard]] std::vector<ComparedGroup> grouped(const std::vector<Compared>& compared);

}  // namespace damocles
