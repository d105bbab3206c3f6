#include "models/runs/record.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {

const std::vector<Column>& columns() {
  static const std::vector<Column> all{
      {"source", &Record::source, Group::row},
      {"model", &Record::model, Group::row},
      {"strategy", &Record::strategy, Group::row},
      {"eviction", &Record::eviction, Group::row},
      {"workload", &Record::workload, Group::row},
      {"platform", &Record::platform, Group::row},
      {"processors", &Record::processors, Group::row},
      {"tasks", &Record::tasks, Group::row},
      {"data", &Record::data, Group::row},
      {"seed", &Record::seed, Group::row},
      {"replicate", &Record::replicate, Group::row},
      {"beta", &Record::beta, Group::row},
      {"loads", &Record::loads, Group::row},
      {"bytes_loaded", &Record::bytes_loaded, Group::row},
      {"lower_bound", &Record::lower_bound, Group::row},
      {"volume_ratio", &Record::volume_ratio, Group::row},
      {"makespan_s", &Record::makespan_s, Group::row},
      {"makespan_lower_bound_s", &Record::makespan_lower_bound_s, Group::row},
      {"makespan_ratio", &Record::makespan_ratio, Group::row},
      {"flops", &Record::flops, Group::row},
      {"gflops", &Record::gflops, Group::row},
      {"busy_fraction", &Record::busy_fraction, Group::row},
      {"scheduling_s", &Record::scheduling_s, Group::row},
      {"status", &Record::status, Group::row},
      {"n", &Record::n, Group::summary},
      {"mean", &Record::mean, Group::summary},
      {"sd", &Record::sd, Group::summary},
      {"ci95", &Record::ci95, Group::summary},
      {"balanced_bound", &Record::balanced_bound, Group::if_any},
      {"heterogeneity", &Record::heterogeneity, Group::if_any},
      {"evictions", &Record::evictions, Group::if_any},
      {"invalidations", &Record::invalidations, Group::if_any},
      {"loads_first", &Record::loads_first, Group::if_any},
      {"loads_after_eviction", &Record::loads_after_eviction, Group::if_any},
      {"loads_after_invalidation", &Record::loads_after_invalidation, Group::if_any},
      {"loads_from_peers", &Record::loads_from_peers, Group::if_any},
      {"bytes_written", &Record::bytes_written, Group::if_any},
      {"energy_j", &Record::energy_j, Group::if_any},
      {"planned_makespan_s", &Record::planned_makespan_s, Group::if_any},
      {"kernel_times", &Record::kernel_times, Group::if_any},
      {"domain", &Record::domain, Group::if_any},
      {"expected_error", &Record::expected_error, Group::if_any},
      {"inputs", &Record::inputs, Group::origin},
      {"version", &Record::version, Group::origin},
  };
  return all;
}

void refuse_infinite(Record& record) {
  for (const Column& column : columns()) {
    const auto* const member = std::get_if<Record::Real Record::*>(&column.member);
    if (member == nullptr || !(record.**member) || std::isfinite(*(record.**member))) continue;
    (record.**member).reset();
    if (record.status.kind != Status::Kind::ok) continue;
    record.status = {Status::Kind::not_finite, std::string(column.name)};
  }
}

std::string cell(const Record& record, const Column& column) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = record.*member;
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Record::Text>) {
          return value;
        } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Status>) {
          return status_text(value);
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
        } else if constexpr (std::is_same_v<Value, Status>) {
          value = parse_status(text);
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
