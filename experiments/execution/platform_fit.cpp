#include "experiments/execution/platform_fit.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>

#include "models/error.hpp"
#include "sim/limited_run.hpp"

namespace damocles {
namespace {

/// The square of this is as `off` squared near 0, and 2 bound |off| far from it: a run that
/// something else slowed down does not count for as much as it is long.
double softened(double off) {
  constexpr double bound = 3;
  const double scaled = off / bound;
  return std::copysign(bound * std::sqrt(2 * (std::sqrt(1 + scaled * scaled) - 1)), off);
}

/// More than a copy takes from the task beside it; what tiny tasks cannot be explained by stays
/// below.
constexpr double strongest_interference = 4;

/// A figure by its place in x.
enum Place : Eigen::Index { rate, bus, link, latency, overhead, interference, figures };

using Point = Eigen::Matrix<double, figures, 1>;
using Square = Eigen::Matrix<double, figures, figures>;

/// The same as the place in an array.
constexpr std::size_t nth(Eigen::Index j) { return static_cast<std::size_t>(j); }

/// What is thought of x before any run, and how firmly.
struct Prior {
  double x;
  double sd;
};
constexpr std::array<Prior, figures> priors{
    {{0, 0.05}, {0, 0.3}, {0, 0.3}, {0.1, 1}, {0.1, 0.2}, {0.5, 0.5}}};

Point start() {
  Point x;
  for (Eigen::Index j = 0; j < figures; ++j) x[j] = priors[nth(j)].x;
  return x;
}

/// The sum of squares of fit_platform() near a point: value, and with the residuals' derivatives J,
/// J^T J and J^T r.
struct Slope {
  double value = 0;
  Square curvature = Square::Zero();
  Point gradient = Point::Zero();
};

/// The sum of squares of fit_platform().
class Misfit {
 public:
  Misfit(const MachineModel& measured, const std::vector<TimedRun>& runs)
      : measured_(measured), runs_(runs) {
    measured_.jitter = 0;
    double tasks = 0;
    for (const TimedRun& run : runs) {
      const TaskGraph& graph = run.workload->graph();
      mean_copy_s_ += measured.copy_s(0, graph.mean_bytes()) - measured.latency_s;
      mean_task_s_ += graph.total_flops() / measured.processors.front().flops_per_s;
      tasks += static_cast<double>(graph.tasks());
      executed_s_.push_back(mean_end_s(run.decisions.events, measured.processors.size()));
      if (executed_s_.back() > 0) continue;
      throw InvalidInput(fmt::format(
          "a run of '{}' took no time, so no platform can be fitted to it", run.workload->text()));
    }
    mean_task_s_ /= tasks;
    mean_copy_s_ /= static_cast<double>(runs.size());
  }

  [[nodiscard]] MachineModel machine(const Point& x) const {
    MachineModel result = measured_;
    for (ProcessorModel& gpu : result.processors) {
      gpu.flops_per_s *= std::exp(x[rate]);
      gpu.link_bytes_per_s *= std::exp(x[link]);
    }
    result.bus_bytes_per_s *= std::exp(x[bus]);
    result.latency_s += x[latency] * x[latency] * mean_copy_s_;
    result.overhead_s += x[overhead] * x[overhead] * mean_task_s_;
    const double square = x[interference] * x[interference];
    result.interference += square / (1 + square / strongest_interference);
    return result;
  }

  [[nodiscard]] std::vector<double> simulated_s(const MachineModel& machine) const {
    Platform platform;
    for (const ProcessorModel& gpu : machine.processors) platform.speeds.push_back(gpu.flops_per_s);
    platform.machine = machine;
    std::vector<double> result;
    for (const TimedRun& run : runs_) {
      std::vector<RunEvent> events;
      (void)replay_limited(*run.workload, platform, run.decisions, 1, 0,
                           [&](const RunEvent& event) { events.push_back(event); });
      result.push_back(mean_end_s(events, machine.processors.size()));
    }
    return result;
  }

  [[nodiscard]] std::vector<double> errors(const MachineModel& machine) const {
    std::vector<double> result = simulated_s(machine);
    for (std::size_t r = 0; r < runs_.size(); ++r) result[r] = result[r] / executed_s_[r] - 1;
    return result;
  }

  /// Of the runs, then of what was thought before.
  [[nodiscard]] std::vector<double> residuals(const Point& x) const {
    std::vector<double> result = simulated_s(machine(x));
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      result[r] = softened(std::log(result[r] / executed_s_[r]) / runs_[r].sd);
    }
    for (Eigen::Index j = 0; j < figures; ++j) {
      result.push_back((x[j] - priors[nth(j)].x) / priors[nth(j)].sd);
    }
    return result;
  }

  [[nodiscard]] double value(const Point& x) const {
    double sum = 0;
    for (const double one : residuals(x)) sum += one * one;
    return sum;
  }

