// The table of means that a sweep prints where its rows go to no file.
#pragma once

#include <string>
#include <vector>

#include "experiments/commands/sweep_request.hpp"
#include "experiments/commands/sweep_summary.hpp"
#include "experiments/results/formats.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// Setting by setting the means of the strategies, the best first, behind what was varied.
[[nodiscard]] std::string sweep_table(const SweepRequest& request,
                                      const std::vector<SweepPoint>& points,
                                      const std::vector<Record>& records, Format format);

}  // namespace damocles
