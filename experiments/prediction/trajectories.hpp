#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/results/csv.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// What a trajectory follows.
enum class Quantity {
  open_tasks,        ///< share of the tasks that no processor was granted yet
  known_indices,     ///< x_k: geometric mean over the dimensions of the share of indices known
  open_outside,      ///< g_k: share still open of the tasks that the processor does not cover
  unfinished_tasks,  ///< share of the tasks that have not ended
  loads,             ///< data items that all processors have loaded so far
  resident_data,     ///< data items in the memory of a processor, mean over processors
};
[[nodiscard]] const char* name(Quantity quantity);

/// One point of a curve.
struct TrajectoryPoint {
  std::string source;  ///< predicted or simulated
  std::string model;   ///< that predicted it, or ""
  Quantity quantity;
  std::optional<double> speed;  ///< of the processors it is the mean of [tasks/s]; absent: of all
  double time_s;
  double mean;                 ///< over runs; of a prediction over their platforms
  std::optional<double> low;   ///< 5 % of the runs lie below
  std::optional<double> high;  ///< 5 % lie above
};

/// A run followed through time: simulated replicates beside the prediction for the same platforms,
/// sampled at the same instants.
///
/// With unlimited memory it is one of growing index sets, and the prediction is the mean field.
/// Processors of one speed are a curve where speeds stay and there are at most five different ones;
/// else all processors are one. Where memory is limited: see limited_trajectories().
/// @param experiment  with one strategy: with unlimited memory dynamic, or dynamic-2phases with
///                    beta above 0
/// @throws InvalidInput for any other, for workloads that are no grids, and where no model predicts
///         the strategy with limited memory
[[nodiscard]] std::vector<TrajectoryPoint> trajectories(const Experiment& experiment, int instants,
                                                        int threads);

/// As CSV with a header; docs/reference/results.md has the columns.
[[nodiscard]] std::string to_csv(const std::vector<TrajectoryPoint>& points,
                                 const Experiment& experiment);

}  // namespace damocles
