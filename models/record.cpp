#include "models/record.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {

const std::vector<Column>& columns() {
  static const std::vector<Column> all{
      {"source", &Record::source, false},
      {"model", &Record::model, false},
      {"strategy", &Record::strategy, false},
      {"eviction", &Record::eviction, false},
      {"workload", &Record::workload, false},
      {"platform", &Record::platform, false},
      {"processors", &Record::processors, false},
      {"tasks", &Record::tasks, false},
      {"data", &Record::data, false},
      {"seed", &Record::seed, false},
      {"replicate", &Record::replicate, false},
      {"beta", &Record::beta, false},
      {"loads", &Record::loads, false},
      {"bytes_loaded", &Record::bytes_loaded, false},
      {"lower_bound", &Record::lower_bound, false},
      {"volume_ratio", &Record::volume_ratio, false},
      {"makespan_s", &Record::makespan_s, false},
      {"makespan_lower_bound_s", &Record::makespan_lower_bound_s, false},
      {"makespan_ratio", &Record::makespan_ratio, false},
      {"flops", &Record::flops, false},
      {"gflops", &Record::gflops, false},
      {"busy_fraction", &Record::busy_fraction, false},
      {"scheduling_s", &Record::scheduling_s, false},
      {"status", &Record::status, false},
      {"n", &Record::n, true},
      {"mean", &Record::mean, true},
      {"sd", &Record::sd, true},
      {"ci95", &Record::ci95, true},
  };
  return all;
}

void refuse_infinite(Record& record) {
  for (const Column& column : columns()) {
    const auto* const member = std::get_if<Record::Real Record::*>(&column.member);
    if (member == nullptr || !(record.**member) || std::isfinite(*(record.**member))) continue;
    (record.**member).reset();
    if (record.status == "ok") record.status = fmt::format("{} is not finite", column.name);
  }
}

std::string cell(const Record& record, const Column& column) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = record.*member;
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Record::Text>) {
          return value;
        } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Record::Real>) {
          return value && std::isfinite(*value) ? fmt::format("{}", *value) : std::string();
        } else {
          return value ? fmt::format("{}", *value) : std::string();
        }
      },
      column.member);
}

void set_cell(Record& record, const Column& column, std::string_view text) {
  std::visit(
      [&](auto member) {
        auto& value = record.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, Record::Text>) {
          value = text;
        } else {
          value.reset();
          if (text.empty()) return;
          if constexpr (std::is_same_v<Value, Record::Count>) {
            value = parse_integer(text);
          } else {
            value = parse_number(text);
          }
          if (!value) {
            throw InvalidInput(fmt::format("column {}: '{}' is not a number", column.name, text));
          }
        }
      },
      column.member);
}

}  // namespace damocles
