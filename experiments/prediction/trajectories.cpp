#include "experiments/prediction/trajectories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "experiments/prediction/limited_trajectories.hpp"
#include "experiments/prediction/trajectory_curves.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/studies/rows.hpp"
#include "models/error.hpp"
#include "models/parallel.hpp"
#include "ode/trajectory.hpp"
#include "sim/simulate.hpp"

namespace damocles {
namespace {

constexpr std::array quantities{Quantity::open_tasks, Quantity::known_indices,
                                Quantity::open_outside};
constexpr std::size_t most_speeds = 5;  // curves that can be told apart
constexpr int field_instants = 400;

/// The speeds that have curves of their own: none where there are too many, or they drift.
std::vector<double> curve_speeds(const std::vector<Platform>& platforms) {
  std::vector<double> speeds;
  for (const auto& platform : platforms) {
    if (platform.drift != 0) return {};
    for (const double speed : platform.speeds) {
      if (std::find(speeds.begin(), speeds.end(), speed) == speeds.end()) speeds.push_back(speed);
      if (speeds.size() > most_speeds) return {};
    }
  }
  std::sort(speeds.begin(), speeds.end());
  return speeds.size() == 1 ? std::vector<double>{} : speeds;
}

/// The platform's own number for a speed that was computed.
double platform_speed(const Platform& platform, double computed) {
  return *std::min_element(platform.speeds.begin(), platform.speeds.end(), [&](double a, double b) {
    return std::abs(a - computed) < std::abs(b - computed);
  });
}

/// A simulated run, sampled. In phase 1 each request adds an index to every dimension not yet known
/// whole, so steps say what is known.
class SampledRun {
 public:
  SampledRun(const Experiment& experiment, const Platform& platform, double switch_at)
      : workload_(experiment.workload),
        platform_(platform),
        open_(experiment.workload.tasks()),
        switch_at_(switch_at),
        steps_(platform.processors(), 0) {}

  /// Once.
  RunCurves simulate(const Experiment& experiment, const ResolvedStrategy& resolved,
                     std::uint64_t replicate, const Curve& times) {
    (void)damocles::simulate(experiment.workload, platform_, resolved.choice, experiment.seed,
                             replicate, [&](double now, ProcessorId processor, const Grant& grant) {
                               sample_before(now, times);
                               if (static_cast<double>(open_) > switch_at_)
                                 ++steps_[raw(processor)];
                               open_ -= grant.tasks.size();
                             });
    sample_before(std::numeric_limits<double>::infinity(), times);
    return std::move(curves_);
  }

 private:
  void sample_before(double now, const Curve& times) {
    for (; sampled_ < times.size() && times[sampled_] < now; ++sampled_) sample();
  }

  void sample() {
    const double share = static_cast<double>(open_) / static_cast<double>(workload_.tasks());
    std::map<double, std::array<double, 3>> sums;  // by speed: processors, x, g
    const auto add = [&](double speed, double covered) {
      auto& [count, known, outside] = sums[speed];
      count += 1;
      known += std::pow(covered, 1.0 / workload_.dimensions());
      outside += open_ == 0 ? 0 : share / (1 - covered);
    };
    for (std::size_t p = 0; p < steps_.size(); ++p) {
      double covered = 1;
      for (int index = 0; index < workload_.dimensions(); ++index) {
        const auto extent = static_cast<double>(workload_.extent(index));
        covered *= std::min(1.0, static_cast<double>(steps_[p]) / extent);
      }
      add(0, covered);
      if (platform_.drift == 0) add(platform_.speeds[p], covered);
    }
    curves_[{Quantity::open_tasks, 0}].push_back(share);
    for (const auto& [speed, sum] : sums) {
      curves_[{Quantity::known_indices, speed}].push_back(sum[1] / sum[0]);
      curves_[{Quantity::open_outside, speed}].push_back(sum[2] / sum[0]);
    }
  }

