#include "experiments/recommend/recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "experiments/recommend/expectations.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/rows.hpp"
#include "models/error.hpp"
#include "models/parallel.hpp"
#include "models/platforms/energy.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

constexpr std::size_t most_compared = 6;  // of the best ones, where something is not as expected

double sum_of(const std::vector<std::uint64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
}

double measured_goal(const Trace& trace, const Platform& platform, Goal goal) {
  if (goal == Goal::time) return trace.makespan_s;
  if (goal == Goal::energy) return energy_j(*platform.machine, trace);
  return platform.machine ? sum_of(trace.bytes_loaded) : sum_of(trace.loads);
}

void refuse_unknown_goal(const Experiment& experiment, Goal goal) {
  const auto& machine = experiment.scenario.machine();
  if (goal == Goal::energy && !(machine && machine->has_powers())) {
    throw InvalidInput(fmt::format(
        "--for energy: '{}' does not say what processors draw; add power=, as gpus:k=2,power=300W",
        experiment.scenario.text()));
  }
  if (goal == Goal::time && !machine) {
    throw InvalidInput(fmt::format(
        "--for time: with unlimited memory transfers take no time; give --for bytes, or a platform as gpus:k={},memory=500MB",
        experiment.scenario.processors()));
  }
}

double bound_of(const Experiment& experiment, Goal goal) {
  const Platform platform = experiment.scenario.draw(experiment.seed, 0);
  if (goal == Goal::energy) return 0;
  if (goal == Goal::time) return run_bounds(experiment, platform, 0).makespan_s;
  const double lower = volume_bounds(experiment.workload, platform).lower;
  if (!platform.machine) return lower;
  const auto bytes = experiment.workload.graph().uniform_bytes();
  return bytes ? lower * static_cast<double>(*bytes) : 0;
}

/// What is not as expected, of platforms that have it.
struct Doubtful {
  std::string name;
  void (*apply)(Platform&);
};

std::vector<Doubtful> doubtful(const Experiment& experiment) {
  if (!experiment.scenario.machine()) return {};
  return {{"the bus is half as fast",
           [](Platform& platform) { platform.machine = platform.machine->with_rates_times(0.5); }},
          {"tasks take 20 % more or less than expected",
           [](Platform& platform) { platform.machine->noise = Noise{sigma_of_variation(0.2)}; }}};
}

double mean_under(const Experiment& experiment, const std::string& strategy, Goal goal,
                  const Doubtful& change, std::uint64_t runs) {
  const ResolvedStrategy resolved = resolve_strategy(strategy, experiment);
  double sum = 0;
  for (std::uint64_t replicate = 0; replicate < runs; ++replicate) {
    Platform platform = experiment.scenario.draw(experiment.seed, replicate);
    change.apply(platform);
    sum += measured_goal(
        simulate(experiment.workload, platform, resolved.choice, experiment.seed, replicate),
        platform, goal);
  }
  return sum / static_cast<double>(runs);
}

std::vector<Doubt> doubts(const Experiment& experiment, Goal goal, const Race& race) {
  constexpr std::uint64_t runs = 3;
  const std::size_t compared = std::min(most_compared, race.runners.size());
  std::vector<Doubt> result;
  for (const Doubtful& change : doubtful(experiment)) {
    std::vector<double> means(compared);
    in_parallel(compared, [&](std::uint64_t k) {
      means[k] = mean_under(experiment, race.runners[k].strategy, goal, change, runs);
    });
    const auto best = std::min_element(means.begin(), means.end());
    result.push_back({change.name,
                      race.runners[static_cast<std::size_t>(best - means.begin())].strategy,
                      relative_difference(means[0], *best)});
  }
  return result;
}

}  // namespace

std::string name_in_starpu(const std::string& strategy) {
  // Ours that differ in name alone.
  if (strategy == "random-by-speed") return "random";
  static constexpr std::array same{"eager",  "prio",  "ws",        "lws",   "dm",
                                   "dmda",   "dmdap", "dmdar",     "dmdas", "dmdasd",
                                   "peager", "pheft", "heteroprio"};
  const bool known = std::find(same.begin(), same.end(), strategy) != same.end();
  return known || strategy.starts_with("modular-") ? strategy : "";
}

Advice advise(const Experiment& experiment, Goal goal, const AdviceTerms& terms) {
  refuse_unknown_goal(experiment, goal);
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(terms.within);
  Advice result;
  result.goal = goal;
  result.bound = bound_of(experiment, goal);
  std::vector<std::string> racing = experiment.strategies;
  if (terms.predicting) {
    auto [likely, losers] = expectations(experiment, goal, until);
    racing = std::move(likely);
    result.predicted_losers = std::move(losers);
  }
  result.race = race(
      racing, result.bound,
      [&](const std::string& strategy, std::uint64_t replicate) {
        const ResolvedStrategy resolved = resolve_strategy(strategy, experiment);
        const Platform platform = experiment.scenario.draw(experiment.seed, replicate);
        return measured_goal(
            simulate(experiment.workload, platform, resolved.choice, experiment.seed, replicate),
            platform, goal);
      },
      until);
  for (const Runner& runner : result.race.runners) {
    result.starpu_name = name_in_starpu(runner.strategy);
    if (result.starpu_name.empty()) continue;
    result.of_starpu = runner.strategy;
    break;
  }
  if (terms.doubting && !result.race.out_of_time)
    result.doubts = doubts(experiment, goal, result.race);
  return result;
}

}  // namespace damocles
