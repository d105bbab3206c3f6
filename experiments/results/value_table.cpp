#include "experiments/results/value_table.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "experiments/results/csv.hpp"

namespace damocles {
namespace {

Value value_of_cell(const Record& record, const Column& column) {
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

std::string shown_value(const Value& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  if (const auto* const count = std::get_if<std::uint64_t>(&value))
    return fmt::format("{}", *count);
  if (const auto* const real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return "";
}

}  // namespace

ValueTable value_table(const std::vector<Record>& records) {
  ValueTable table;
  const auto written = written_columns(records);
  for (const Column* const column : written) table.columns.emplace_back(column->name);
  for (const Record& record : records) {
    auto& row = table.rows.emplace_back();
    for (const Column* const column : written) row.push_back(value_of_cell(record, *column));
  }
  return table;
}

std::string to_csv(const ValueTable& table) {
  std::string text = csv_line(table.columns);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const Value& value : row) cells.push_back(shown_value(value));
    text += csv_line(cells);
  }
  return text;
}

}  // namespace damocles
