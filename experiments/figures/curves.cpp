#include "experiments/figures/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "experiments/measured/counterpart.hpp"
#include "experiments/measured/measured.hpp"
#include "experiments/prediction/limited_predictions.hpp"
#include "models/platforms/scenario.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/static_plans/plan_predictor.hpp"
#include "orders/partitioners.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t runs_where_drawn = 10;
constexpr std::uint64_t few_runs = 3;

/// Means of what a strategy does at one point.
struct Sum {
  double gflops = 0;
  double bytes = 0;
  double n = 0;
};

}  // namespace

std::uint64_t runs_of(const std::string& strategy, std::size_t processors) {
  if (strategy.starts_with("darts")) return runs_where_drawn;
  return strategy.starts_with("hypergraph") || processors > 1 ? few_runs : 1;
}

std::vector<std::string> if_built(const char* partitioned) {
  if (partitioner_built("zoltan")) return {partitioned};  // so the claims say
  return {};
}

std::string measured_name(const std::string& strategy) {
  for (const auto& row : mapped_strategies()) {
    if (row.ours == strategy) return row.theirs;
  }
  return "";
}

std::vector<Experiment> curve_experiments(const CurveFigure& figure, std::uint64_t seed) {
  std::vector<Experiment> experiments;
  for (const auto& point : figure.points) {
    const Scenario scenario = Scenario::parse(point.platform);
    const std::string simpler = modelled_platform(point.platform);
    for (const auto& workload : point.workloads) {
      for (const auto& strategy : figure.strategies) {
        // Drawn workloads share out the runs among them.
        const std::uint64_t runs = std::max<std::uint64_t>(
            1, runs_of(strategy, scenario.processors()) / point.workloads.size());
        experiments.push_back({.workload = Workload::parse(workload),
                               .scenario = scenario,
                               .strategies = {strategy},
                               .replicates = runs,
                               .seed = seed});
      }
      // What is written travels both ways, and to other GPUs: a simpler machine is another one.
      const Workload tasks = Workload::parse(workload);
      if (needs_plan(tasks) && simpler != point.platform) continue;
      experiments.push_back({.workload = tasks,
                             .scenario = Scenario::parse(simpler),
                             .strategies = figure.strategies,
                             .models = Table<LimitedModel>::names(),
                             .simulate = false,
                             .seed = seed});
    }
  }
  return experiments;
}

Curves::Curves(const CurveFigure& figure) : figure_(figure), values_(figure.points.size()) {
  for (const auto& point : figure.points) {
    const Scenario scenario = Scenario::parse(point.platform);
    const auto processors = static_cast<double>(scenario.processors());
    const double peak = point.peak_gflops > 0 ? point.peak_gflops : figure.peak_gflops;
    Place place{peak * processors, 0, processors};
    for (const auto& gpu : scenario.machine().value_or(MachineModel{}).processors)
      place.memory_mib += static_cast<double>(gpu.memory_bytes) / mebibyte;
    places_.push_back(place);
  }
}

template <typename Counts, typename PlatformOf>
void Curves::take(const std::vector<Record>& records, const Counts& counts,
                  const PlatformOf& platform_of) {
  std::map<std::array<std::string, 2>, std::size_t> point_of;
  for (std::size_t i = 0; i < points(); ++i) {
    const std::string platform = platform_of(point(i).platform);
    for (const auto& workload : point(i).workloads) point_of[{workload, platform}] = i;
  }
  std::vector<std::map<std::string, Sum>> sums(points());
  for (const auto& record : records) {
    const auto found = point_of.find({record.workload, record.platform});
    if (found == point_of.end() || !record.gflops || !counts(record)) continue;
    Sum& sum = sums[found->second][record.strategy];
    sum.gflops += *record.gflops;
    sum.bytes += *record.bytes_loaded;
    sum.n += 1;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (const auto& [strategy, sum] : sums[i])
      values_[i][strategy] = {sum.gflops / sum.n, sum.bytes / sum.n};
  }
}

Curves Curves::simulated(const CurveFigure& figure, const std::vector<Record>& records) {
  Curves curves(figure);
  curves.take(
      records, [](const Record& record) { return record.source != "predicted"; },
      [](const std::string& platform) { return platform; });
  return curves;
}

