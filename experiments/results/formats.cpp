#include "experiments/results/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "damocles_version.hpp"
#include "experiments/results/csv.hpp"
#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

nlohmann::ordered_json json_value(const Record& record, const Column& column) {
  return std::visit(
      [&](auto member) -> nlohmann::ordered_json {
        const auto& value = record.*member;
        if constexpr (requires { *value; }) {  // a number
          return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
        } else {
          const std::string text = cell(record, column);
          return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
        }
      },
      column.member);
}

nlohmann::ordered_json json_rows(const std::vector<Record>& records) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const auto written = written_columns(records);
  for (const auto& record : records) {
    nlohmann::ordered_json row;
    for (const Column* column : written)
      row[std::string(column->name)] = json_value(record, *column);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Format format_named(const std::string& name) {
  static const std::vector<std::string> names{"table", "csv", "json", "jsonl", "markdown", "latex"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) refuse_unknown("format", name, names);
  return static_cast<Format>(found - names.begin());
}

void check_json_text(const std::string& role, const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw InvalidInput(fmt::format(
        "{} '{}' is not UTF-8, so JSON cannot hold it; rename the file, or give --format csv and neither --trace FILE.json nor --record",
        role, text));
  }
}

nlohmann::ordered_json json_of_records(const std::vector<Record>& records,
                                       const std::string& command) {
  return {{"command", command}, {"version", version}, {"records", json_rows(records)}};
}

std::string json_lines(const std::vector<Record>& records) {
  std::string text;
  for (const auto& row : json_rows(records)) text += row.dump() + "\n";
  return text;
}

nlohmann::ordered_json json_number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::string json_text(const nlohmann::ordered_json& json) { return json.dump(2) + "\n"; }

}  // namespace damocles
