// Which strategy is the best at each point of a table of results.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

/// Means of one workload on one platform, one for each strategy and source.
using PointRows = std::vector<Record>;

/// The summarised rows by workload and platform, in the order of the file.
[[nodiscard]] std::vector<PointRows> summarised_points(const std::vector<Record>& records);
/// Those of a source ("simulated", ...) that have a result.
[[nodiscard]] PointRows with_source(const PointRows& point, std::string_view source);

/// The best strategy of each workload and platform that was simulated, a sentence each, which
/// begins with its `name`. Where these are more than `most`, one sentence: how often each is the
/// best.
/// @param name  of a row there
[[nodiscard]] std::vector<std::string> best_at_points(
    const std::vector<Record>& records, std::size_t most,
    const std::function<std::string(const Record& row)>& name);

}  // namespace damocles
