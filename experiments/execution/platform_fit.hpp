#pragma once

#include <string>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/runs/decisions.hpp"
#include "models/workload.hpp"

namespace damocles {

/// A run that was executed: what was decided, and when it ended.
struct TimedRun {
  const Workload* workload = nullptr;
  Decisions decisions;  ///< its events, with the times at which they happened
  double sd = 0.01;     ///< of its end, relative: how far the same run again may well be off
};

/// When processors computed their last tasks, in the mean of those that had any [s]; 0 where none
/// had. Decisions that are replayed give each processor what it was given when they were taken:
/// where processors were not as fast, one to another, as they are now, one of them ends late and
/// another early. The last of them, the makespan, would always be too long.
[[nodiscard]] double mean_end_s(const std::vector<RunEvent>& events, std::size_t processors);

/// One figure of a platform, before and after it was fitted, in its unit.
struct FittedFigure {
  std::string name;
  double before = 0;
  double after = 0;
  double sd = 0;  ///< of `after`, from the curvature of the sum of squares
};

/// A platform on which the decisions of executed runs take as long as they took.
struct PlatformFit {
  MachineModel machine;
  std::vector<FittedFigure> figures;
  /// Of mean_end_s() of each run, replayed on it, relative to the executed one.
  std::vector<double> errors;
};

/// Fits a platform to executed runs: least squares of their mean ends (mean_end_s()), with their
/// decisions replayed in virtual time, over six figures,
///
///   sum_r rho(ln(simulated_r / executed_r) / sd_r) + sum_j ((x_j - x0_j) / sd_j)^2 -> min,
///
/// where rho is the square, and beyond 3 sd the distance (soft L1), so that a run that was
/// disturbed counts little. Three figures are factors exp(x) of what was measured: all processors'
/// rates (sd 5 %), the bandwidth of the bus and that of the links (30 % each). Three are x^2 more
/// than it: latency, as a copy alone does not wait for a thread to wake, in units of a mean copy (x
/// = 0.1, sd 1); overhead, in units of a mean task (0.1, sd 0.2); interference (0.5, sd 0.5), which
/// stays below 4. What the runs say nothing of thus stays as measured. By Levenberg and Marquardt's
/// method with central differences.
/// @param measured  the platform as measured figure by figure; its jitter is left out
/// @throws InvalidInput if a run cannot be carried out there, or ends at 0
/// @pre each sd is above 0
[[nodiscard]] PlatformFit fit_platform(const MachineModel& measured,
                                       const std::vector<TimedRun>& runs);

}  // namespace damocles
