#include "experiments/figures/volume_vs_processors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

/// "Significantly less", "largely outperform": by this factor, in the mean over p.
constexpr double far = 1.5;
/// "Indistinguishable on the figures": 1 mm of a figure 5 cm high, from 0 to its highest line.
constexpr double line_width = 0.02;
/// "The standard deviation is typically smaller than 0.1": in this share of the points.
constexpr double small_sd = 0.1;
constexpr double typically = 0.9;

const std::vector<std::string> plain{"random", "sorted"};

std::string at(std::size_t p) { return fmt::format("p={}", p); }

/// The largest deviations of a model: where the paper claims its analysis, and elsewhere.
std::array<Extremes, 2> deviations(const VolumeRun& run, const std::string& model) {
  std::array<Extremes, 2> off;
  for (const auto p : figure_processors) {
    const double here = run.volumes.deviation(model, "dynamic-2phases", figure_platform(p));
    off.at(p >= run.figure.analysed_from ? 0 : 1).see(std::abs(here), at(p));
  }
  return off;
}

std::string accuracy(const VolumeRun& run) {
  std::string numbers;
  for (const auto& model : run.figure.models) {
    const auto [claimed, elsewhere] = deviations(run, model);
    numbers += fmt::format("{}{} {} ({})", numbers.empty() ? "" : ", ", model, percent(claimed.max),
                           claimed.at_max);
    if (elsewhere.at_max.empty()) continue;
    numbers += fmt::format(" and below it {} ({})", percent(elsewhere.max), elsewhere.at_max);
  }
  return numbers;
}

}  // namespace

std::string figure_platform(std::size_t processors) {
  return fmt::format("uniform:p={},lo=10,hi=100", processors);
}

std::vector<Experiment> volume_experiments(const VolumeFigure& figure, std::uint64_t seed) {
  std::vector<Experiment> experiments;
  for (const auto p : figure_processors) {
    Experiment experiment{.workload = Workload::parse(figure.workload),
                          .scenario = Scenario::parse(figure_platform(p)),
                          .strategies = {"random", "sorted", "dynamic"},
                          .models = {"refined"},
                          .replicates = figure.replicates,
                          .seed = seed};
    experiments.push_back(experiment);
    experiment.strategies = {"dynamic-2phases"};
    experiment.models = figure.models;
    experiments.push_back(experiment);
  }
  return experiments;
}

Answer data_aware_is_far_below(const VolumeRun& run) {
  Extremes factor;
  double sum = 0;
  bool significant = true;
  for (const auto p : figure_processors) {
    double least = std::numeric_limits<double>::infinity();
    const auto& dynamic = run.volumes.simulated("dynamic", figure_platform(p));
    for (const auto& name : plain) {
      const auto& other = run.volumes.simulated(name, figure_platform(p));
      least = std::min(least, sample(other).mean / sample(dynamic).mean);
      const Sample gap = paired(dynamic, other);
      significant = significant && gap.mean > gap.ci95;
    }
    factor.see(least, at(p));
    sum += least;
  }
  const double mean = sum / static_cast<double>(figure_processors.size());
  return holds_or_not(
      significant && mean >= far,
      fmt::format(
          "random and sorted load at least {} times what dynamic does, mean over p; more at every p, at 95 %",
          far),
      fmt::format("{:.2f} times, {:.2f} ({}) to {:.2f} ({}); {} at every p", mean, factor.min,
                  factor.at_min, factor.max, factor.at_max,
                  significant ? "significant" : "not significant"));
}

Answer two_phases_is_lowest(const VolumeRun& run) {
  double least = std::numeric_limits<double>::infinity();
  std::string nearest;
  std::vector<std::string> beaten;
  for (const auto p : figure_processors) {
    const auto& ours = run.volumes.simulated("dynamic-2phases", figure_platform(p));
    double here = std::numeric_limits<double>::infinity();
    for (const auto& name : hpdc14_strategies) {
      if (name == "dynamic-2phases") continue;
      const Sample gap = paired(ours, run.volumes.simulated(name, figure_platform(p)));
      here = std::min(here, gap.mean);
      if (gap.mean >= least) continue;
      least = gap.mean;
      nearest = fmt::format("{} at {} with {} more", name, at(p), with_ci(gap));
    }
    if (here <= 0) beaten.push_back(at(p));
  }
  return holds_but(beaten.size(), figure_processors.size(), list(beaten),
                   "dynamic-2phases loads least at every p",
                   fmt::format("nearest {} (paired)", nearest));
}

Answer analysis_is_indistinguishable(const VolumeRun& run) {
  const std::string& model = run.figure.models.front();
  double height = 0;
  for (const auto p : figure_processors) {
    for (const auto& name : hpdc14_strategies) {
      height = std::max(height, sample(run.volumes.simulated(name, figure_platform(p))).mean);
    }
  }
  Extremes off;
  std::vector<std::string> apart;
  for (const auto p : figure_processors) {
    const double runs = sample(run.volumes.simulated("dynamic-2phases", figure_platform(p))).mean;
    const double line = run.volumes.predicted(model, "dynamic-2phases", figure_platform(p));
    const double here = std::abs(line - runs) / height;
    off.see(here, at(p));
    if (here >= line_width) apart.push_back(at(p));
  }
  return holds_but(apart.size(), figure_processors.size(), list(apart),
                   fmt::format("the printed formula less than {} of the figure's height off",
                               percent(line_width)),
                   fmt::format("at most {} of the height ({})", percent(off.max), off.at_max));
}

