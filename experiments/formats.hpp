#pragma once

#include <string>
#include <vector>

#include "models/record.hpp"

namespace damocles {

enum class Format { table, csv, json };

/// @throws InvalidInput on another word than table, csv, json
[[nodiscard]] Format format_named(const std::string& name);

/// All records as `{"command":…, "version":…, "records":[…]}`.
[[nodiscard]] std::string to_json(const std::vector<Record>& records, const std::string& command);

}  // namespace damocles