Curves Curves::predicted(const CurveFigure& figure, const std::vector<Record>& records) {
  Curves curves(figure);
  curves.take(
      records,
      [](const Record& record) {
        return record.source == "predicted" && record.domain == "inside";
      },
      modelled_platform);
  return curves;
}

Curves Curves::measured(const CurveFigure& figure) {
  Curves curves(figure);
  if (figure.measured.empty()) return curves;
  for (const auto& strategy : figure.strategies) {
    const std::string theirs = measured_name(strategy);
    if (theirs.empty()) continue;
    for (const Measurement* row : measured_curve(figure.measured, theirs)) {
      for (std::size_t i = 0; i < figure.points.size(); ++i) {
        if (figure.points[i].n != row->n) continue;
        Value value{row->gflops, std::nullopt};
        if (row->loads()) value.bytes = *row->loads() * figure.points[i].data_mib * mebibyte;
        curves.values_[i][strategy] = value;
      }
    }
  }
  return curves;
}

bool Curves::has(const std::string& strategy) const {
  for (std::size_t i = 0; i < points(); ++i) {
    if (has(strategy, i)) return true;
  }
  return false;
}

bool Curves::has(const std::string& strategy, std::size_t i) const {
  return values_.at(i).contains(strategy);
}

bool Curves::has_bytes(const std::string& strategy, std::size_t i) const {
  return has(strategy, i) && at(strategy, i).bytes;
}

const Curves::Value& Curves::at(const std::string& strategy, std::size_t i) const {
  return values_.at(i).at(strategy);
}

double Curves::gflops(const std::string& strategy, std::size_t i) const {
  return at(strategy, i).gflops;
}

double Curves::bytes(const std::string& strategy, std::size_t i) const {
  return at(strategy, i).bytes.value();
}

double Curves::best_gflops(const std::string& strategy) const {
  double best = 0;
  for (std::size_t i = 0; i < points(); ++i) {
    if (has(strategy, i)) best = std::max(best, gflops(strategy, i));
  }
  return best;
}

double Curves::working_set_mib(std::size_t i) const {
  return point(i).all_data * point(i).data_mib;
}

bool Curves::b_fits(std::size_t i) const {
  return point(i).b_data * point(i).data_mib <= places_[i].memory_mib;
}

bool Curves::b_fits_beside_a(std::size_t i) const {
  return (point(i).b_data + places_[i].processors) * point(i).data_mib <= places_[i].memory_mib;
}

bool Curves::ab_fits(std::size_t i) const {
  return point(i).ab_data * point(i).data_mib <= places_[i].memory_mib;
}

Where everywhere() {
  return {"at every point", [](const Curves&, std::size_t) { return true; }};
}

Where memory_is_short() {
  return {"where A and B do not fit together",
          [](const Curves& curves, std::size_t i) { return !curves.ab_fits(i); }};
}

Where b_does_not_fit() {
  return {"where B does not fit",
          [](const Curves& curves, std::size_t i) { return !curves.b_fits(i); }};
}

Where only_b_fits() {
  return {"where A and B do not fit but B does", [](const Curves& curves, std::size_t i) {
            return !curves.ab_fits(i) && curves.b_fits(i);
          }};
}

Where sizes(std::uint64_t first, std::uint64_t last) {
  return {fmt::format("for n = {} to {}", first, last), [=](const Curves& curves, std::size_t i) {
            return curves.point(i).n >= first && curves.point(i).n <= last;
          }};
}

Where working_sets(double above_mib, double up_to_mib) {
  return {std::isinf(up_to_mib) ? fmt::format("above {} MiB", above_mib)
                                : fmt::format("between {} and {} MiB", above_mib, up_to_mib),
          [=](const Curves& curves, std::size_t i) {
            const double here = curves.working_set_mib(i);
            return here > above_mib && here <= up_to_mib;
          }};
}

Where last_points(std::size_t count) {
  return {fmt::format("at the last {} points", count),
          [=](const Curves& curves, std::size_t i) { return i + count >= curves.points(); }};
}

}  // namespace damocles