Answer analysis_is_accurate(const VolumeRun& run) {
  std::vector<std::string> off;
  std::size_t points = 0;
  for (const auto p : figure_processors) {
    if (p < run.figure.analysed_from) continue;
    ++points;
    const double here =
        run.volumes.deviation(run.figure.models.front(), "dynamic-2phases", figure_platform(p));
    if (std::abs(here) >= accurate) off.push_back(at(p));
  }
  const std::string from =
      run.figure.analysed_from > 1 ? fmt::format(" for p >= {}", run.figure.analysed_from) : "";
  return holds_but(off.size(), points, list(off),
                   fmt::format("the printed formula within {}{}", percent(accurate), from),
                   "off by at most: " + accuracy(run));
}

Answer deviation_is_small(const VolumeRun& run) {
  Extremes sd;
  std::size_t small = 0;
  for (const auto p : figure_processors) {
    for (const auto& name : hpdc14_strategies) {
      const double here = sample(run.volumes.simulated(name, figure_platform(p))).sd;
      sd.see(here, fmt::format("{} {}", name, at(p)));
      small += here < small_sd ? 1 : 0;
    }
  }
  const std::size_t points = figure_processors.size() * hpdc14_strategies.size();
  Answer answer = holds_or_not(
      static_cast<double>(small) >= typically * static_cast<double>(points),
      fmt::format("sd below {} in {} of the points", small_sd, percent(typically)),
      fmt::format("in {} of {} points, largest {:.3f} ({})", small, points, sd.max, sd.at_max));
  if (answer.verdict == Verdict::confirmed || 2 * small < points) return answer;
  answer.verdict = Verdict::in_direction;
  answer.reason = fmt::format("in {:.0f} % of the points, up to a factor {:.1f}",
                              100 * static_cast<double>(small) / static_cast<double>(points),
                              sd.max / small_sd);
  return answer;
}

Answer spread_keeps_the_ranking(const VolumeRun& run) {
  std::size_t broken = 0;
  std::size_t swapped = 0;
  for (const auto p : figure_processors) {
    const auto of = [&](const std::string& name) -> const std::vector<double>& {
      return run.volumes.simulated(name, figure_platform(p));
    };
    const bool random_first = sample(of("random")).mean < sample(of("sorted")).mean;
    for (std::size_t i = 0; i < run.figure.replicates; ++i) {
      const double others = std::min(of("random")[i], of("sorted")[i]);
      const double dynamic = of("dynamic")[i];
      broken += of("dynamic-2phases")[i] < dynamic && dynamic < others ? 0 : 1;
      swapped += (of("random")[i] < of("sorted")[i]) == random_first ? 0 : 1;
    }
  }
  const std::size_t runs = figure_processors.size() * run.figure.replicates;
  return holds_but(broken, runs, fmt::format("{} of {} runs", broken, runs),
                   "dynamic-2phases < dynamic < random and sorted in every single run",
                   fmt::format("in {} of {} (random and sorted change places in {})", runs - broken,
                               runs, swapped));
}

std::vector<VolumeTest> of_the_spread() {
  return {{{"the standard deviation is typically smaller than 0.1 for any point", "3.2",
            Weight::remark},
           deviation_is_small},
          {{"it never impacts the ranking of the strategies", "3.2", Weight::remark},
           spread_keeps_the_ranking}};
}

std::vector<VolumeTest> with_those_of_the_outer_product(std::vector<VolumeTest> tests) {
  tests.push_back({{"it models our strategy accurately even for relatively small p and N/l", "3.4",
                    Weight::remark},
                   analysis_is_accurate});
  tests.push_back({{"two phases reduce the communication further", "3.2", Weight::remark},
                   two_phases_is_lowest});
  for (auto& test : of_the_spread()) tests.push_back(std::move(test));
  return tests;
}

std::vector<VolumeTest> of_the_matrix_product() {
  std::vector<VolumeTest> all{
      {{"data-aware strategies largely outperform simple strategies", "4.3"},
       data_aware_is_far_below},
      {{"DynamicMatrix2Phases reduces the communication even more than DynamicMatrix", "4.3"},
       two_phases_is_lowest},
      {{"for p >= 50 the analysis very accurately predicts DynamicMatrix2Phases", "4.3"},
       analysis_is_accurate}};
  for (auto& test : of_the_spread()) all.push_back(std::move(test));
  return all;
}

Claim volume_claim(const VolumeFigure& figure, const std::vector<VolumeTest>& tests) {
  return {figure.id,
          figure.statement,
          fmt::format("{}, p in {{10, ..., 300}}, speeds U[10,100], {} runs per point, beta=auto",
                      figure.workload, figure.replicates),
          sentences_of(tests),
          [=](std::uint64_t seed) { return volume_experiments(figure, seed); },
          [=](const std::vector<Record>& records, std::uint64_t seed) {
            const Volumes volumes(records);
            return Answers{answers_to(tests, VolumeRun{figure, volumes, seed})};
          }};
}

}  // namespace damocles
