#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

enum class Format { table, csv, json, jsonl, markdown, latex };

/// @throws InvalidInput on a word that names no format
[[nodiscard]] Format format_named(const std::string& name);

/// Refuses, before anything runs, a text that JSON cannot hold: it is UTF-8, file names need not
/// be.
/// @throws InvalidInput naming the text by `role`
void check_json_text(const std::string& role, const std::string& text);

/// All records as `{"command":…, "version":…, "records":[…]}`.
[[nodiscard]] nlohmann::ordered_json json_of_records(const std::vector<Record>& records,
                                                     const std::string& command);

/// One line a record, each a JSON object by itself (JSON Lines).
[[nodiscard]] std::string json_lines(const std::vector<Record>& records);

/// The number, or null.
[[nodiscard]] nlohmann::ordered_json json_number(const std::optional<double>& value);

/// JSON as output files hold it: indented, and a newline at the end.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

}  // namespace damocles
