#include "experiments/figures/threshold_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ode/best_beta.hpp"

namespace damocles {
namespace {

constexpr double step = 0.25;
constexpr int steps = 36;
constexpr std::size_t runs = 20;
/// "Close to optimal": at most this much above the lowest point of the sweep.
constexpr double near_optimum = 0.01;
/// "A few percent", rounded to whole percents: 1 to 5.
constexpr double fewest = 0.005;
constexpr double most = 0.055;

std::string strategy(int i) { return fmt::format("dynamic-2phases:beta={}", step * i); }

const std::vector<double>& simulated(const SweepRun& run, int i) {
  return run.volumes.simulated(strategy(i), run.sweep.platform());
}

/// The step with the lowest mean.
int lowest(const SweepRun& run) {
  int best = 1;
  for (int i = 2; i <= steps; ++i) {
    if (sample(simulated(run, i)).mean < sample(simulated(run, best)).mean) best = i;
  }
  return best;
}

/// The runs at any beta of the sweep, each interpolated between its two neighbours.
std::vector<double> interpolated(const SweepRun& run, double beta) {
  const int below = std::clamp(static_cast<int>(beta / step), 1, steps - 1);
  const double weight = beta / step - below;
  std::vector<double> values = simulated(run, below);
  const auto& above = simulated(run, below + 1);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += weight * (above.at(i) - values[i]);
  return values;
}

Check in_the_valley(const SweepRun& run, double beta, const std::string& whose) {
  const int best = lowest(run);
  const Sample bottom = sample(simulated(run, best));
  const Sample above = paired(simulated(run, best), interpolated(run, beta));
  return {above.mean <= near_optimum * bottom.mean,
          fmt::format("at {} beta {:.4f} the runs load {:.2f} +- {:.2f} % more than at the best "
                      "of the sweep ({} at beta={}, sd {:.3f}), asked {}",
                      whose, beta, 100 * above.mean / bottom.mean, 100 * above.ci95 / bottom.mean,
                      with_ci(bottom), step * best, bottom.sd, percent(near_optimum))};
}

}  // namespace

std::vector<Question> ThresholdSweep::questions(std::uint64_t seed) const {
  Question sweep{
      Workload::parse(workload_), Scenario::parse(platform_), {}, models_, true, runs, seed};
  for (int i = 1; i <= steps; ++i) sweep.strategies.push_back(strategy(i));
  Question others = sweep;
  others.strategies = {"random", "sorted", "dynamic"};
  others.models.clear();
  return {sweep, others};
}

std::string ThresholdSweep::setting() const {
  return fmt::format("{}, {}, beta = {}, {}, ..., {}, {} runs per point", workload_, platform_,
                     step, 2 * step, steps * step, runs);
}

double ThresholdSweep::best(const std::string& model, std::uint64_t seed) const {
  const Platform platform = Scenario::parse(platform_).draw(seed, 0);
  const Problem problem(Workload::parse(workload_), platform.relative_speeds());
  return best_beta(model_named(model), problem).value_or(std::nan(""));
}

std::map<std::string, double> ThresholdSweep::best_by_model(std::uint64_t seed) const {
  std::map<std::string, double> result;
  for (const auto& model : models_) {
    const double beta = best(model, seed);
    if (!std::isnan(beta)) result[model] = beta;
  }
  return result;
}

SweepCheck analysis_fits(double first, double last) {
  return [=](const SweepRun& run) -> Check {
    std::string numbers;
    double paper = 0;
    for (const auto& model : run.sweep.models()) {
      Extremes off;
      for (int i = 1; i <= steps; ++i) {
        if (step * i < first || step * i > last) continue;
        off.see(std::abs(run.volumes.deviation(model, strategy(i), run.sweep.platform())),
                fmt::format("beta={}", step * i));
      }
      if (model == "paper") paper = off.max;
      numbers += fmt::format("{}{} {} ({})", numbers.empty() ? "" : ", ", model, percent(off.max),
                             off.at_max);
    }
    return {paper < line_width,
            fmt::format("for {} <= beta <= {} the models are off by at most: {}; asked {} of paper",
                        first, last, numbers, percent(line_width))};
  };
}

Check best_lies_in_the_valley(const SweepRun& run) {
  return in_the_valley(run, run.sweep.best("paper", run.seed), "the formula's best");
}

SweepCheck lies_in_the_valley(double beta) {
  return [=](const SweepRun& run) { return in_the_valley(run, beta, "the paper's"); };
}

Check few_percent_are_left(const SweepRun& run) {
  const int best = lowest(run);
  const double left = std::exp(-step * best);
  const auto ratio_to = [&](int i, const char* name) {
    return sample(simulated(run, i)).mean /
           sample(run.volumes.simulated(name, run.sweep.platform())).mean;
  };
  Extremes valley;
  for (int i = 1; i <= steps; ++i) {
    const Sample above = paired(simulated(run, best), simulated(run, i));
    if (above.mean <= above.ci95) valley.see(std::exp(-step * i), "");
  }
  return {left >= fewest && left < most,
          fmt::format("lowest with {} of the tasks left to phase 2 ({} at beta={}, sd {:.3f}), not "
                      "told apart from it at 95 %: {} to {}; asked 1 to 5 %; with {} left "
                      "{:.2f} times random, with {} left {:.2f} times dynamic",
                      percent(left), with_ci(sample(simulated(run, best))), step * best,
                      sample(simulated(run, best)).sd, percent(valley.min), percent(valley.max),
                      percent(std::exp(-step)), ratio_to(1, "random"),
                      percent(std::exp(-step * steps)), ratio_to(steps, "dynamic"))};
}

Claim threshold_claim(const std::string& id, const std::string& statement,
                      const ThresholdSweep& sweep, const std::vector<SweepCheck>& checks) {
  return {id, statement, sweep.setting(), [=](std::uint64_t seed) { return sweep.questions(seed); },
          [=](const std::vector<Record>& records, std::uint64_t seed) {
            const Volumes volumes(records);
            std::vector<Check> answers;
            answers.reserve(checks.size());
            for (const auto& check : checks) answers.push_back(check({sweep, volumes, seed}));
            Finding finding = judged(answers);
            finding.best_beta = sweep.best_by_model(seed);
            return finding;
          }};
}

}  // namespace damocles
