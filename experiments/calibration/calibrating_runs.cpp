#include "experiments/calibration/calibrating_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>

#include "models/median.hpp"
#include "models/platforms/scenario.hpp"
#include "models/spec.hpp"
#include "sim/limited_run.hpp"

namespace damocles {
namespace {

/// A size of the workload, ready to be executed.
struct Size {
  Size(Workload workload, const Limits& measured, const CalibratingRuns& what,
       const ExecutionOptions& how)
      : question{.workload = std::move(workload),
                 .scenario = Scenario::of_limits("this machine", measured),
                 .seed = what.seed},
        bench(question, how) {}

  Question question;
  Workbench bench;
};

/// Executes all strategies on all sizes, and keeps the runs that are not held out.
class SeriesOfRuns {
 public:
  SeriesOfRuns(const Workload& workload, const Limits& measured, const CalibratingRuns& what,
               ExecutionOptions how)
      : measured_(measured), what_(what) {
    // Wrong numbers take as long as right ones, and whether they are right has been tested.
    how.check = Check::none;
    how.throttle = false;
    how.keep_events = true;
    sizes_.emplace_back(workload, measured, what, how);
    const std::string small = with_half_the_tile(workload);
    if (!small.empty()) sizes_.emplace_back(Workload::parse(small), measured, what, how);
    for (const bool held_out : {false, true}) {
      for (std::size_t size = 0; size < sizes_.size(); ++size) {
        for (const auto& strategy : held_out ? what.held_out : what.fitted) {
          rows_.push_back({sizes_[size].question.workload.text(), strategy, held_out, {}});
          size_of_row_.push_back(size);
        }
      }
    }
  }

  /// Round by round, those held out among them: a machine that slows down does so for all.
  void execute(const Progress& progress) {
    const std::size_t all = what_.repeats * rows_.size();
    if (progress) progress(0, all);
    for (std::uint64_t repeat = 0; repeat < what_.repeats; ++repeat) {
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        execute(row, repeat);
        if (progress) progress(repeat * rows_.size() + row + 1, all);
      }
    }
  }

  /// Fits to the runs that were kept, and says in all rows what it makes of them.
  FittedCalibration fit() {
    for (std::size_t r = 0; r < runs_.size(); ++r)
      runs_[r].sd = rows_[row_of_run_[r]].executed_sd();
    FittedCalibration result{fit_platform(measured_, runs_), std::move(rows_)};
    for (std::size_t row = 0; row < result.runs.size(); ++row) {
      const Workload& workload = sizes_[size_of_row_[row]].question.workload;
      result.runs[row].simulated_s =
          simulated_s(workload, result.runs[row].strategy, result.fit.limits);
    }
    return result;
  }

 private:
  void execute(std::size_t row, std::uint64_t repeat) {
    Size& size = sizes_[size_of_row_[row]];
    Executed run = size.bench.run(rows_[row].strategy, repeat);
    if (!run.execution.failure.empty()) {
      throw std::runtime_error(
          fmt::format("{} failed: {}", rows_[row].strategy, run.execution.failure));
    }
    rows_[row].executed_s.push_back(run.execution.trace.makespan_s);
    if (rows_[row].held_out) return;
    runs_.push_back(
        {&size.question.workload, {measured_.gpus.size(), std::move(run.execution.events)}});
    row_of_run_.push_back(row);
  }

  [[nodiscard]] double simulated_s(const Workload& workload, const std::string& strategy,
                                   const Limits& limits) const {
    const Platform platform = Scenario::of_limits("", limits).draw(what_.seed, 0);
    const Plan planned = plan(strategy, workload, platform.processors());
    return simulate_limited(workload, platform, planned.choice, what_.seed, 0).makespan_s;
  }

  const Limits& measured_;
  const CalibratingRuns& what_;
  std::deque<Size> sizes_;
  std::vector<JudgedRuns> rows_;
  std::vector<std::size_t> size_of_row_;
  std::vector<TimedRun> runs_;
  std::vector<std::size_t> row_of_run_;
};

}  // namespace

double JudgedRuns::median_executed_s() const { return median(executed_s); }

double JudgedRuns::executed_sd() const {
  constexpr double least = 0.01;
  constexpr double of_normal = 1.4826;
  std::vector<double> distances;
  for (const double one : executed_s) distances.push_back(std::abs(one - median_executed_s()));
  return std::max(least, of_normal * median(distances) / median_executed_s());
}

double JudgedRuns::error() const { return simulated_s / median_executed_s() - 1; }

double JudgedRuns::median_sd() const {
  constexpr double of_normal = 1.2533;  // sqrt(pi / 2)
  return of_normal * executed_sd() / std::sqrt(static_cast<double>(executed_s.size()));
}

bool FittedCalibration::has_held_out() const {
  return std::any_of(runs.begin(), runs.end(), [](const JudgedRuns& row) { return row.held_out; });
}

double FittedCalibration::worst_held_out() const {
  double worst = 0;
  for (const JudgedRuns& row : runs) {
    if (row.held_out) worst = std::max(worst, std::abs(row.error()));
  }
  return worst;
}

std::string with_half_the_tile(const Workload& workload) {
  constexpr std::uint64_t least = 16;  // below, a task is mostly its call
  Spec spec = Spec::parse(workload.text(), "workload");
  if (!spec.has("tile") || !workload.has_sizes()) return "";
  const auto tile = spec.integer("tile", 1, ~std::uint64_t{0}).value_or(1);
  if (tile % 2 != 0 || tile < 2 * least) return "";
  spec.set("tile", fmt::format("{}", tile / 2));
  return spec.text();
}

FittedCalibration fit_to_runs(const Workload& workload, const Limits& measured,
                              const CalibratingRuns& what, ExecutionOptions how,
                              const Progress& progress) {
  SeriesOfRuns stand(workload, measured, what, std::move(how));
  stand.execute(progress);
  return stand.fit();
}

}  // namespace damocles
