#include "experiments/measured/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {

extern const char* const measured_v100;  ///< experiments/measured/v100.csv, embedded by CMake

namespace {

constexpr std::string_view header =
    "figure,run,application,gpus,n,strategy,gflops,time_ms,loads_from_host,loads_from_peer,"
    "MiB_from_host,MiB_from_peer,iterations,darts_decision_s,partition_or_packing_s,memory_MB,source,transfer_source";

const std::vector<std::string>& known_applications() {
  static const std::vector<std::string> all{
      "2D",     "2D-random-order", "2D-random-tasks", "3D", "cholesky-no-deps",
      "sparse", "sparse-unlimited"};
  return all;
}

/// The cells of one line. A cell with a comma stands between quotes, whole.
std::vector<std::string> split(const std::string& line, const std::string& where) {
  std::vector<std::string> cells;
  std::size_t at = 0;
  while (true) {
    const bool in_quotes = at < line.size() && line[at] == '"';
    const auto end = line.find(in_quotes ? '"' : ',', in_quotes ? at + 1 : at);
    if (in_quotes && end == std::string::npos) {
      throw InvalidInput(fmt::format("{}: a cell begins with \" and does not end with it", where));
    }
    const auto start = in_quotes ? at + 1 : at;
    cells.push_back(line.substr(start, end == std::string::npos ? end : end - start));
    if (end == std::string::npos) return cells;
    const auto comma = in_quotes ? end + 1 : end;
    if (comma == line.size()) return cells;
    if (line[comma] != ',') {
      throw InvalidInput(fmt::format("{}: a comma must follow the closing \" of a cell", where));
    }
    at = comma + 1;
  }
}

/// Takes the cells of a line one after the other and names the column in errors.
class Cells {
 public:
  Cells(const std::string& line, std::string where)
      : where_(std::move(where)),
        cells_(split(line, where_)),
        names_(split(std::string(header), "")) {
    if (cells_.size() != names_.size()) {
      throw InvalidInput(
          fmt::format("{}: {} cells under {} columns", where_, cells_.size(), names_.size()));
    }
  }

  std::string text() { return cells_[next_++]; }

  std::string word() {
    auto cell = text();
    if (cell.empty()) refuse("is empty; it must be given");
    return cell;
  }

  template <typename Number>
  std::optional<Number> number_or_none() {
    const auto value = value_or_none<Number>();
    if (value && *value < 0) refuse_number<Number>(" of at least 0");
    return value;
  }

  /// What a subtraction of two measured times gave: may lie below 0.
  std::optional<double> difference_or_none() { return value_or_none<double>(); }

  template <typename Number>
  Number positive() {
    const auto value = number_or_none<Number>();
    if (!value || !(*value > 0)) refuse("must be given, and above 0");
    return *value;
  }

  /// A memory limit in MiB; nothing where it is `unlimited`.
  std::optional<std::uint64_t> limit() {
    if (cells_[next_] != "unlimited") return positive<std::uint64_t>();
    ++next_;
    return std::nullopt;
  }

  /// @throws InvalidInput about the cell taken last
  [[noreturn]] void refuse(const std::string& why) const {
    throw InvalidInput(fmt::format("{}: {} {}", where_, names_[next_ - 1], why));
  }

 private:
  template <typename Number>
  std::optional<Number> value_or_none() {
    const auto cell = text();
    if (cell.empty()) return std::nullopt;
    std::optional<Number> value;
    if constexpr (std::is_integral_v<Number>) {
      value = parse_integer(cell);
    } else {
      value = parse_number(cell);
    }
    if (!value) refuse_number<Number>("");
    return value;
  }

  template <typename Number>
  [[noreturn]] void refuse_number(const std::string& range) const {
    refuse(fmt::format("is '{}', not a {}number{}", cells_[next_ - 1],
                       std::is_integral_v<Number> ? "whole " : "", range));
  }

  std::string where_;
  std::vector<std::string> cells_;
  std::vector<std::string> names_;
  std::size_t next_ = 0;
};

Measurement measurement(const std::string& line, const std::string& where) {
  Cells cells(line, where);
  Measurement row;
  row.figure = cells.text();
  row.run = cells.word();
  row.application = cells.word();
  const auto& known = known_applications();
  if (std::find(known.begin(), known.end(), row.application) == known.end()) {
    refuse_unknown("application in " + where, row.application, known);
  }
  row.gpus = cells.positive<std::uint64_t>();
  row.n = cells.positive<std::uint64_t>();
  row.strategy = cells.word();
  row.gflops = cells.positive<double>();
  row.time_ms = cells.positive<double>();
  row.loads_from_host = cells.number_or_none<double>();
  row.loads_from_peer = cells.number_or_none<double>();
  if (row.loads_from_host.has_value() != row.loads_from_peer.has_value()) {
    cells.refuse("and loads_from_host must be given together");
  }
  row.mib_from_host = cells.number_or_none<double>();
  row.mib_from_peer = cells.number_or_none<double>();
  row.iterations = cells.number_or_none<std::uint64_t>();
  row.darts_decision_s = cells.number_or_none<double>();
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
  bool has_header = false;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.starts_with('#')) continue;
    const auto here = fmt::format("{}, line {}", where, number);
    if (!has_header) {
      if (line != header) throw InvalidInput(fmt::format("{}: columns must be {}", here, header));
      has_header = true;
      continue;
    }
    rows.push_back(measurement(line, here));
    if (!seen.insert(identity_of_point(rows.back())).second) {
      throw InvalidInput(here + ": the same point of the same source was given before");
    }
  }
  if (!has_header)
    throw InvalidInput(fmt::format("{}: no columns; they must be {}", where, header));
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
