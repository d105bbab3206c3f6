// Rows as programs take them: named columns of numbers and texts, of records or of anything else.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

/// A value of a row: absent, a text that is not empty, a whole number or a real one.
using Value = std::variant<std::monostate, std::string, std::uint64_t, double>;

/// Rows under named columns; each row has a value for each column.
struct ValueTable {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

/// What a record has in a column.
[[nodiscard]] Value cell_value(const Record& record, const Column& column);
/// The value as result files have it; "" where it is absent.
[[nodiscard]] std::string value_text(const Value& value);

/// The columns and values that to_csv() writes of these records.
[[nodiscard]] ValueTable value_table(const std::vector<Record>& records);

/// The table as CSV: an absent value is empty, a number is the shortest text that reads back the
/// same.
[[nodiscard]] std::string to_csv(const ValueTable& table);

/// The table as a command's answer in JSON, and as JSON Lines; an absent value is null.
/// @{
[[nodiscard]] nlohmann::ordered_json json_of_values(const ValueTable& table,
                                                    const std::string& command);
[[nodiscard]] std::string json_lines(const ValueTable& table);
/// @}

/// The table for eyes: its head and its rows, numbers with six digits.
[[nodiscard]] std::vector<std::vector<std::string>> shown_cells(const ValueTable& table);

}  // namespace damocles
