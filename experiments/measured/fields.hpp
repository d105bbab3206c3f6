#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/results/formats.hpp"

namespace damocles {

/// A row for programs: values under their names, null where absent. All rows of a table have the
/// same names.
using Fields = std::vector<std::pair<std::string, nlohmann::ordered_json>>;

/// The rows as CSV, or as JSON under `name` beside command and version.
[[nodiscard]] std::string machine_view(const std::vector<Fields>& rows, Format format,
                                       const std::string& name);

}  // namespace damocles
