#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/execution/execution.hpp"
#include "experiments/execution/platform_fit.hpp"
#include "experiments/progress.hpp"

namespace damocles {

/// What is executed to fit a platform, and to see how good it is.
struct CalibratingRuns {
  std::vector<std::string> fitted;    ///< strategies to whose runs it is fitted
  std::vector<std::string> held_out;  ///< and those that are predicted on it
  std::uint64_t repeats = 5;          ///< of each
  std::uint64_t seed = 1;
};

/// The runs of one strategy on one workload, beside what the fitted platform makes of them.
struct JudgedRuns {
  std::string workload;
  std::string strategy;
  bool held_out = false;
  std::vector<double> executed_s;  ///< makespans
  double simulated_s = 0;          ///< makespan of the strategy deciding in virtual time

  /// Their median, which one run that was disturbed does not move.
  [[nodiscard]] double median_executed_s() const;
  /// Simulated over executed, minus 1.
  [[nodiscard]] double error() const;
  /// Of a run, relative to their median: 1.48 times the median of their distances from it, as of
  /// normal errors; at least 1 %, as a few may lie together by chance.
  [[nodiscard]] double executed_sd() const;
  /// Of their median, relative: 1.25 executed_sd() / sqrt(runs), as of normal errors.
  [[nodiscard]] double median_sd() const;
};

struct FittedCalibration {
  PlatformFit fit;
  std::vector<JudgedRuns> runs;

  [[nodiscard]] bool has_held_out() const;
  /// The largest error of what was held out, without its sign; 0 where nothing was.
  [[nodiscard]] double worst_held_out() const;
};

/// The workload with tiles of half the side, whose tasks have a quarter to an eighth of the flops:
/// what a task takes beside its flops shows there; "" where it has no tiles that can be halved.
[[nodiscard]] std::string with_half_the_tile(const Workload& workload);

/// What is to be executed, and how long that takes.
struct PlannedRuns {
  Workload workload;
  CalibratingRuns what;
  double seconds = 0;  ///< forecast: all runs simulated on the platform as measured

  [[nodiscard]] std::uint64_t runs() const;
};

/// The runs as they were asked for.
[[nodiscard]] PlannedRuns as_asked(const Workload& workload, const MachineModel& measured,
                                   const CalibratingRuns& what);
/// As many repeats as end within `seconds`, at most those of `what`; where not even two do, two on
/// a workload of fewer blocks of the same size, as that has the same tasks and copies.
[[nodiscard]] PlannedRuns within_time(const Workload& workload, const MachineModel& measured,
                                      const CalibratingRuns& what, double seconds);

/// Executes all strategies on the workload and on that with half the tile, round by round, fits the
/// platform to the runs of those that are not held out, and simulates all on it.
/// @param measured  the platform as measured figure by figure; strategies decide by it
/// @param progress  called after each run
/// @throws InvalidInput where the workload cannot run in limited memory or a strategy is not
/// defined there; std::runtime_error where a run fails
[[nodiscard]] FittedCalibration fit_to_runs(const Workload& workload, const MachineModel& measured,
                                            const CalibratingRuns& what, ExecutionOptions how,
                                            const Progress& progress = {});

}  // namespace damocles
