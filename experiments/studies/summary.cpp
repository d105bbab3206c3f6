#include "experiments/studies/summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "experiments/results/csv.hpp"
#include "experiments/studies/students_t.hpp"

namespace damocles {
namespace {

/// Mean of an optional column, where every row has it.
Record::Real mean_of(const std::vector<const Record*>& rows, Record::Real Record::*member) {
  double sum = 0;
  bool equal = true;
  for (const Record* row : rows) {
    if (!(row->*member)) return std::nullopt;
    sum += *(row->*member);
    equal = equal && row->*member == rows.front()->*member;
  }
  // Exact where nothing varies: rounding would show as a spread of 1e-16.
  return equal ? rows.front()->*member : sum / static_cast<double>(rows.size());
}

/// A count that differs from run to run: its mean to the nearest whole number, where every row has
/// one.
Record::Count count_of(const std::vector<const Record*>& rows, Record::Count Record::*member) {
  double sum = 0;
  bool equal = true;
  for (const Record* row : rows) {
    equal = equal && row->*member == rows.front()->*member;
    if (row->*member) sum += static_cast<double>(*(row->*member));
  }
  if (equal) return rows.front()->*member;
  const bool all = std::all_of(rows.begin(), rows.end(),
                               [&](const Record* row) { return (row->*member).has_value(); });
  if (!all || member == &Record::seed) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(sum / static_cast<double>(rows.size())));
}

Record summary_of(const std::vector<const Record*>& rows) {
  Record result = *rows.front();
  for (const auto& column : columns()) {
    if (const auto* member = std::get_if<Record::Real Record::*>(&column.member)) {
      result.*(*member) = mean_of(rows, *member);
    } else if (const auto* count = std::get_if<Record::Count Record::*>(&column.member)) {
      result.*(*count) = count_of(rows, *count);
    }
  }
  result.replicate.reset();
  const auto wrong = std::find_if(rows.begin(), rows.end(), [](const Record* row) {
    return row->status.kind != Status::Kind::ok;
  });
  if (wrong != rows.end()) result.status = (*wrong)->status;
  const auto outside = std::find_if(rows.begin(), rows.end(), [](const Record* row) {
    return row->domain.starts_with("outside");
  });
  if (outside != rows.end()) result.domain = (*outside)->domain;
  const auto n = static_cast<double>(rows.size());
  result.n = rows.size();
  result.mean = result.volume_ratio;
  if (!result.mean) return result;
  double squares = 0;
  for (const Record* row : rows) squares += std::pow(*row->volume_ratio - *result.mean, 2);
  if (rows.front()->source == "predicted") {
    // Of one run on a drawn platform: the model's own sd within a platform, and between platforms.
    double within = 0;
    for (const Record* row : rows) within += std::pow(row->sd.value_or(0), 2);
    if (result.sd) result.sd = std::sqrt((within + squares) / n);
    return result;
  }
  if (rows.size() < 2) return result;
  result.sd = std::sqrt(squares / (n - 1));
  result.ci95 = half_width_of_mean(*result.sd, n);
  return result;
}

}  // namespace

std::vector<Record> summarise(const std::vector<Record>& records) {
  std::vector<std::vector<const Record*>> groups;
  std::map<std::string, std::size_t> at;
  for (const auto& record : records) {
    const auto id =
        csv_line({record.source, record.model, record.strategy, record.workload, record.platform});
    const auto [place, is_new] = at.try_emplace(id, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&record);
  }
  std::vector<Record> result;
  result.reserve(groups.size());
  for (const auto& rows : groups) result.push_back(summary_of(rows));
  return result;
}

}  // namespace damocles
