// What results say in words.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "experiments/report/report.hpp"
#include "experiments/results/best_strategies.hpp"

namespace damocles {
namespace {

constexpr std::size_t most_points_told = 5;

/// Relative differences of loads from the simulated ones, where both are there.
std::vector<double> differences(const std::vector<PointRows>& points, const std::string& source,
                                const std::string& model) {
  std::vector<double> all;
  for (const PointRows& point : points) {
    for (const Record& row : with_source(point, source)) {
      if (row.model != model || !row.loads) continue;
      const auto same = std::find_if(point.begin(), point.end(), [&](const Record& one) {
        return one.source == "simulated" && one.strategy == row.strategy &&
               one.loads.value_or(0) > 0;
      });
      if (same != point.end()) all.push_back(std::abs(*row.loads / *same->loads - 1));
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// "Predicted (refined): loads are 0.4 % off the simulated ones in the median of 12 points, 2.0 %
/// at most."
void tell_differences(const std::vector<PointRows>& points, std::vector<std::string>& told) {
  std::map<std::pair<std::string, std::string>, bool> sources;
  for (const PointRows& point : points) {
    for (const Record& row : point) sources[{row.source, row.model}] = true;
  }
  for (const auto& [source, unused] : sources) {
    if (source.first == "simulated") continue;
    const auto off = differences(points, source.first, source.second);
    if (off.empty()) continue;
    const std::string who =
        source.first == "executed" ? "Executed" : fmt::format("Predicted ({})", source.second);
    const double most = 100 * off.back();
    told.push_back(off.size() == 1
                       ? fmt::format("{}: loads are {:.1f} % off the simulated ones.", who, most)
                       : fmt::format("{}: loads are {:.1f} % off the simulated ones in the median "
                                     "of {} points, {:.1f} % at most.",
                                     who, 100 * off[(off.size() - 1) / 2], off.size(), most));
  }
}

/// "WORKLOAD on PLATFORM: use beta=4.11 with dynamic-2phases.", of a table of `beta`.
std::vector<std::string> advice_on_beta(const ReportTable& table) {
  const auto cell_under = [&](std::string_view name) -> std::string {
    const auto at = std::find(table.header.begin(), table.header.end(), name);
    if (at == table.header.end() || table.rows.empty()) return "";
    return table.rows.front()[static_cast<std::size_t>(at - table.header.begin())];
  };
  const std::string beta = cell_under("recommended_beta");
  if (beta.empty()) return {};
  return {fmt::format("{} on {}: use beta={} with dynamic-2phases.", cell_under("workload"),
                      cell_under("platform"), beta)};
}

/// The strategy, and what tells its run from the other.
std::string name_beside(const ShownRun& run, const ShownRun& other) {
  if (run.strategy != other.strategy) return run.strategy;
  if (run.workload != other.workload) return fmt::format("{} on {}", run.strategy, run.workload);
  if (run.platform != other.platform) return fmt::format("{} on {}", run.strategy, run.platform);
  if (run.measured == other.measured) return run.strategy;
  return fmt::format("{} ({})", run.strategy, run.measured ? "executed" : "simulated");
}

}  // namespace

std::string comparison_of(const ShownRun& one, const ShownRun& other) {
  const ShownRun& slow = one.makespan_s < other.makespan_s ? other : one;
  const ShownRun& fast = one.makespan_s < other.makespan_s ? one : other;
  const std::string slow_name = name_beside(slow, fast);
  const std::string fast_name = name_beside(fast, slow);
  std::string loads;
  if (slow.loads && fast.loads) {
    loads = *slow.loads == *fast.loads
                ? fmt::format("; each makes {:.6g} loads", *slow.loads)
                : fmt::format("; they make {:.6g} and {:.6g} loads", *slow.loads, *fast.loads);
  }
  if (slow.measured != fast.measured) {
    return fmt::format(
        "{} and {} are not compared by time, as one has measured times and the other simulated "
        "ones{}.",
        slow_name, fast_name, loads);
  }
  const char* const times = slow.measured ? "measured" : "simulated";
  if (slow.makespan_s == fast.makespan_s || !(fast.makespan_s > 0)) {
    return fmt::format("{} and {} take {:.4g} s each ({}){}.", slow_name, fast_name,
                       slow.makespan_s, times, loads);
  }
  return fmt::format("{} takes {:.4g} s, {:.3g} times as long as {} with {:.4g} s ({}){}.",
                     slow_name, slow.makespan_s, slow.makespan_s / fast.makespan_s, fast_name,
                     fast.makespan_s, times, loads);
}

std::vector<std::string> findings_of_table(const ReportTable& table) {
  const std::vector<Record>& records = table.records;
  if (records.empty()) return advice_on_beta(table);
  std::vector<std::string> told = best_at_points(records, most_points_told, [](const Record& row) {
    return fmt::format("{} on {}", row.workload, row.platform);
  });
  tell_differences(summarised_points(records), told);
  const auto failed = std::count_if(records.begin(), records.end(), [](const Record& one) {
    return one.status.kind == Status::Kind::failed;
  });
  if (failed > 0) {
    told.push_back(
        fmt::format("{} of {} rows failed; the column status says why.", failed, records.size()));
  }
  return told;
}

}  // namespace damocles
