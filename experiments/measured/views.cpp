#include "experiments/measured/views.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/measured/fields.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/tables.hpp"

namespace damocles {
namespace {

using Json = nlohmann::ordered_json;

Json value_or_null(const auto& value) { return value ? Json(*value) : Json(); }

Fields fields(const Compared& point) {
  const auto& measured = *point.measured;
  const auto& how = point.how;
  return {{"figure", measured.figure},
          {"run", measured.run},
          {"application", measured.application},
          {"gpus", measured.gpus},
          {"n", measured.n},
          {"memory_MiB", value_or_null(measured.memory_mib)},
          {"measured_strategy", measured.strategy},
          {"strategy", how.strategy},
          {"workload", how.workloads.empty() ? "" : how.workloads.front()},
          {"platform", how.platform},
          {"gflops", value_or_null(point.gflops)},
          {"measured_gflops", measured.gflops},
          {"gflops_deviation", value_or_null(point.gflops_deviation())},
          {"loads", value_or_null(point.loads)},
          {"measured_loads_from_host", value_or_null(measured.loads_from_host)},
          {"measured_loads_from_peer", value_or_null(measured.loads_from_peer)},
          {"loads_deviation", value_or_null(point.loads_deviation())},
          {"no_counterpart", how.absent},
          {"predicted_gflops", value_or_null(point.predicted_gflops)},
          {"predicted_gflops_deviation", value_or_null(point.predicted_gflops_deviation())},
          {"predicted_loads", value_or_null(point.predicted_loads)},
          {"predicted_loads_deviation", value_or_null(point.predicted_loads_deviation())},
          {"no_prediction", point.no_prediction},
          {"source", measured.source}};
}

void add(Fields& to, const std::string& name, const std::optional<Spread>& of) {
  to.emplace_back(name + "_median", of ? Json(of->median) : Json());
  to.emplace_back(name + "_p90", of ? Json(of->p90) : Json());
  to.emplace_back(name + "_worst", of ? Json(of->worst) : Json());
}

Fields fields(const ComparedGroup& group) {
  Fields result{{"figure", group.first->figure},
                {"run", group.first->run},
                {"application", group.first->application},
                {"gpus", group.first->gpus},
                {"measured_strategy", group.first->strategy},
                {"strategy", group.ours},
                {"points", group.points.size()}};
  add(result, "gflops_deviation", group.gflops);
  add(result, "loads_deviation", group.loads);
  result.emplace_back("no_counterpart", group.ours.empty() ? group.absent : "");
  result.emplace_back("predicted_points", group.predicted);
  add(result, "predicted_gflops_deviation", group.predicted_gflops);
  add(result, "predicted_loads_deviation", group.predicted_loads);
  result.emplace_back("no_prediction",
                      group.predicted == group.points.size() ? "" : group.no_prediction);
  return result;
}

template <typename Row>
std::string rows_view(const std::vector<Row>& rows, Format format, const char* name) {
  std::vector<Fields> all;
  for (const auto& row : rows) all.push_back(fields(row));
  return machine_view(all, format, name);
}

}  // namespace

std::string place_of(const Measurement& point) {
  if (point.figure.empty()) return point.run;
  return point.figure + (point.run == "published" ? "" : ", " + point.run);
}

std::string spread_cell(const std::optional<Spread>& of) {
  if (!of) return "–";
  return fmt::format("{:.1f} / {:.1f} / {:+.1f} %", 100 * of->median, 100 * of->p90,
                     100 * of->worst);
}

std::string points_view(const std::vector<Compared>& compared, Format format,
                        const TableStyle& style) {
  if (format != Format::table) return rows_view(compared, format, "points");
  std::vector<std::vector<std::string>> rows{{"figure", "application", "GPUs", "strategy", "n",
                                              "GFlop/s", "measured", "deviation", "loads",
                                              "measured", "loads from GPUs", "deviation"}};
  for (const auto& point : compared) {
    const auto& measured = *point.measured;
    rows.push_back(
        {place_of(measured), measured.application, std::to_string(measured.gpus), measured.strategy,
         std::to_string(measured.n), number_cell(point.gflops, "{:.0f}"),
         fmt::format("{:.0f}", measured.gflops), signed_percent(point.gflops_deviation()),
         number_cell(point.loads, "{:.1f}"), number_cell(measured.loads(), "{:.1f}"),
         number_cell(measured.loads_from_peer, "{:.1f}"), signed_percent(point.loads_deviation())});
  }
  return aligned(rows, style);
}

std::string groups_view(const std::vector<ComparedGroup>& groups, Format format,
                        const TableStyle& style) {
  if (format != Format::table) return rows_view(groups, format, "groups");
  std::vector<std::vector<std::string>> rows{{"figure", "application", "GPUs", "strategy", "ours",
                                              "points", "GFlop/s: median, p90, worst",
                                              "loads: median, p90, worst"}};
  for (const auto& group : groups) {
    const auto& first = *group.first;
    rows.push_back({place_of(first), first.application, std::to_string(first.gpus), first.strategy,
                    group.ours.empty() ? "–" : group.ours, std::to_string(group.points.size()),
                    spread_cell(group.gflops), spread_cell(group.loads)});
  }
  std::string text = aligned(rows, style);
  const CellRows predicted = predicted_table(groups);
  if (predicted.size() > 1) text += "\n" + aligned(predicted, style);
  for (const auto& reason : reasons(groups)) {
    text += fmt::format("– {}: {}\n", fmt::join(reason.strategies, ", "), reason.text);
  }
  return text;
}

CellRows predicted_table(const std::vector<ComparedGroup>& groups) {
  CellRows rows{{"figure", "application", "GPUs", "strategy", "predicted points",
                 "loads: predicted", "loads: simulated", "GFlop/s: predicted",
                 "GFlop/s: simulated"}};
  for (const auto& group : groups) {
    if (group.predicted == 0) continue;
    const auto& first = *group.first;
    rows.push_back({place_of(first), first.application, std::to_string(first.gpus), first.strategy,
                    fmt::format("{} of {}", group.predicted, group.points.size()),
                    spread_cell(group.predicted_loads), spread_cell(group.loads_of_predicted),
                    spread_cell(group.predicted_gflops), spread_cell(group.gflops_of_predicted)});
  }
  return rows;
}

std::vector<Reason> reasons(const std::vector<ComparedGroup>& groups) {
  std::vector<Reason> all;
  for (const auto& group : groups) {
    if (!group.ours.empty()) continue;
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const Reason& reason) { return reason.text == group.absent; });
    if (at == all.end()) at = all.insert(all.end(), {group.absent, {}, 0});
    at->points += group.points.size();
    auto& names = at->strategies;
    if (std::find(names.begin(), names.end(), group.first->strategy) == names.end()) {
      names.push_back(group.first->strategy);
    }
  }
  return all;
}

}  // namespace damocles
