#include "experiments/measured/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "experiments/measured/measured_table.hpp"
#include "models/error.hpp"

namespace damocles {

extern const char* const measured_v100;  ///< experiments/measured/v100.csv, embedded by CMake

namespace {

constexpr std::string_view columns_of_measured =
    "figure,run,application,gpus,n,strategy,gflops,time_ms,loads_from_host,loads_from_peer,"
    "MiB_from_host,MiB_from_peer,iterations,darts_decision_s,partition_or_packing_s,memory_MB,source,transfer_source";

const std::vector<std::string>& known_applications() {
  static const std::vector<std::string> all{
      "2D",     "2D-random-order", "2D-random-tasks", "3D", "cholesky-no-deps",
      "sparse", "sparse-unlimited"};
  return all;
}

Measurement measurement(MeasuredRow& cells) {
  Measurement row;
  row.figure = cells.text();
  row.run = cells.word();
  row.application = cells.word(known_applications());
  row.gpus = cells.positive_whole();
  row.n = cells.positive_whole();
  row.strategy = cells.word();
  row.gflops = cells.positive();
  row.time_ms = cells.positive();
  row.loads_from_host = cells.number_or_none();
  row.loads_from_peer = cells.number_or_none();
  if (row.loads_from_host.has_value() != row.loads_from_peer.has_value()) {
    cells.refuse("and loads_from_host must be given together");
  }
  row.mib_from_host = cells.number_or_none();
  row.mib_from_peer = cells.number_or_none();
  row.iterations = cells.whole_or_none();
  row.darts_decision_s = cells.number_or_none();
  row.partition_or_packing_s = cells.difference_or_none();
  row.memory_mib = cells.limit();
  row.source = cells.word();
  row.transfer_source = cells.text();
  return row;
}

std::string identity_of_point(const Measurement& row) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", row.figure, row.run, row.application, row.gpus,
                     row.n, row.strategy, row.memory_mib.value_or(0), row.source);
}

}  // namespace

std::optional<double> Measurement::loads() const {
  if (!loads_from_host) return std::nullopt;
  return *loads_from_host + *loads_from_peer;
}

std::vector<Measurement> read_measurements(std::istream& in, const std::string& where) {
  std::vector<Measurement> rows;
  std::set<std::string> seen;
  for_each_measured_row(in, where, columns_of_measured, [&](MeasuredRow& cells) {
    rows.push_back(measurement(cells));
    if (seen.insert(identity_of_point(rows.back())).second) return;
    throw InvalidInput(cells.where() + ": the same point of the same source was given before");
  });
  return rows;
}

const std::vector<Measurement>& measurements() {
  static const std::vector<Measurement> all = [] {
    std::istringstream in(measured_v100);
    return read_measurements(in, "experiments/measured/v100.csv");
  }();
  return all;
}

std::vector<const Measurement*> measured_curve(std::string_view figure, std::string_view strategy,
                                               std::string_view run) {
  std::vector<const Measurement*> rows;
  for (const auto& row : measurements()) {
    if (row.figure == figure && row.run == run && row.strategy == strategy) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Measurement* a, const Measurement* b) { return a->n < b->n; });
  return rows;
}

std::vector<std::string> measured_strategies(std::string_view figure, std::string_view run) {
  std::vector<std::string> names;
  for (const auto& row : measurements()) {
    if (row.figure != figure || row.run != run) continue;
    if (std::find(names.begin(), names.end(), row.strategy) == names.end()) {
      names.push_back(row.strategy);
    }
  }
  return names;
}

}  // namespace damocles
