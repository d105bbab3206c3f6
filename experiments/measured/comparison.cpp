#include "experiments/measured/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "models/platforms/scenario.hpp"
#include "models/runs/record.hpp"
#include "models/runs/status.hpp"
#include "models/spec.hpp"
#include "models/table.hpp"
#include "models/workload.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/static_plans/plan_predictor.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// What identifies a simulation: workloads of one size, platform, strategy.
using Key = std::tuple<std::string, std::string, std::string>;

Key key_of(const Counterpart& how) { return {how.workloads.front(), how.platform, how.strategy}; }

/// Which of all jobs simulate a point, or predict it.
struct JobRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Why models say nothing of the run there, or "".
std::string why_unknown_run(const Counterpart& how, std::uint64_t seed) {
  const Workload workload = Workload::parse(how.workloads.front());
  if (needs_plan(workload)) {
    const std::string name =
        strategy_called(Spec::parse(how.strategy, StrategyEntry::what).name()).name;
    return Table<PlanPredictor>::find(name) != nullptr
               ? ""
               : "models predict static schedules alone where tasks wait for others or write";
  }
  const std::string why =
      why_no_limited_run(workload, Scenario::parse(how.model_platform).draw(seed, 0));
  return why.empty() ? "" : "models predict no such workload: " + why;
}

/// What the models say of a point: a row of each workload.
void add_predictions(const Counterpart& how, const ComparisonRuns& runs, std::vector<Job>& all) {
  for (const auto& workload : how.workloads) {
    const Experiment experiment{.workload = Workload::parse(workload),
                                .scenario = Scenario::parse(how.model_platform),
                                .strategies = {how.strategy},
                                .models = Table<LimitedModel>::names(),
                                .simulate = false,
                                .seed = runs.seed,
                                .keep_unpredicted = true};
    for (auto& job : jobs(experiment)) all.push_back(std::move(job));
  }
}

/// Why there is no prediction that can be trusted, or "".
std::string why_unpredicted(const Record& record) {
  if (record.status.kind == Status::Kind::no_model) return record.status.reason;
  if (record.status.kind != Status::Kind::ok) return status_text(record.status);
  return record.domain == "inside" ? "" : record.domain;
}

/// The runs of one point: replicates of one workload, or one of each that was drawn.
void add_jobs(const Counterpart& how, const ComparisonRuns& runs, std::vector<Job>& all) {
  for (const auto& workload : how.workloads) {
    const Experiment experiment{.workload = Workload::parse(workload),
                                .scenario = Scenario::parse(how.platform),
                                .strategies = {how.strategy},
                                .replicates = how.workloads.size() == 1 ? runs.runs : 1,
                                .seed = runs.seed};
    for (auto& job : jobs(experiment)) all.push_back(std::move(job));
  }
}

void take(Compared& point, const std::vector<Record>& records, const JobRange& range) {
  double flops = 0;
  double seconds = 0;
  double loads = 0;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    flops += records[i].flops.value();
    seconds += records[i].makespan_s.value();
    loads += records[i].loads.value();
  }
  if (point.how.has_rate) point.gflops = flops / seconds / 1e9;
  point.loads = loads / static_cast<double>(range.end - range.begin);
}

void take_predicted(Compared& point, const std::vector<Record>& records, const JobRange& range) {
  double flops = 0;
  double seconds = 0;
  double loads = 0;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    point.no_prediction = why_unpredicted(records[i]);
    if (!point.no_prediction.empty()) return;
    flops += records[i].flops.value();
    seconds += records[i].makespan_s.value();
    loads += records[i].loads.value();
  }
  if (point.how.has_rate) point.predicted_gflops = flops / seconds / 1e9;
  point.predicted_loads = loads / static_cast<double>(range.end - range.begin);
}

std::optional<double> deviation(const std::optional<double>& ours,
                                const std::optional<double>& measured) {
  if (!ours || !measured) return std::nullopt;
  return *ours / *measured - 1;
}

/// What the points of a group share.
auto group_of(const Measurement& point) {
  return std::tuple(point.figure, point.run, point.application, point.gpus, point.strategy);
}