  const Workload& workload_;
  const Platform& platform_;
  std::uint64_t open_;
  double switch_at_;
  std::vector<std::uint64_t> steps_;
  std::size_t sampled_ = 0;
  RunCurves curves_;
};

/// The mean field of one platform, at these times.
RunCurves integrated(const Experiment& experiment, const Platform& platform, double beta,
                     const Curve& times) {
  const Problem problem(experiment.workload, platform);
  const auto instants = field_trajectory(problem, beta, field_instants);
  const double unit = platform.mean_speed();
  const std::size_t groups = instants.front().known.size();
  RunCurves curves;
  for (const double time : times) {
    const auto after = std::partition_point(
        instants.begin(), instants.end(),
        [&](const FieldInstant& instant) { return instant.time < time * unit; });
    const auto& right = after == instants.end() ? instants.back() : *after;
    const auto& left = after == instants.begin() ? right : *(after - 1);
    const double part = after == instants.end() || right.time <= left.time
                            ? 1
                            : (time * unit - left.time) / (right.time - left.time);
    const auto between = [&](double a, double b) { return a + part * (b - a); };
    curves[{Quantity::open_tasks, 0}].push_back(
        after == instants.end() ? 0 : between(left.open, right.open));
    std::array<double, 2> all{};
    double processors = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      const double known = between(left.known[g], right.known[g]);
      const double outside =
          after == instants.end() ? 0 : between(left.outside[g], right.outside[g]);
      const double count = groups == 1 ? 1 : problem.groups()[g].count;
      all[0] += count * known;
      all[1] += count * outside;
      processors += count;
      if (platform.drift != 0) continue;
      const double speed =
          platform_speed(platform, problem.groups()[g].share * unit * problem.processors());
      curves[{Quantity::known_indices, speed}].push_back(known);
      curves[{Quantity::open_outside, speed}].push_back(outside);
    }
    curves[{Quantity::known_indices, 0}].push_back(all[0] / processors);
    curves[{Quantity::open_outside, 0}].push_back(all[1] / processors);
  }
  return curves;
}

/// Instants up to a little after the end of the mean field of the first platform.
Curve sampling(const Experiment& experiment, const Platform& platform, double beta, int instants) {
  const auto field = field_trajectory({experiment.workload, platform}, beta, 2);
  const double end = field.back().time / platform.mean_speed() * 1.05;
  return instants_until(end, instants);
}

ResolvedStrategy checked_plan(const Experiment& experiment) {
  if (!experiment.workload.is_grid()) {
    throw InvalidInput(
        "with unlimited memory trajectory supports only outer: and matrix:, e.g. outer:n=100 homogeneous:p=20; give other workloads a platform like gpus:k=2,memory=500MB");
  }
  ResolvedStrategy chosen = resolve_strategy(experiment.strategies.front(), experiment);
  if (chosen.choice.entry->grows_until == nullptr || chosen.beta == 0.0) {
    throw InvalidInput(fmt::format(
        "'{}' has no index sets that grow; give --strategy dynamic, or dynamic-2phases with beta above 0",
        experiment.strategies.front()));
  }
  return chosen;
}

}  // namespace

const char* name(Quantity quantity) {
  switch (quantity) {
    case Quantity::open_tasks:
      return "open_tasks";
    case Quantity::known_indices:
      return "known_indices";
    case Quantity::open_outside:
      return "open_outside";
    case Quantity::unfinished_tasks:
      return "unfinished_tasks";
    case Quantity::loads:
      return "loads";
    case Quantity::resident_data:
      return "resident_data";
  }
  return "";
}

std::vector<TrajectoryPoint> trajectories(const Experiment& experiment, int instants, int threads) {
  if (experiment.strategies.size() != 1) {
    throw InvalidInput(
        fmt::format("trajectory requires exactly one strategy, not {}; give --strategy NAME",
                    experiment.strategies.size()));
  }
  refuse_much_memory(experiment, instants);
  if (experiment.scenario.machine()) return limited_trajectories(experiment, instants, threads);
  const ResolvedStrategy chosen = checked_plan(experiment);
  const double beta = chosen.beta.value_or(std::numeric_limits<double>::infinity());
  std::vector<Platform> platforms;
  for (std::uint64_t replicate = 0; replicate < experiment.replicates; ++replicate) {
    platforms.push_back(experiment.scenario.draw(experiment.seed, replicate));
  }
  const Curve times = sampling(experiment, platforms.front(), beta, instants);
  const double threshold =
      chosen.choice.entry->grows_until(chosen.choice.spec, experiment.workload);
  std::vector<RunCurves> simulated(platforms.size());
  std::vector<RunCurves> predicted(experiment.scenario.random() ? platforms.size() : 1);
  const auto sample = [&](std::size_t i) {
    SampledRun run(experiment, platforms[i], threshold);
    simulated[i] = run.simulate(experiment, chosen, i, times);
    if (i < predicted.size()) predicted[i] = integrated(experiment, platforms[i], beta, times);
  };
  in_parallel(platforms.size(), sample, static_cast<std::uint64_t>(threads));
  std::vector<TrajectoryPoint> points;
  auto speeds = curve_speeds(platforms);
  if (speeds.empty()) speeds.push_back(0);
  for (const Quantity quantity : quantities) {
    const bool shared = quantity == Quantity::open_tasks;
    for (const double speed : shared ? std::vector<double>{0} : speeds) {
      add_points(predicted, {quantity, speed}, "ode", times, points);
      add_points(simulated, {quantity, speed}, "", times, points);
    }
  }
  return points;
}

std::string to_csv(const std::vector<TrajectoryPoint>& points, const Experiment& experiment) {
  std::string text =
      "source,model,strategy,workload,platform,seed,n,quantity,speed,time_s,mean,low,high\n";
  const auto number = [](std::optional<double> value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (const auto& point : points) {
    text += csv_line({point.source, point.model, experiment.strategies.front(),
                      experiment.workload.text(), experiment.scenario.text(),
                      fmt::format("{}", experiment.seed), fmt::format("{}", experiment.replicates),
                      name(point.quantity), number(point.speed), number(point.time_s),
                      number(point.mean), number(point.low), number(point.high)});
  }
  return text;
}

}  // namespace damocles
