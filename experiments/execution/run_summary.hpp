#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/execution/execution.hpp"
#include "experiments/results/result_table.hpp"

namespace damocles {

/// Adds to the table of executed runs what their records have no columns for: of each strategy the
/// means over its replicates (share of the measured peak, bytes, share of copy time hidden, time of
/// decisions), and the largest error over its tolerance.
/// @param peak_flops_per_s  measured on the device; 0: not measured, as where runs are paced
void add_details(ResultTable& table, const std::vector<Executed>& runs, double peak_flops_per_s);

/// The same as a table of its own, of each strategy in the order of the runs, with makespan_s and
/// GFlop/s.
[[nodiscard]] std::string details_table(const std::vector<Executed>& runs, double peak_flops_per_s,
                                        const TableStyle& style);

/// What all runs share, a line each: the device, its peak, and what verification found.
[[nodiscard]] std::string run_summary(const std::vector<Executed>& runs,
                                      const DeviceDescription& device, double peak_flops_per_s);

/// The same as JSON, `{"device":…, "runs":[…]}`, one object a run.
[[nodiscard]] nlohmann::ordered_json run_details(const std::vector<Executed>& runs,
                                                 const DeviceDescription& device,
                                                 double peak_flops_per_s);

/// Says each run that did not fail on standard error in a line, as it ends: where the rows go to a
/// file, and nobody looks at a terminal, nothing else tells how far the runs are, or is left where
/// they are killed.
[[nodiscard]] std::function<void(const Executed&)> runs_told(bool quiet, const std::string& output);

}  // namespace damocles
