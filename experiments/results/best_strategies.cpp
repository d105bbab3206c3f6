#include "experiments/results/best_strategies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "experiments/results/result_table.hpp"
#include "experiments/studies/summary.hpp"

namespace damocles {
namespace {

bool has_result(const Record& record) {
  return record.status.kind == Status::Kind::none || record.status.kind == Status::Kind::ok ||
         record.status.kind == Status::Kind::unverified;
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

}  // namespace

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

}  // namespace damocles