  [[nodiscard]] Slope slope(const Point& x) const {
    // Ends have a kink wherever another task decides them: steps that are no smaller than what is
    // looked for see their slope.
    constexpr double step = 0.02;
    std::array<std::vector<double>, figures> above;
    std::array<std::vector<double>, figures> below;
    for (Eigen::Index j = 0; j < figures; ++j) {
      Point at = x;
      at[j] = x[j] + step;
      above[nth(j)] = residuals(at);
      at[j] = x[j] - step;
      below[nth(j)] = residuals(at);
    }
    Slope result;
    const std::vector<double> here = residuals(x);
    for (std::size_t r = 0; r < here.size(); ++r) {
      Point derivative;
      for (Eigen::Index j = 0; j < figures; ++j) {
        derivative[j] = (above[nth(j)][r] - below[nth(j)][r]) / (2 * step);
      }
      result.value += here[r] * here[r];
      result.curvature += derivative * derivative.transpose();
      result.gradient += derivative * here[r];
    }
    return result;
  }

 private:
  MachineModel measured_;
  const std::vector<TimedRun>& runs_;
  std::vector<double> executed_s_;  // mean end of each run
  double mean_copy_s_ = 0;          // of bytes alone, to the first processor
  double mean_task_s_ = 0;          // on the first processor
};

/// What is told of x_j.
struct Told {
  const char* name;
  double (*of)(const MachineModel&);
};
constexpr std::array<Told, figures> figures_told{
    {{"gflops", [](const MachineModel& at) { return at.processors.front().flops_per_s / 1e9; }},
     {"bandwidth_GB_per_s", [](const MachineModel& at) { return at.bus_bytes_per_s / 1e9; }},
     {"link_GB_per_s",
      [](const MachineModel& at) { return at.processors.front().link_bytes_per_s / 1e9; }},
     {"latency_us", [](const MachineModel& at) { return at.latency_s * 1e6; }},
     {"overhead_us", [](const MachineModel& at) { return at.overhead_s * 1e6; }},
     {"interference", [](const MachineModel& at) { return at.interference; }}}};

/// The least sum of squares near start(), by Levenberg and Marquardt's method. Of libraries,
/// Eigen's takes 9 s to compile, and NLopt is no archive in Debian, which the portable program
/// would need.
Point least(const Misfit& misfit) {
  constexpr int most_steps = 40;
  constexpr double enough = 1e-5;  // of the sum, gained by a step
  constexpr double most_damping = 1e9;
  Point x = start();
  double damping = 1e-3;
  for (int steps = 0; steps < most_steps; ++steps) {
    const Slope at = misfit.slope(x);
    double gained = 0;
    while (gained <= 0 && damping < most_damping) {
      Square damped = at.curvature;
      damped.diagonal() *= 1 + damping;
      const Point next = x - damped.llt().solve(at.gradient);
      gained = at.value - misfit.value(next);
      if (gained > 0) x = next;
      damping *= gained > 0 ? 0.1 : 10;
    }
    if (gained <= enough * at.value) break;
  }
  return x;
}

/// The figures at x, and how well they are known.
std::vector<FittedFigure> figures_at(const Misfit& misfit, const MachineModel& measured,
                                     const Point& x) {
  const Square variance = misfit.slope(x).curvature.llt().solve(Square::Identity());
  std::vector<FittedFigure> result;
  for (Eigen::Index j = 0; j < figures; ++j) {
    constexpr double step = 1e-4;
    const Told& one = figures_told[nth(j)];
    Point above = x;
    above[j] += step;
    const double after = one.of(misfit.machine(x));
    const double slope = (one.of(misfit.machine(above)) - after) / step;
    result.push_back(
        {one.name, one.of(measured), after, std::sqrt(variance(j, j)) * std::abs(slope)});
  }
  return result;
}

}  // namespace

double mean_end_s(const std::vector<RunEvent>& events, std::size_t processors) {
  std::vector<double> end_s(processors, 0);
  for (const RunEvent& event : events) {
    if (event.kind == RunEvent::Kind::task_ended) end_s[raw(event.processor)] = event.time_s;
  }
  double sum_s = 0;
  double worked = 0;
  for (const double end : end_s) {
    sum_s += end;
    worked += end > 0 ? 1 : 0;
  }
  return worked == 0 ? 0 : sum_s / worked;
}

PlatformFit fit_platform(const MachineModel& measured, const std::vector<TimedRun>& runs) {
  const Misfit misfit(measured, runs);
  const Point x = least(misfit);
  PlatformFit result;
  result.machine = misfit.machine(x);
  result.figures = figures_at(misfit, measured, x);
  result.errors = misfit.errors(result.machine);
  return result;
}

}  // namespace damocles
