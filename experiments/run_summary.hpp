#pragma once

#include <string>
#include <vector>

#include "experiments/execution.hpp"
#include "experiments/tables.hpp"

namespace damocles {

/// What executed runs tell beside their records, for eyes: a line a strategy with the means over
/// its replicates (GFlop/s, share of the measured peak, bytes, share of copy time hidden, time of
/// decisions), then the device and what verification found.
/// @param peak_flops_per_s  measured on the device; 0: not measured, as where runs are paced
[[nodiscard]] std::string run_summary(const std::vector<Executed>& runs,
                                      const DeviceDescription& device, double peak_flops_per_s,
                                      const TableStyle& style);

/// The same as JSON, `{"device":…, "runs":[…]}`, one object a run.
[[nodiscard]] std::string run_details(const std::vector<Executed>& runs,
                                      const DeviceDescription& device, double peak_flops_per_s);

}  // namespace damocles
