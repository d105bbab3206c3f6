#pragma once

#include <string>
#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

/// The published points of a figure, or where there are none those of the authors' later check, as
/// rows of a result file, source "measured": our strategy, workload and platform, their loads (from
/// main memory and other GPUs), time and GFlop/s. Points without a counterpart are left out. Empty
/// where nothing was measured.
[[nodiscard]] std::vector<Record> measured_records(const std::string& figure);

}  // namespace damocles
