#include "experiments/figures/volume_vs_processors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace damocles {
namespace {

/// "Far below", "largely outperform": by this factor, in the mean over p.
constexpr double far = 1.5;
/// "The standard deviation is typically smaller than 0.1": in this share of the points.
constexpr double small_sd = 0.1;
constexpr double typically = 0.9;

const std::vector<std::string> plain{"random", "sorted"};
const std::vector<std::string> all{"random", "sorted", "dynamic", "dynamic-2phases"};

std::string at(std::size_t p) { return fmt::format("p={}", p); }

Check data_aware_is_far_below(const Volumes& volumes) {
  Extremes factor;
  double sum = 0;
  bool significant = true;
  for (const auto p : figure_processors) {
    double least = std::numeric_limits<double>::infinity();
    const auto& dynamic = volumes.simulated("dynamic", figure_platform(p));
    for (const auto& name : plain) {
      const auto& other = volumes.simulated(name, figure_platform(p));
      least = std::min(least, sample(other).mean / sample(dynamic).mean);
      const Sample gap = paired(dynamic, other);
      significant = significant && gap.mean > gap.ci95;
    }
    factor.see(least, at(p));
    sum += least;
  }
  const double mean = sum / static_cast<double>(figure_processors.size());
  return {
      significant && mean >= far,
      fmt::format("random and sorted load {:.2f} ({}) to {:.2f} ({}) times what dynamic does, mean "
                  "{:.2f}, asked {}; {} at 95 % for every p",
                  factor.min, factor.at_min, factor.max, factor.at_max, mean, far,
                  significant ? "significant" : "not significant")};
}

Check two_phases_is_lowest(const Volumes& volumes) {
  double least = std::numeric_limits<double>::infinity();
  std::string nearest;
  for (const auto p : figure_processors) {
    const auto& ours = volumes.simulated("dynamic-2phases", figure_platform(p));
    for (const auto& name : all) {
      if (name == "dynamic-2phases") continue;
      const Sample gap = paired(ours, volumes.simulated(name, figure_platform(p)));
      if (gap.mean >= least) continue;
      least = gap.mean;
      nearest = fmt::format("{} at {} with {} more", name, at(p), with_ci(gap));
    }
  }
  return {least > 0,
          fmt::format("dynamic-2phases lowest at every p, nearest {} (paired)", nearest)};
}

/// The largest deviations of a model: where the paper claims its analysis, and elsewhere.
std::array<Extremes, 2> deviations(const VolumeFigure& figure, const Volumes& volumes,
                                   const std::string& model) {
  std::array<Extremes, 2> off;
  for (const auto p : figure_processors) {
    const double here = volumes.deviation(model, "dynamic-2phases", figure_platform(p));
    off.at(p >= figure.analysed_from ? 0 : 1).see(std::abs(here), at(p));
  }
  return off;
}

/// The largest deviation of a model, where the paper claims it, as a share of the figure's height.
double drawn_deviation(const VolumeFigure& figure, const Volumes& volumes,
                       const std::string& model) {
  double height = 0;
  double off = 0;
  for (const auto p : figure_processors) {
    const auto mean = [&](const std::string& name) {
      return sample(volumes.simulated(name, figure_platform(p))).mean;
    };
    for (const auto& name : all) height = std::max(height, mean(name));
    if (p < figure.analysed_from) continue;
    off = std::max(off, std::abs(volumes.predicted(model, "dynamic-2phases", figure_platform(p)) -
                                 mean("dynamic-2phases")));
  }
  return off / height;
}

Check analysis_is_indistinguishable(const VolumeFigure& figure, const Volumes& volumes) {
  std::string numbers;
  for (const auto& model : figure.models) {
    const auto [claimed, elsewhere] = deviations(figure, volumes, model);
    numbers += fmt::format("{}{} {} ({})", numbers.empty() ? "" : ", ", model, percent(claimed.max),
                           claimed.at_max);
    if (elsewhere.at_max.empty()) continue;
    numbers += fmt::format(" and below it {} ({})", percent(elsewhere.max), elsewhere.at_max);
  }
  const std::string& ours = figure.models.front();
  const std::string from =
      figure.analysed_from > 1 ? fmt::format(" for p >= {}", figure.analysed_from) : "";
  return {deviations(figure, volumes, ours)[0].max < line_width,
          fmt::format("analysis of dynamic-2phases off by at most{}: {}; asked {} of {}, which is "
                      "off by {} of the figure's height at most",
                      from, numbers, percent(line_width), ours,
                      percent(drawn_deviation(figure, volumes, ours)))};
}

Check deviation_is_small(const Volumes& volumes) {
  Extremes sd;
  std::size_t small = 0;
  for (const auto p : figure_processors) {
    for (const auto& name : all) {
      const double here = sample(volumes.simulated(name, figure_platform(p))).sd;
      sd.see(here, fmt::format("{} {}", name, at(p)));
      small += here < small_sd ? 1 : 0;
    }
  }
  const std::size_t points = figure_processors.size() * all.size();
  return {static_cast<double>(small) >= typically * static_cast<double>(points),
          fmt::format("sd below {} in {} of {} points, largest {:.3f} ({})", small_sd, small,
                      points, sd.max, sd.at_max)};
}

Check spread_keeps_the_ranking(const VolumeFigure& figure, const Volumes& volumes) {
  std::size_t broken = 0;
  std::size_t swapped = 0;
  for (const auto p : figure_processors) {
    const auto of = [&](const std::string& name) -> const std::vector<double>& {
      return volumes.simulated(name, figure_platform(p));
    };
    const bool random_first = sample(of("random")).mean < sample(of("sorted")).mean;
    for (std::size_t run = 0; run < figure.replicates; ++run) {
      const double others = std::min(of("random")[run], of("sorted")[run]);
      const double dynamic = of("dynamic")[run];
      broken += of("dynamic-2phases")[run] < dynamic && dynamic < others ? 0 : 1;
      swapped += (of("random")[run] < of("sorted")[run]) == random_first ? 0 : 1;
    }
  }
  const std::size_t runs = figure_processors.size() * figure.replicates;
  return {broken == 0,
          fmt::format("dynamic-2phases < dynamic < random and sorted in {} of {} single runs "
                      "(random and sorted change places in {})",
                      runs - broken, runs, swapped)};
}

}  // namespace

