#include "experiments/results/row_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/results/row_columns.hpp"
#include "experiments/studies/students_t.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

struct RowGroup {
  std::vector<Value> values;  // of the columns by which rows are grouped
  std::vector<const Record*> with_result;
  std::size_t no_result = 0;
};

std::vector<RowGroup> row_groups(const std::vector<Record>& rows,
                                 const std::vector<RowColumn>& by) {
  std::vector<RowGroup> groups;
  std::map<std::vector<Value>, std::size_t> known;
  for (const Record& row : rows) {
    std::vector<Value> values;
    for (const RowColumn& column : by) values.push_back(column.of(row));
    const auto [at, is_new] = known.try_emplace(values, groups.size());
    if (is_new) groups.push_back({std::move(values), {}, 0});
    RowGroup& group = groups[at->second];
    if (row.status.kind == Status::Kind::ok || row.status.kind == Status::Kind::unverified) {
      group.with_result.push_back(&row);
    } else {
      ++group.no_result;
    }
  }
  return groups;
}

/// Between the two nearest of sorted values.
double quantile_of(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Mean, deviation, interval and quantiles of a measure; absent where there is no value.
void append_statistics(const RowGroup& group, const RowColumn& measure, std::vector<Value>& row) {
  std::vector<double> values;
  for (const Record* const one : group.with_result) {
    if (const auto number = number_of(measure.of(*one))) values.push_back(*number);
  }
  if (values.empty()) {
    row.resize(row.size() + 6);
    return;
  }
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  // Exact where nothing varies: rounding would show as a spread of 1e-16.
  const double mean = values.front() == values.back() ? values.front() : sum / n;
  row.emplace_back(mean);
  if (values.size() < 2) {
    row.resize(row.size() + 2);
  } else {
    double squares = 0;
    for (const double value : values) squares += std::pow(value - mean, 2);
    const double sd = std::sqrt(squares / (n - 1));
    row.emplace_back(sd);
    row.emplace_back(half_width_of_mean(sd, n));
  }
  for (const double share : {0.05, 0.5, 0.95}) row.emplace_back(quantile_of(values, share));
}

/// Refuses a column of words, and one without any value. @throws InvalidInput
void check_measure(const std::vector<Record>& rows, const RowColumn& column) {
  bool any = false;
  for (const Record& row : rows) {
    const Value value = column.of(row);
    if (std::holds_alternative<std::monostate>(value)) continue;
    any = true;
    if (number_of(value)) continue;
    throw InvalidInput(fmt::format(
        "--columns {}: this column holds words; with --by give columns of numbers, as makespan_s",
        column.name));
  }
  if (any || rows.empty()) return;
  throw InvalidInput(fmt::format(
      "--columns {}: no row has a value there; give a column that has, as loads", column.name));
}

std::vector<RowColumn> measures_of(const std::vector<Record>& rows,
                                   const std::vector<std::string>& names) {
  std::vector<RowColumn> result;
  for (const std::string& name : names) {
    result.push_back(row_column(rows, name, "--columns"));
    check_measure(rows, result.back());
  }
  if (!names.empty()) return result;
  const auto any = [&](auto Record::*member) {
    return std::any_of(rows.begin(), rows.end(), [&](const Record& row) { return row.*member; });
  };
  // Where nothing takes time a makespan is in units of nothing.
  if (any(&Record::makespan_ratio)) result.push_back(row_column(rows, "makespan_s", ""));
  if (any(&Record::loads)) result.push_back(row_column(rows, "loads", ""));
  if (any(&Record::volume_ratio)) result.push_back(row_column(rows, "volume_ratio", ""));
  return result;
}

}  // namespace

ValueTable grouped(const std::vector<Record>& rows, const std::vector<std::string>& by,
                   const std::vector<std::string>& measures) {
  std::vector<RowColumn> columns;
  columns.reserve(by.size());
  for (const std::string& name : by) columns.push_back(row_column(rows, name, "--by"));
  const auto groups = row_groups(rows, columns);
  const auto measured = measures_of(rows, measures);
  const bool any_without = std::any_of(groups.begin(), groups.end(),
                                       [](const RowGroup& one) { return one.no_result > 0; });
  ValueTable table{.columns = by, .rows = {}};
  table.columns.emplace_back("rows");
  if (any_without) table.columns.emplace_back("no_result");
  for (const RowColumn& measure : measured) {
    for (const char* const what : {"", "_sd", "_ci95", "_q05", "_q50", "_q95"}) {
      table.columns.push_back(measure.name + what);
    }
  }
  for (const RowGroup& group : groups) {
    auto& row = table.rows.emplace_back(group.values);
    row.emplace_back(std::uint64_t{group.with_result.size()});
    if (any_without) row.emplace_back(std::uint64_t{group.no_result});
    for (const RowColumn& measure : measured) append_statistics(group, measure, row);
  }
  return table;
}

}  // namespace damocles
