#pragma once

#include <string>
#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

enum class Format { table, csv, json };

/// @throws InvalidInput on another word than table, csv, json
[[nodiscard]] Format format_named(const std::string& name);

/// Refuses, before anything runs, a text that JSON cannot hold: it is UTF-8, file names need not
/// be.
/// @throws InvalidInput naming the text by `role`
void check_json_text(const std::string& role, const std::string& text);

/// All records as `{"command":…, "version":…, "records":[…]}`.
[[nodiscard]] std::string to_json(const std::vector<Record>& records, const std::string& command);

}  // namespace damocles
