#include "experiments/figures/speed_scenarios.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace damocles {
namespace {

constexpr std::size_t runs = 50;
/// "Very little impact": the means of a strategy lie within this share of each other.
constexpr double little = 0.1;
const std::vector<std::string> all{"random", "sorted", "dynamic", "dynamic-2phases"};

std::vector<Question> questions(const ScenarioFigure& figure, std::uint64_t seed) {
  std::vector<Question> result;
  for (const auto& platform : figure.platforms) {
    Question question{Workload::parse("outer:n=100"),
                      Scenario::parse(platform),
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

/// The ranking changes where one strategy significantly loads more than another in one scenario and
/// significantly less in another.
Check ranking_is_the_same(const ScenarioFigure& figure, const Volumes& volumes) {
  std::string changes;
  double least = std::numeric_limits<double>::infinity();
  std::string nearest;
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      Extremes significant;
      for (const auto& platform : figure.platforms) {
        const Sample gap =
            paired(volumes.simulated(all[a], platform), volumes.simulated(all[b], platform));
        if (std::abs(gap.mean) > gap.ci95) significant.see(gap.mean, platform);
        if (std::abs(gap.mean) >= least) continue;
        least = std::abs(gap.mean);
        nearest = fmt::format("{} over {} by {} at {}", all[b], all[a], with_ci(gap), platform);
      }
      if (significant.min >= 0 || significant.max <= 0) continue;
      changes +=
          fmt::format(" {} over {} by {:.3f} at {} but {:.3f} at {};", all[b], all[a],
                      significant.min, significant.at_min, significant.max, significant.at_max);
    }
  }
  return {changes.empty(),
          fmt::format("ranking {} in all {} scenarios;{} nearest pair: {} (paired)",
                      changes.empty() ? "the same" : "not the same", figure.platforms.size(),
                      changes, nearest)};
}

Check impact_is_little(const ScenarioFigure& figure, const Volumes& volumes) {
  std::string numbers;
  bool holds = true;
  for (const auto& name : all) {
    Extremes mean;
    Extremes sd;
    for (const auto& platform : figure.platforms) {
      const Sample here = sample(volumes.simulated(name, platform));
      mean.see(here.mean, platform);
      sd.see(here.sd, platform);
    }
    const double spread = mean.max / mean.min - 1;
    holds = holds && spread < little;
    numbers += fmt::format("{}{} {:.3f} ({}) to {:.3f} ({}), {}, sd at most {:.3f}",
                           numbers.empty() ? "" : "; ", name, mean.min, mean.at_min, mean.max,
                           mean.at_max, percent(spread), sd.max);
  }
  return {holds, fmt::format("means over the scenarios: {}; asked {}", numbers, percent(little))};
}

Check analysis_keeps_its_accuracy(const ScenarioFigure& figure, const Volumes& volumes) {
  std::string numbers;
  for (const char* model : {"paper", "refined"}) {
    Extremes off;
    for (const auto& platform : figure.platforms)
      off.see(std::abs(volumes.deviation(model, "dynamic-2phases", platform)), platform);
    numbers += fmt::format("{}{} {} ({})", numbers.empty() ? "" : ", ", model, percent(off.max),
                           off.at_max);
  }
  return {std::nullopt, "analysis of dynamic-2phases off by at most: " + numbers};
}

}  // namespace

Claim scenario_claim(const ScenarioFigure& figure) {
  return {figure.id, figure.statement,
          fmt::format("outer:n=100, p=20, {} ways to draw speeds, {} runs per point, beta=auto",
                      figure.platforms.size(), runs),
          [=](std::uint64_t seed) { return questions(figure, seed); },
          [=](const std::vector<Record>& records, std::uint64_t) {
            const Volumes volumes(records);
            return judged({ranking_is_the_same(figure, volumes), impact_is_little(figure, volumes),
                           analysis_keeps_its_accuracy(figure, volumes)});
          }};
}

}  // namespace damocles
