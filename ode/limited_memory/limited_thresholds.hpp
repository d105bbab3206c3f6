// The best thresholds of dynamic-2phases and of darts where memory is limited.
//
// With unlimited memory the best threshold of dynamic-2phases follows from the speeds alone
// (best_beta.hpp). A memory that cannot hold the boxes of `dynamic` moves it: on one GPU that holds
// three quarters of the data items, phase 2 should start when half of the tasks are left, and saves
// more than half of the loads. Here the models of both strategies are asked for many thresholds,
// each time with the same draws, so that two thresholds differ by what they change alone.
//
// Contract: predictions are those of the strategy's LimitedPredictor; times are in seconds, loads
// in data items of all processors together.

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "ode/limited_memory/limited_run.hpp"

namespace damocles {

/// A threshold of `dynamic-2phases`, and what is predicted of it.
struct SwitchPoint {
  double tasks_left = 0;  ///< open tasks at which phase 2 starts, a whole number; 0: it never does
  double loads = 0;
  double makespan_s = 0;
};

/// What is predicted of that threshold.
/// @pre the model of dynamic-2phases speaks of the run, whatever its options beta and tasks-left
[[nodiscard]] SwitchPoint switch_point(LimitedRun run, double tasks_left);

struct SwitchPoints {
  SwitchPoint never;                     ///< without phase 2, as `dynamic`
  std::vector<SwitchPoint> looked_at{};  ///< ascending; `never` is not among them
  SwitchPoint fewest_loads;              ///< `never` where phase 2 saves less than half a percent
  SwitchPoint fastest;                   ///< likewise, of the makespan
};

/// @param done  called now and then with the share of the work that is done
/// @pre as of switch_point()
[[nodiscard]] SwitchPoints switch_points(LimitedRun run,
                                         const std::function<void(double)>& done = {});

/// The thresholds of `looked_at` next to the one with the fewest loads that load at most `within`
/// more, relative. @pre fewest_loads is not `never`
struct SwitchRange {
  double fewest_tasks_left;
  double most_tasks_left;
};
[[nodiscard]] SwitchRange nearly_fewest_loads(const SwitchPoints& points, double within);

/// How many data items `darts` ranks at a decision, its option `threshold`, and what is predicted.
struct RankedItems {
  std::size_t threshold = 0;
  double loads = 0;
  double makespan_s = 0;
};

/// @return the threshold of all data items, which is the strategy's default, then powers of two
///         below, descending, up to and with the first that loads more than `within` more, relative
/// @pre the model of darts speaks of the run, whatever its option threshold
[[nodiscard]] std::vector<RankedItems> ranking_thresholds(LimitedRun run, double within);

}  // namespace damocles
