#include "experiments/origin.hpp"

#include <fmt/format.h>

#include <vector>

#include "damocles_sources.hpp"
#include "damocles_version.hpp"
#include "experiments/plugins.hpp"
#include "experiments/results/csv.hpp"

namespace damocles {

std::string version_of_sources() { return fmt::format("{}+{}", version, sources); }

std::string program_version() { return version_of_sources() + plugins_in_version(); }

std::string inputs_of(const Experiment& experiment) {
  std::string result;
  const auto add = [&](std::string_view name, std::string_view value) {
    result += fmt::format("{}{}={}", result.empty() ? "" : " ", name, value);
  };
  if (const auto& file = experiment.workload.source()) add("workload", file->digest);
  if (const auto& file = experiment.scenario.source()) add("platform", file->digest);
  for (const SourceFile& file : experiment.scenario.times_files()) add("times", file.digest);
  if (experiment.charge_scheduling) add("scheduling", "charged");
  return result;
}

std::string request(const Record& record) {
  // A line of CSV: its quotes keep values apart, whatever is in them.
  static const std::vector<Column> asked = [] {
    std::vector<Column> result;
    for (const char* const name :
         {"source", "model", "strategy", "workload", "platform", "seed", "replicate"}) {
      for (const auto& column : columns()) {
        if (column.name == name) result.push_back(column);
      }
    }
    return result;
  }();
  std::vector<std::string> values;
  for (const auto& column : asked) values.push_back(cell(record, column));
  return csv_line(values);
}

std::string key(const Record& record) {
  return request(record) + csv_line({record.inputs, record.version});
}

std::string name_of_row(const Record& record) {
  const auto count = [](const char* what, const Record::Count& value) {
    return value ? fmt::format(", {} {}", what, *value) : std::string();
  };
  return fmt::format("{}{}{} on {}, {}{}{}", record.model, record.model.empty() ? "" : " of ",
                     record.strategy, record.workload, record.platform, count("seed", record.seed),
                     count("replicate", record.replicate));
}

}  // namespace damocles
