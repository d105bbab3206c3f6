#include "experiments/prediction/limited_trajectories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/prediction/limited_predictions.hpp"
#include "experiments/prediction/trajectory_curves.hpp"
#include "models/error.hpp"
#include "models/parallel.hpp"
#include "ode/static_plans/plan_predictor.hpp"
#include "sim/simulate.hpp"

namespace damocles {
namespace {

constexpr std::array limited_quantities{Quantity::unfinished_tasks, Quantity::loads,
                                        Quantity::resident_data};

/// When things happened in a run, on any processor [s].
struct Instants {
  std::vector<double> ends_s;       ///< of tasks
  std::vector<double> loads_s;      ///< ends of them
  std::vector<double> evictions_s;  ///< or invalidations
};

double until(const std::vector<double>& sorted_s, double time_s) {
  return static_cast<double>(std::upper_bound(sorted_s.begin(), sorted_s.end(), time_s) -
                             sorted_s.begin());
}

RunCurves sampled(Instants run, const Experiment& experiment, const Curve& times) {
  for (auto* const each : {&run.ends_s, &run.loads_s, &run.evictions_s}) {
    std::sort(each->begin(), each->end());
  }
  const auto tasks = static_cast<double>(experiment.workload.tasks());
  const auto processors = static_cast<double>(experiment.scenario.processors());
  RunCurves curves;
  for (const double time_s : times) {
    const double loads = until(run.loads_s, time_s);
    curves[{Quantity::unfinished_tasks, 0}].push_back(1 - until(run.ends_s, time_s) / tasks);
    curves[{Quantity::loads, 0}].push_back(loads);
    curves[{Quantity::resident_data, 0}].push_back((loads - until(run.evictions_s, time_s)) /
                                                   processors);
  }
  return curves;
}

Instants simulated_instants(const Experiment& experiment, const ResolvedStrategy& resolved,
                            std::uint64_t replicate) {
  Instants result;
  const Platform platform = experiment.scenario.draw(experiment.seed, replicate);
  const auto watch = [&](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::task_ended) result.ends_s.push_back(event.time_s);
    if (event.kind == RunEvent::Kind::load_ended) result.loads_s.push_back(event.time_s);
    if (event.kind == RunEvent::Kind::evicted) result.evictions_s.push_back(event.time_s);
  };
  (void)simulate(experiment.workload, platform, resolved.choice, experiment.seed, replicate, {},
                 watch);
  return result;
}

/// A memory that is full evicts what it loads.
Instants predicted_instants(const RunCourse& course, std::size_t memory) {
  Instants result;
  for (const ProcessorCourse& one : course) {
    const auto full = std::min(memory, one.loads_s.size());
    result.ends_s.insert(result.ends_s.end(), one.ends_s.begin(), one.ends_s.end());
    result.loads_s.insert(result.loads_s.end(), one.loads_s.begin(), one.loads_s.end());
    result.evictions_s.insert(result.evictions_s.end(),
                              one.loads_s.begin() + static_cast<std::ptrdiff_t>(full),
                              one.loads_s.end());
  }
  return result;
}

/// Of the runs that were drawn, the longest.
double latest_end_s(const LimitedPrediction& prediction) {
  double latest_s = 0;
  for (const RunCourse& course : prediction.courses) {
    for (const ProcessorCourse& one : course) {
      if (!one.ends_s.empty()) latest_s = std::max(latest_s, one.ends_s.back());
    }
  }
  return latest_s;
}

/// @throws InvalidInput where there is none
std::string model_of(const Experiment& experiment, const ResolvedStrategy& resolved) {
  if (needs_plan(experiment.workload)) {
    throw InvalidInput(fmt::format(
        "trajectory supports only independent tasks that do not write, not '{}'; `damocles plot gantt` draws its runs",
        experiment.workload.text()));
  }
  const auto trust = limited_trust(resolved.choice.entry->name, experiment);
  std::string model = trust ? trust->model : "counted";
  if (model == plan_model) {
    throw InvalidInput(fmt::format(
        "trajectory supports '{}' on equal GPUs only, not on '{}'; `damocles plot gantt` draws its runs",
        resolved.asked, experiment.scenario.text()));
  }
  const std::string why = why_not_predicted(model, experiment, resolved);
  if (!why.empty()) throw InvalidInput(why);
  return model;
}

}  // namespace

std::vector<TrajectoryPoint> limited_trajectories(const Experiment& experiment, int instants,
                                                  int threads) {
  const ResolvedStrategy resolved = resolve_strategy(experiment.strategies.front(), experiment);
  const std::string model = model_of(experiment, resolved);
  const PredictedCourse course = predicted_course(experiment, resolved);
  if (course.prediction.courses.empty() || !std::isfinite(course.prediction.loads)) {
    throw InvalidInput(fmt::format("model {} says nothing of '{}' over time on '{}'", model,
                                   experiment.strategies.front(), experiment.scenario.text()));
  }
  const Curve times = instants_until(latest_end_s(course.prediction) * 1.05, instants);
  std::vector<RunCurves> predicted;
  for (const RunCourse& one : course.prediction.courses) {
    predicted.push_back(sampled(predicted_instants(one, course.memory), experiment, times));
  }
  std::vector<RunCurves> simulated(experiment.replicates);
  in_parallel(
      simulated.size(),
      [&](std::size_t i) {
        simulated[i] = sampled(simulated_instants(experiment, resolved, i), experiment, times);
      },
      static_cast<std::uint64_t>(threads));
  std::vector<TrajectoryPoint> points;
  for (const Quantity quantity : limited_quantities) {
    add_points(predicted, {quantity, 0}, model, times, points);
    add_points(simulated, {quantity, 0}, "", times, points);
  }
  return points;
}

}  // namespace damocles
