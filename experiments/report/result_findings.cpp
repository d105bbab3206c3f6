// What results say in words.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "experiments/report/report.hpp"
#include "experiments/results/result_table.hpp"
#include "experiments/studies/summary.hpp"

namespace damocles {
namespace {

using PointRows = std::vector<Record>;  ///< means, one for each strategy and source

constexpr std::size_t most_points_told = 5;

bool has_result(const Record& record) {
  return record.status.kind == Status::Kind::none || record.status.kind == Status::Kind::ok ||
         record.status.kind == Status::Kind::unverified;
}

/// The summarised rows by workload and platform, in the order of the file.
std::vector<PointRows> summarised_points(const std::vector<Record>& records) {
  std::vector<PointRows> points;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (Record& row : summarise(records)) {
    const auto [at, is_new] = places.try_emplace({row.workload, row.platform}, points.size());
    if (is_new) points.emplace_back();
    points[at->second].push_back(std::move(row));
  }
  return points;
}

PointRows with_source(const PointRows& point, std::string_view source) {
  PointRows some;
  std::copy_if(point.begin(), point.end(), std::back_inserter(some),
               [&](const Record& one) { return one.source == source && has_result(one); });
  return some;
}

/// "best: darts, ...", where there is a best one.
std::optional<std::string> best_at(const PointRows& point) {
  PointRows simulated = with_source(point, "simulated");
  const std::string_view by = simulated.empty() ? "" : deciding_column(simulated);
  rank(simulated, by);
  std::string line = best_line(simulated, by);
  if (line.empty()) return std::nullopt;
  line.pop_back();
  return line;
}

/// "darts is fastest at 12 of 15 points, dmdar at 3."
std::optional<std::string> winners(const std::vector<PointRows>& points) {
  std::map<std::string, std::size_t> wins;
  std::size_t decided = 0;
  std::string_view by;
  for (const PointRows& point : points) {
    PointRows simulated = with_source(point, "simulated");
    if (simulated.size() < 2) continue;
    by = deciding_column(simulated);
    rank(simulated, by);
    ++wins[simulated.front().strategy];
    ++decided;
  }
  if (decided == 0) return std::nullopt;
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [strategy, count] : wins) order.emplace_back(count, strategy);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text =
      fmt::format("{} {} at {} of {} points", order[0].second,
                  by == "makespan_s" ? "is fastest" : "loads least", order[0].first, decided);
  for (std::size_t i = 1; i < order.size() && i < 4; ++i) {
    text += fmt::format(", {} at {}", order[i].second, order[i].first);
  }
  return text + ".";
}

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

std::vector<std::string> best_at_points(const std::vector<Record>& records, std::size_t most,
                                        const std::function<std::string(const Record&)>& name) {
  const std::vector<PointRows> points = summarised_points(records);
  std::vector<std::string> told;
  if (points.size() > most) {
    if (auto line = winners(points)) told.push_back(std::move(*line));
    return told;
  }
  for (const PointRows& point : points) {
    if (const auto line = best_at(point)) {
      told.push_back(fmt::format("{}: {}.", name(point.front()), *line));
    }
  }
  return told;
}

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
