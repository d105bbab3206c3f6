#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/results/tables.hpp"
#include "experiments/studies/execution.hpp"

namespace damocles {

/// What executed runs tell beside their records, for eyes: a line a strategy with the means over
/// its replicates (GFlop/s, share of the measured peak, bytes, share of copy time hidden, time of
/// decisions) and the largest error over its tolerance, then the device and what verification
/// found.
/// @param peak_flops_per_s  measured on the device; 0: not measured, as where runs are paced
[[nodiscard]] std::string run_summary(const std::vector<Executed>& runs,
                                      const DeviceDescription& device, double peak_flops_per_s,
                                      const TableStyle& style);

/// The same as JSON, `{"device":…, "runs":[…]}`, one object a run.
[[nodiscard]] nlohmann::ordered_json run_details(const std::vector<Executed>& runs,
                                                 const DeviceDescription& device,
                                                 double peak_flops_per_s);

/// Says each run that did not fail on standard error in a line, as it ends: where the rows go to a
/// file, and nobody looks at a terminal, nothing else tells how far the runs are, or is left where
/// they are killed.
[[nodiscard]] std::function<void(const Executed&)> runs_told(bool quiet, const std::string& output);

}  // namespace damocles
