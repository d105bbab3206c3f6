#include "experiments/figures/threshold_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/platforms/scenario.hpp"
#include "ode/best_beta.hpp"

namespace damocles {
namespace {

constexpr double beta_step = 0.25;
constexpr int beta_steps = 36;
constexpr std::size_t runs_a_point = 20;
/// "Close to optimal": at most this much above the lowest point of the sweep.
constexpr double near_optimum = 0.01;
/// "A few percent", rounded to whole percents: 1 to 5.
constexpr double few_percent_from = 0.005;
constexpr double few_percent_to = 0.055;
/// "Close to": within this share. "Range of values of interest": at most this much above the least.
constexpr double close_enough = 0.05;
constexpr double of_interest = 0.1;

std::string strategy(int i) { return fmt::format("dynamic-2phases:beta={}", beta_step * i); }

const std::vector<double>& simulated_at(const SweepRun& run, int i) {
  return run.volumes.simulated(strategy(i), run.sweep.platform());
}

/// The step with the lowest mean.
int lowest(const SweepRun& run) {
  int best = 1;
  for (int i = 2; i <= beta_steps; ++i) {
    if (sample(simulated_at(run, i)).mean < sample(simulated_at(run, best)).mean) best = i;
  }
  return best;
}

/// The runs at any beta of the sweep, each interpolated between its two neighbours.
std::vector<double> interpolated(const SweepRun& run, double beta) {
  const int below = std::clamp(static_cast<int>(beta / beta_step), 1, beta_steps - 1);
  const double weight = beta / beta_step - below;
  std::vector<double> values = simulated_at(run, below);
  const auto& above = simulated_at(run, below + 1);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += weight * (above.at(i) - values[i]);
  return values;
}

Answer in_the_valley(const SweepRun& run, double beta, const std::string& whose) {
  const int best = lowest(run);
  const Sample bottom = sample(simulated_at(run, best));
  const Sample above = paired(simulated_at(run, best), interpolated(run, beta));
  return holds_or_not(
      above.mean <= near_optimum * bottom.mean,
      fmt::format("the runs at {} beta load at most {} more than at the best of the sweep", whose,
                  percent(near_optimum)),
      fmt::format("at beta {:.4f} {:.2f} +- {:.2f} % more ({} at beta={}, sd {:.3f})", beta,
                  100 * above.mean / bottom.mean, 100 * above.ci95 / bottom.mean, with_ci(bottom),
                  beta_step * best, bottom.sd));
}

Answer fits(const SweepRun& run, double first, double last, const std::string& asked) {
  std::vector<std::string> numbers;
  std::vector<std::string> wrong;
  std::size_t points = 0;
  for (const auto& model : run.sweep.models()) {
    Extremes off;
    for (int i = 1; i <= beta_steps; ++i) {
      if (beta_step * i < first || beta_step * i > last) continue;
      const std::string at = fmt::format("beta={}", beta_step * i);
      const double here = std::abs(run.volumes.deviation(model, strategy(i), run.sweep.platform()));
      off.see(here, at);
      if (model != "paper") continue;
      ++points;
      if (here >= accurate) wrong.push_back(at);
    }
    numbers.push_back(fmt::format("{} {} ({})", model, percent(off.max), off.at_max));
  }
  return holds_but(wrong.size(), points, list(wrong), asked, "off by at most: " + list(numbers));
}

double ratio_to(const SweepRun& run, int i, const char* name) {
  return sample(simulated_at(run, i)).mean /
         sample(run.volumes.simulated(name, run.sweep.platform())).mean;
}

Answer is_close_to(const SweepRun& run, int i, const char* name) {
  const double ratio = ratio_to(run, i, name);
  return holds_or_not(std::abs(ratio - 1) <= close_enough,
                      fmt::format("with {} of the tasks left to phase 2 within {} of {}",
                                  percent(std::exp(-beta_step * i)), percent(close_enough), name),
                      fmt::format("{:.3f} times {}", ratio, name));
}

}  // namespace

std::vector<Experiment> ThresholdSweep::experiments(std::uint64_t seed) const {
  Experiment sweep{.workload = Workload::parse(workload_),
                   .scenario = Scenario::parse(platform_),
                   .models = models_,
                   .replicates = runs_a_point,
                   .seed = seed};
  for (int i = 1; i <= beta_steps; ++i) sweep.strategies.push_back(strategy(i));
  Experiment others = sweep;
  others.strategies = {"random", "sorted", "dynamic"};
  others.models.clear();
  return {sweep, others};
}

std::string ThresholdSweep::setting() const {
  return fmt::format("{}, {}, beta = {}, {}, ..., {}, {} runs per point", workload_, platform_,
                     beta_step, 2 * beta_step, beta_steps * beta_step, runs_a_point);
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

std::function<Answer(const SweepRun&)> analysis_fits(double first, double last) {
  return [=](const SweepRun& run) {
    return fits(run, first, last,
                fmt::format("the printed formula within {} for {} <= beta <= {}", percent(accurate),
                            first, last));
  };
}

Answer analysis_fits_where_it_matters(const SweepRun& run) {
  const double least = sample(simulated_at(run, lowest(run))).mean;
  Extremes range;
  for (int i = 1; i <= beta_steps; ++i) {
    if (sample(simulated_at(run, i)).mean <= (1 + of_interest) * least)
      range.see(beta_step * i, "");
  }
  return fits(run, range.min, range.max,
              fmt::format("the printed formula within {} where the runs load at most {} more than "
                          "the least, {} <= beta <= {}; the paper prints no range",
                          percent(accurate), percent(of_interest), range.min, range.max));
}

Answer best_lies_in_the_valley(const SweepRun& run) {
  return in_the_valley(run, run.sweep.best("paper", run.seed), "the formula's best");
}

std::function<Answer(const SweepRun&)> lies_in_the_valley(double beta) {
  return [=](const SweepRun& run) { return in_the_valley(run, beta, "the paper's"); };
}

Answer few_percent_are_left(const SweepRun& run) {
  const int best = lowest(run);
  const double left = std::exp(-beta_step * best);
  Extremes valley;
  for (int i = 1; i <= beta_steps; ++i) {
    const Sample above = paired(simulated_at(run, best), simulated_at(run, i));
    if (above.mean <= above.ci95) valley.see(std::exp(-beta_step * i), "");
  }
  return holds_or_not(
      left >= few_percent_from && left < few_percent_to,
      "1 to 5 % of the tasks, rounded, are left to phase 2",
      fmt::format(
          "lowest with {} left ({} at beta={}, sd {:.3f}); not told apart from it at 95 %: {} to {}",
          percent(left), with_ci(sample(simulated_at(run, best))), beta_step * best,
          sample(simulated_at(run, best)).sd, percent(valley.min), percent(valley.max)));
}

Answer two_phases_help(const SweepRun& run) {
  const int best = lowest(run);
  const Sample more =
      paired(simulated_at(run, best), run.volumes.simulated("dynamic", run.sweep.platform()));
  return holds_or_not(more.mean > more.ci95,
                      "at the best threshold less than dynamic, at 95 %, paired",
                      fmt::format("dynamic loads {} more ({:.1f} %)", with_ci(more),
                                  100 * (1 / ratio_to(run, best, "dynamic") - 1)));
}

Answer early_is_random(const SweepRun& run) { return is_close_to(run, 1, "random"); }
Answer late_is_dynamic(const SweepRun& run) { return is_close_to(run, beta_steps, "dynamic"); }

Claim threshold_claim(const std::string& id, const std::string& statement,
                      const ThresholdSweep& sweep, const std::vector<SweepTest>& tests) {
  return {id,
          statement,
          sweep.setting(),
          sentences_of(tests),
          [=](std::uint64_t seed) { return sweep.experiments(seed); },
          [=](const std::vector<Record>& records, std::uint64_t seed) {
            const Volumes volumes(records);
            return Answers{
                answers_to(tests, SweepRun{sweep, volumes, seed}), {}, sweep.best_by_model(seed)};
          }};
}

}  // namespace damocles
