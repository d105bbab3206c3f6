#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/studies/study.hpp"
#include "models/platforms/scenario.hpp"
#include "models/runs/record.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// A strategy as asked for, and as it runs: beta=auto is a number.
struct ResolvedStrategy {
  std::string asked;
  StrategyChoice choice;
  std::optional<double> beta;  ///< of a strategy with a threshold
};

/// @throws InvalidInput on unknown names or options
[[nodiscard]] StrategyChoice chosen_strategy(const std::string& asked, const Workload& workload);
/// @throws InvalidInput likewise
[[nodiscard]] ResolvedStrategy resolve_strategy(const std::string& asked, const Workload& workload,
                                                const Platform& platform);
/// The same on the platform of its first replicate.
[[nodiscard]] ResolvedStrategy resolve_strategy(const std::string& asked,
                                                const Experiment& experiment);

/// What every row of an experiment shares, for the platform of one replicate.
[[nodiscard]] Record make_record(const Experiment& experiment, const ResolvedStrategy& resolved,
                                 std::uint64_t replicate);
/// The same of a strategy, as asked for, that has no plan.
[[nodiscard]] Record make_record(const Experiment& experiment, const std::string& strategy,
                                 std::uint64_t replicate);

/// What the loads of a run are compared with.
struct VolumeBounds {
  double lower = 0;                ///< no schedule loads less
  std::optional<double> balanced;  ///< no schedule in perfect balance does (balanced_bound())
};
/// What a run is compared with.
struct RunBounds {
  VolumeBounds volume;
  double makespan_s =
      0;  ///< no schedule ends sooner; 0: nothing is known, as with no machine model
};

/// The bounds on runs of an experiment there; the same for all replicates where alike_replicates().
[[nodiscard]] RunBounds run_bounds(const Experiment& experiment, const Platform& platform,
                                   std::uint64_t replicate);
/// Whether all replicates have one platform, and what tasks take on it.
[[nodiscard]] bool alike_replicates(const Scenario& scenario);

/// The row of a run in virtual time.
[[nodiscard]] Record simulated_record(const Experiment& experiment,
                                      const ResolvedStrategy& resolved, const Platform& platform,
                                      std::uint64_t replicate, const Trace& trace,
                                      const RunBounds& bounds);
/// The same, whose bounds nobody has found yet.
[[nodiscard]] Record simulated_record(const Experiment& experiment,
                                      const ResolvedStrategy& resolved, const Platform& platform,
                                      std::uint64_t replicate, const Trace& trace);

/// The makespan, or its lower bound where that is more, as only a model can predict; and the bound.
void set_predicted_makespan(Record& record, double makespan_s, const RunBounds& bounds);

/// Loads, their bounds, and the ratio to the balanced bound, or to the lower bound where there is
/// no other; no ratio to a bound of 0, where nobody reads anything.
void set_volume(Record& record, double loads, const VolumeBounds& bounds);
/// What was computed, and how fast in the record's makespan; no rate where that is 0.
void set_flops(Record& record, double flops);
/// Why data items moved, and what came to host memory: of a run with limited memory.
void set_movement(Record& record, const Trace& trace);
/// What to tell where tasks compute in another precision than the GFlop/s of a preset are of, so
/// that simulated seconds are of another kernel; else "".
[[nodiscard]] std::string note_on_precisions(const Workload& workload, const Scenario& scenario);
/// What to tell where all kinds of tasks of a factorisation run at one rate on some processors;
/// else
/// "". Real kernels do not: POTRF is far from the peak of GEMM.
[[nodiscard]] std::string note_on_one_rate(const Workload& workload, const Scenario& scenario);
/// What was assumed because the workload's file does not say it, and which tasks have no recorded
/// time though others do.
[[nodiscard]] std::vector<std::string> notes_on_files(const Workload& workload,
                                                      const Scenario& scenario);
/// The files that strategies read, as their options name them.
[[nodiscard]] std::vector<std::string> placement_files(const std::vector<std::string>& strategies);
/// Of each strategy that repeats a recorded run: how long that took, measured; to be told beside
/// what is simulated. @throws InvalidInput as StrategyChoice::parse
[[nodiscard]] std::vector<std::string> notes_on_recorded_runs(const Experiment& experiment);
/// What any schedule must load there; where memory is unlimited, a grid of tasks has the papers'
/// bound for its speeds too.
[[nodiscard]] VolumeBounds volume_bounds(const Workload& workload, const Platform& platform);
/// The bound that the row's volume_ratio is normalised by, in words: "balanced bound" or "lower
/// bound".
[[nodiscard]] std::string_view ratio_bound_words(const Record& record);
/// That bound. @pre the row has loads
[[nodiscard]] double ratio_bound(const Record& record);
/// The policy; Belady's rule where it does not know the whole future is `belady-known`.
[[nodiscard]] std::string eviction_name(const StrategyChoice& choice, const Workload& workload,
                                        const Platform& platform);

}  // namespace damocles
