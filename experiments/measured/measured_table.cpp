#include "experiments/measured/measured_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "experiments/results/csv.hpp"
#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {

void MeasuredRow::begin(Names cells, std::string where) {
  where_ = std::move(where);
  cells_ = std::move(cells);
  next_ = 0;
  if (cells_.size() == columns_.size()) return;
  throw InvalidInput(
      fmt::format("{}: {} cells under {} columns", where_, cells_.size(), columns_.size()));
}

std::string MeasuredRow::word() {
  auto cell = text();
  if (cell.empty()) refuse("is empty; it must be given");
  return cell;
}

std::string MeasuredRow::word(const Names& known) {
  auto cell = word();
  if (std::find(known.begin(), known.end(), cell) != known.end()) return cell;
  refuse_unknown(fmt::format("{} in {}", columns_[next_ - 1], where_), cell, known);
}

std::uint64_t MeasuredRow::whole() {
  const auto value = whole_or_none();
  if (!value) refuse("is empty; it must be given");
  return *value;
}

std::uint64_t MeasuredRow::positive_whole() {
  const auto value = whole_or_none();
  if (value.value_or(0) == 0) refuse("must be given, and above 0");
  return *value;
}

double MeasuredRow::positive() {
  const auto value = number_or_none();
  if (!(value.value_or(0) > 0)) refuse("must be given, and above 0");
  return *value;
}

std::optional<double> MeasuredRow::number_or_none() {
  const auto value = difference_or_none();
  if (value && *value < 0) {
    refuse(fmt::format("is '{}', not a number of at least 0", cells_[next_ - 1]));
  }
  return value;
}

std::optional<std::uint64_t> MeasuredRow::whole_or_none() {
  const auto cell = text();
  if (cell.empty()) return std::nullopt;
  const auto value = parse_integer(cell);
  if (!value) refuse(fmt::format("is '{}', not a whole number", cell));
  return value;
}

std::optional<double> MeasuredRow::difference_or_none() {
  const auto cell = text();
  if (cell.empty()) return std::nullopt;
  const auto value = parse_number(cell);
  if (!value) refuse(fmt::format("is '{}', not a number", cell));
  return value;
}

std::optional<std::uint64_t> MeasuredRow::limit() {
  if (cells_[next_] != "unlimited") return positive_whole();
  ++next_;
  return std::nullopt;
}

void MeasuredRow::refuse(const std::string& why) const {
  throw InvalidInput(fmt::format("{}: {} {}", where_, columns_[next_ - 1], why));
}

void for_each_measured_row(std::istream& in, const std::string& where, std::string_view header,
                           const std::function<void(MeasuredRow&)>& take) {
  std::string text;
  for (std::string line; std::getline(in, line);) {
    text += line.starts_with('#') ? "\n" : line + '\n';  // so that lines keep their numbers
  }
  CsvReader rows(text, where);
  const auto here = [&] { return fmt::format("{}, line {}", where, rows.line()); };
  std::vector<std::string> columns;
  if (!rows.next(columns)) {
    throw InvalidInput(fmt::format("{}: no columns; they must be {}", where, header));
  }
  if (fmt::format("{}", fmt::join(columns, ",")) != header) {
    throw InvalidInput(fmt::format("{}: columns must be {}", here(), header));
  }
  MeasuredRow row(columns);
  for (std::vector<std::string> cells; rows.next(cells);) {
    if (rows.open_quote()) throw InvalidInput(here() + ": a quote is never closed");
    row.begin(cells, here());
    take(row);
  }
}

}  // namespace damocles
