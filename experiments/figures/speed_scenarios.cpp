#include "experiments/figures/speed_scenarios.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/median.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

constexpr std::size_t runs_a_scenario = 50;
/// "Very little impact", "not notably": within this share of a strategy's median.
constexpr double little = 0.1;

std::vector<Experiment> experiments(const ScenarioFigure& figure, std::uint64_t seed) {
  std::vector<Experiment> result;
  for (const auto& scenario : figure.scenarios) {
    Experiment experiment{.workload = Workload::parse(scenario_workload),
                          .scenario = Scenario::parse(scenario.platform),
                          .strategies = {"random", "sorted", "dynamic"},
                          .models = {"refined"},
                          .replicates = runs_a_scenario,
                          .seed = seed};
    result.push_back(experiment);
    experiment.strategies = {"dynamic-2phases"};
    experiment.models = {"paper", "refined"};
    result.push_back(experiment);
  }
  return result;
}

double mean(const ScenarioRun& run, const std::string& strategy, const SpeedScenario& scenario) {
  return sample(run.volumes.simulated(strategy, scenario.platform)).mean;
}

double median_over_scenarios(const ScenarioRun& run, const std::string& strategy) {
  std::vector<double> means;
  for (const auto& scenario : run.scenarios) means.push_back(mean(run, strategy, scenario));
  return median(std::move(means));
}

}  // namespace

Answer impact_is_little(const ScenarioRun& run) {
  std::vector<std::string> numbers;
  std::vector<std::string> notable;
  for (const auto& name : hpdc14_strategies) {
    const double median = median_over_scenarios(run, name);
    Extremes means;
    for (const auto& scenario : run.scenarios) {
      const double here = mean(run, name, scenario);
      means.see(here, scenario.label);
      if (std::abs(here / median - 1) > little)
        notable.push_back(fmt::format("{} at {}", name, scenario.label));
    }
    numbers.push_back(fmt::format("{} {:.3f} ({}) to {:.3f} ({}), {:+.1f} to {:+.1f} %", name,
                                  means.min, means.at_min, means.max, means.at_max,
                                  100 * (means.min / median - 1), 100 * (means.max / median - 1)));
  }
  return holds_but(
      notable.size(), hpdc14_strategies.size() * run.scenarios.size(), list(notable),
      fmt::format("the mean of every strategy within {} of its median over the scenarios",
                  percent(little)),
      list(numbers));
}

Answer ranking_is_the_same(const ScenarioRun& run) {
  std::vector<std::string> broken;
  Extremes lead;
  Extremes sorted_over_random;
  for (const auto& scenario : run.scenarios) {
    const double random = mean(run, "random", scenario);
    const double sorted = mean(run, "sorted", scenario);
    const double dynamic = mean(run, "dynamic", scenario);
    const double with_two_phases = mean(run, "dynamic-2phases", scenario);
    lead.see(dynamic / with_two_phases, scenario.label);
    sorted_over_random.see(sorted / random, scenario.label);
    if (!(with_two_phases < dynamic && dynamic < std::min(random, sorted)))
      broken.push_back(scenario.label);
  }
  return holds_but(
      broken.size(), run.scenarios.size(), list(broken),
      "dynamic-2phases < dynamic < random and sorted in every scenario, means",
      fmt::format(
          "dynamic loads {:.2f} ({}) to {:.2f} ({}) times what dynamic-2phases does; sorted {:.2f} ({}) to {:.2f} ({}) times what random does",
          lead.min, lead.at_min, lead.max, lead.at_max, sorted_over_random.min,
          sorted_over_random.at_min, sorted_over_random.max, sorted_over_random.at_max));
}

Answer analysis_keeps_its_accuracy(const ScenarioRun& run) {
  std::vector<std::string> numbers;
  std::vector<std::string> wrong;
  for (const char* model : {"paper", "refined"}) {
    Extremes off;
    for (const auto& [label, platform] : run.scenarios) {
      const double here = std::abs(run.volumes.deviation(model, "dynamic-2phases", platform));
      off.see(here, label);
      if (std::string(model) == "paper" && here > accurate) wrong.push_back(label);
    }
    numbers.push_back(fmt::format("{} {} ({})", model, percent(off.max), off.at_max));
  }
  return holds_but(wrong.size(), run.scenarios.size(), list(wrong),
                   fmt::format("the printed formula within {} of the runs, from the initial speeds",
                               percent(accurate)),
                   "off by at most: " + list(numbers));
}

Claim scenario_claim(const ScenarioFigure& figure, const std::vector<ScenarioTest>& tests) {
  return {figure.id,
          figure.statement,
          fmt::format("{}, p=20, {} ways to draw speeds, {} runs per point, beta=auto",
                      scenario_workload, figure.scenarios.size(), runs_a_scenario),
          sentences_of(tests),
          [=](std::uint64_t seed) { return experiments(figure, seed); },
          [=](const std::vector<Record>& records, std::uint64_t seed) {
            const Volumes volumes(records);
            return Answers{answers_to(tests, ScenarioRun{figure.scenarios, volumes, seed})};
          }};
}

}  // namespace damocles