/// The spread of one deviation of the group's points.
template <typename Deviation>
std::optional<Spread> spread_over(const ComparedGroup& group, bool predicted, Deviation of) {
  std::vector<double> deviations;
  for (const auto* const point : group.points) {
    if (predicted && !point->no_prediction.empty()) continue;
    if (const auto value = (point->*of)()) deviations.push_back(*value);
  }
  return spread(deviations);
}

void set_spreads(ComparedGroup& group) {
  group.gflops = spread_over(group, false, &Compared::gflops_deviation);
  group.loads = spread_over(group, false, &Compared::loads_deviation);
  group.predicted_gflops = spread_over(group, true, &Compared::predicted_gflops_deviation);
  group.predicted_loads = spread_over(group, true, &Compared::predicted_loads_deviation);
  group.gflops_of_predicted = spread_over(group, true, &Compared::gflops_deviation);
  group.loads_of_predicted = spread_over(group, true, &Compared::loads_deviation);
  for (const auto* const point : group.points) {
    if (point->no_prediction.empty()) ++group.predicted;
    if (!point->no_prediction.empty()) group.no_prediction = point->no_prediction;
  }
}

}  // namespace

std::optional<double> Compared::gflops_deviation() const {
  return deviation(gflops, measured->gflops);
}

std::optional<double> Compared::loads_deviation() const {
  return deviation(loads, measured->loads());
}

std::optional<double> Compared::predicted_gflops_deviation() const {
  return deviation(predicted_gflops, measured->gflops);
}

std::optional<double> Compared::predicted_loads_deviation() const {
  return deviation(predicted_loads, measured->loads());
}

std::vector<Compared> compare_with_measured(const std::vector<const Measurement*>& points,
                                            const ComparisonRuns& runs, const Progress& progress) {
  std::vector<Compared> compared;
  std::map<Key, JobRange> simulations;
  std::map<Key, JobRange> predictions;
  std::vector<Job> all;
  for (const auto* const point : points) {
    Compared& added = compared.emplace_back();
    added.measured = point;
    added.how = counterpart(*point, runs.runs);
    added.no_prediction = added.how.absent;
    if (!added.how.absent.empty()) continue;
    const auto [simulated, is_new] = simulations.try_emplace(key_of(added.how));
    if (!is_new) continue;
    simulated->second.begin = all.size();
    add_jobs(added.how, runs, all);
    simulated->second.end = all.size();
    if (why_unknown_run(added.how, runs.seed).empty()) add_predictions(added.how, runs, all);
    predictions[key_of(added.how)] = {simulated->second.end, all.size()};
  }
  const auto records = run_jobs(all, runs.threads, progress);
  for (auto& point : compared) {
    if (!point.how.absent.empty()) continue;
    take(point, records, simulations.at(key_of(point.how)));
    point.no_prediction = why_unknown_run(point.how, runs.seed);
    if (!point.no_prediction.empty()) continue;
    take_predicted(point, records, predictions.at(key_of(point.how)));
  }
  return compared;
}

std::optional<Spread> spread(const std::vector<double>& deviations) {
  if (deviations.empty()) return std::nullopt;
  auto sorted = deviations;
  std::sort(sorted.begin(), sorted.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  const std::size_t n = sorted.size();
  const auto at = [&](std::size_t i) { return std::abs(sorted[i]); };
  const std::size_t p90 = (9 * n + 9) / 10 - 1;  // ceil(0.9 n), counted from 0
  return Spread{(at((n - 1) / 2) + at(n / 2)) / 2, at(p90), sorted.back()};
}

std::vector<ComparedGroup> grouped(const std::vector<Compared>& compared) {
  std::vector<ComparedGroup> groups;
  for (const auto& point : compared) {
    auto at = std::find_if(groups.begin(), groups.end(), [&](const ComparedGroup& group) {
      return group_of(*group.first) == group_of(*point.measured);
    });
    if (at == groups.end()) {
      groups.emplace_back().first = point.measured;
      at = groups.end() - 1;
    }
    at->points.push_back(&point);
    if (point.how.absent.empty()) at->ours = point.how.curve;
    if (!point.how.absent.empty()) at->absent = point.how.absent;
  }
  for (auto& group : groups) {
    set_spreads(group);
  }
  return groups;
}

}  // namespace damocles
