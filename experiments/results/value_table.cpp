#include "experiments/results/value_table.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>

#include "damocles_version.hpp"
#include "experiments/results/csv.hpp"

namespace damocles {

Value cell_value(const Record& record, const Column& column) {
  return std::visit(
      [&](auto member) -> Value {
        using Member = std::decay_t<decltype(record.*member)>;
        if constexpr (std::is_same_v<Member, Record::Count> ||
                      std::is_same_v<Member, Record::Real>) {
          const auto& number = record.*member;
          return number ? Value(*number) : Value();
        } else {
          std::string text = cell(record, column);
          return text.empty() ? Value() : Value(std::move(text));
        }
      },
      column.member);
}

std::string value_text(const Value& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  if (const auto* const count = std::get_if<std::uint64_t>(&value))
    return fmt::format("{}", *count);
  if (const auto* const real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return "";
}

ValueTable value_table(const std::vector<Record>& records) {
  ValueTable table;
  const auto written = written_columns(records);
  for (const Column* const column : written) table.columns.emplace_back(column->name);
  for (const Record& record : records) {
    auto& row = table.rows.emplace_back();
    for (const Column* const column : written) row.push_back(cell_value(record, *column));
  }
  return table;
}

std::string to_csv(const ValueTable& table) {
  std::string text = csv_line(table.columns);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const Value& value : row) cells.push_back(value_text(value));
    text += csv_line(cells);
  }
  return text;
}

namespace {

nlohmann::ordered_json json_rows_of(const ValueTable& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto& one = rows.emplace_back(nlohmann::ordered_json::object());
    for (std::size_t i = 0; i < row.size(); ++i) {
      auto& value = one[table.columns[i]];
      if (const auto* const text = std::get_if<std::string>(&row[i])) value = *text;
      if (const auto* const count = std::get_if<std::uint64_t>(&row[i])) value = *count;
      if (const auto* const real = std::get_if<double>(&row[i])) value = *real;
    }
  }
  return rows;
}

}  // namespace

nlohmann::ordered_json json_of_values(const ValueTable& table, const std::string& command) {
  return {{"command", command}, {"version", version}, {"records", json_rows_of(table)}};
}

std::string json_lines(const ValueTable& table) {
  std::string text;
  for (const auto& row : json_rows_of(table)) text += row.dump() + "\n";
  return text;
}

std::vector<std::vector<std::string>> shown_cells(const ValueTable& table) {
  std::vector<std::vector<std::string>> cells{table.columns};
  for (const auto& row : table.rows) {
    auto& shown = cells.emplace_back();
    for (const Value& value : row) {
      const auto* const real = std::get_if<double>(&value);
      shown.push_back(real != nullptr ? fmt::format("{:.6g}", *real) : value_text(value));
    }
  }
  return cells;
}

}  // namespace damocles
