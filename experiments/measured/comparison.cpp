#include "experiments/measured/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"

namespace damocles {
namespace {

/// What identifies a simulation: workloads of one size, platform, strategy.
using Key = std::tuple<std::string, std::string, std::string>;

Key key_of(const Counterpart& how) { return {how.workloads.front(), how.platform, how.strategy}; }

/// Which of all jobs simulate a point.
struct JobRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

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

std::optional<double> deviation(const std::optional<double>& ours,
                                const std::optional<double>& measured) {
  if (!ours || !measured) return std::nullopt;
  return *ours / *measured - 1;
}

/// What the points of a group share.
auto group_of(const Measurement& point) {
  return std::tuple(point.figure, point.run, point.application, point.gpus, point.strategy);
}

}  // namespace

std::optional<double> Compared::gflops_deviation() const {
  return deviation(gflops, measured->gflops);
}

std::optional<double> Compared::loads_deviation() const {
  return deviation(loads, measured->loads());
}

std::vector<Compared> compare_with_measured(const std::vector<const Measurement*>& points,
                                            const ComparisonRuns& runs, const Progress& progress) {
  std::vector<Compared> compared;
  std::map<Key, JobRange> ranges;
  std::vector<Job> all;
  for (const auto* const point : points) {
    compared.push_back({point, counterpart(*point, runs.runs), {}, {}});
    const auto& how = compared.back().how;
    if (!how.absent.empty()) continue;
    const auto [at, is_new] = ranges.try_emplace(key_of(how));
    if (!is_new) continue;
    at->second.begin = all.size();
    add_jobs(how, runs, all);
    at->second.end = all.size();
  }
  const auto records = run_jobs(all, runs.threads, progress);
  for (auto& point : compared) {
    if (point.how.absent.empty()) take(point, records, ranges.at(key_of(point.how)));
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
    std::vector<double> gflops;
    std::vector<double> loads;
    for (const auto* const point : group.points) {
      if (const auto value = point->gflops_deviation()) gflops.push_back(*value);
      if (const auto value = point->loads_deviation()) loads.push_back(*value);
    }
    group.gflops = spread(gflops);
    group.loads = spread(loads);
  }
  return groups;
}

}  // namespace damocles
