#include "experiments/figures/speed_scenarios.hpp"

#include <fmt/format.h>

#include <cmath>

namespace damocles {
namespace {

using Scenarios = std::vector<SpeedScenario>;

constexpr std::size_t runs = 50;
/// "Very little impact": the means of a strategy lie within this share of each other.
constexpr double little = 0.1;
const std::vector<std::string> all{"random", "sorted", "dynamic", "dynamic-2phases"};

std::vector<Question> questions(const ScenarioFigure& figure, std::uint64_t seed) {
  std::vector<Question> result;
  for (const auto& scenario : figure.scenarios) {
    Question question{Workload::parse("outer:n=100"),
                      Scenario::parse(scenario.platform),
                      {"random", "sorted", "dynamic"},
                      {"refined"},
                      true,
                      runs,
                      seed};
    result.push_back(question);
    question.strategies = {"dynamic-2phases"};
    question.models = {"paper", "refined"};
    result.push_back(question);
  }
  return result;
}

/// How much more `b` loads than `a`, where the difference is significant at 95 %.
Extremes significant_gaps(const Scenarios& scenarios, const Volumes& volumes, const std::string& a,
                          const std::string& b) {
  Extremes gaps;
  for (const auto& [label, platform] : scenarios) {
    const Sample gap = paired(volumes.simulated(a, platform), volumes.simulated(b, platform));
    if (std::abs(gap.mean) > gap.ci95) gaps.see(gap.mean, label);
  }
  return gaps;
}

/// The ranking changes where a strategy significantly loads more than another in one scenario and
/// significantly less in another.
Check ranking_is_the_same(const Scenarios& scenarios, const Volumes& volumes) {
  std::string changes;
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      const Extremes gaps = significant_gaps(scenarios, volumes, all[a], all[b]);
      if (gaps.min >= 0 || gaps.max <= 0) continue;
      changes += fmt::format("{}{} loads {:.3f} less than {} at {}, {:.3f} more at {}",
                             changes.empty() ? ", but for these: " : ", ", all[b], -gaps.min,
                             all[a], gaps.at_min, gaps.max, gaps.at_max);
    }
  }
  const Extremes won = significant_gaps(scenarios, volumes, "dynamic-2phases", "dynamic");
  return {changes.empty(),
          fmt::format("every pair ranked the same in all {} scenarios{}; dynamic loads {:.3f} ({}) "
                      "to {:.3f} ({}) more than dynamic-2phases (paired, 95 %)",
                      scenarios.size(), changes, won.min, won.at_min, won.max, won.at_max)};
}

Check impact_is_little(const Scenarios& scenarios, const Volumes& volumes) {
  std::string numbers;
  bool holds = true;
  for (const auto& name : all) {
    Extremes mean;
    Extremes sd;
    for (const auto& [label, platform] : scenarios) {
      const Sample here = sample(volumes.simulated(name, platform));
      mean.see(here.mean, label);
      sd.see(here.sd, label);
    }
    const double spread = mean.max / mean.min - 1;
    holds = holds && spread < little;
    numbers += fmt::format("{}{} {:.3f} ({}) to {:.3f} ({}): {}, sd at most {:.3f}",
                           numbers.empty() ? "" : ", ", name, mean.min, mean.at_min, mean.max,
                           mean.at_max, percent(spread), sd.max);
  }
  return {holds, fmt::format("means of each strategy within {}: {}", percent(little), numbers)};
}

Check analysis_keeps_its_accuracy(const Scenarios& scenarios, const Volumes& volumes) {
  std::string numbers;
  for (const char* model : {"paper", "refined"}) {
    Extremes off;
    for (const auto& [label, platform] : scenarios)
      off.see(std::abs(volumes.deviation(model, "dynamic-2phases", platform)), label);
    numbers += fmt::format("{}{} {} ({})", numbers.empty() ? "" : ", ", model, percent(off.max),
                           off.at_max);
  }
  return {std::nullopt, "analysis of dynamic-2phases off by at most: " + numbers};
}

Finding judge(const ScenarioFigure& figure, const std::vector<Record>& records) {
  const Volumes volumes(records);
  std::vector<Check> checks{ranking_is_the_same(figure.scenarios, volumes),
                            impact_is_little(figure.scenarios, volumes),
                            analysis_keeps_its_accuracy(figure.scenarios, volumes)};
  if (!figure.special.empty()) {
    Scenarios rest;
    for (const auto& scenario : figure.scenarios)
      if (scenario.label != figure.special) rest.push_back(scenario);
    for (const auto check : {ranking_is_the_same, impact_is_little}) {
      const Check without = check(rest, volumes);
      checks.push_back(
          {std::nullopt, fmt::format("without {} ({}) {}: {}", figure.special, figure.why_special,
                                     *without.holds ? "yes" : "no", without.numbers)});
    }
  }
  return judged(checks);
}

}  // namespace

Claim scenario_claim(const ScenarioFigure& figure) {
  return {
      figure.id, figure.statement,
      fmt::format("outer:n=100, p=20, {} ways to draw speeds, {} runs per point, beta=auto",
                  figure.scenarios.size(), runs),
      [=](std::uint64_t seed) { return questions(figure, seed); },
      [=](const std::vector<Record>& records, std::uint64_t) { return judge(figure, records); }};
}

}  // namespace damocles