std::string figure_platform(std::size_t processors) {
  return fmt::format("uniform:p={},lo=10,hi=100", processors);
}

std::vector<Question> volume_questions(const VolumeFigure& figure, std::uint64_t seed) {
  std::vector<Question> questions;
  for (const auto p : figure_processors) {
    Question question{Workload::parse(figure.workload),
                      Scenario::parse(figure_platform(p)),
                      {"random", "sorted", "dynamic"},
                      {"refined"},
                      true,
                      figure.replicates,
                      seed};
    questions.push_back(question);
    question.strategies = {"dynamic-2phases"};
    question.models = figure.models;
    questions.push_back(question);
  }
  return questions;
}

std::vector<Check> volume_checks(const VolumeFigure& figure, const Volumes& volumes) {
  std::vector<Check> checks{data_aware_is_far_below(volumes), two_phases_is_lowest(volumes)};
  if (!figure.models.empty()) checks.push_back(analysis_is_indistinguishable(figure, volumes));
  checks.push_back(deviation_is_small(volumes));
  checks.push_back(spread_keeps_the_ranking(figure, volumes));
  return checks;
}

std::string volume_setting(const VolumeFigure& figure) {
  return fmt::format("{}, p in {{10, ..., 300}}, speeds U[10,100], {} runs per point, beta=auto",
                     figure.workload, figure.replicates);
}

Claim volume_claim(const VolumeFigure& figure) {
  return {figure.id, figure.statement, volume_setting(figure),
          [=](std::uint64_t seed) { return volume_questions(figure, seed); },
          [=](const std::vector<Record>& records, std::uint64_t) {
            return judged(volume_checks(figure, Volumes(records)));
          }};
}

}  // namespace damocles
