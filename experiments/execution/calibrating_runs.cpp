#include "experiments/execution/calibrating_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <stdexcept>

#include "models/median.hpp"
#include "models/platforms/scenario.hpp"
#include "models/spec.hpp"
#include "sim/limited_run.hpp"

namespace damocles {
namespace {

double simulated_s(const Workload& workload, const std::string& strategy,
                   const MachineModel& machine, std::uint64_t seed) {
  const Platform platform = Scenario::of_machine("", machine).draw(seed, 0);
  const ResolvedStrategy planned = resolve_strategy(strategy, workload, platform);
  return simulate_limited(workload, platform, planned.choice, seed, 0).makespan_s;
}

/// The sizes of the workload that are executed: itself, and with half the tile where it can be.
std::vector<Workload> sizes_of(const Workload& workload) {
  std::vector<Workload> result{workload};
  const std::string small = with_half_the_tile(workload);
  if (!small.empty()) result.push_back(Workload::parse(small));
  return result;
}

/// All strategies once, on all sizes.
double round_s(const Workload& workload, const MachineModel& measured,
               const CalibratingRuns& what) {
  double sum = 0;
  for (const Workload& size : sizes_of(workload)) {
    for (const auto* const list : {&what.fitted, &what.held_out}) {
      for (const auto& strategy : *list) sum += simulated_s(size, strategy, measured, what.seed);
    }
  }
  return sum;
}

/// The workload with four fifths of its blocks in each dimension; nothing below two.
std::optional<Workload> smaller(const Workload& workload) {
  Spec spec = Spec::parse(workload.text(), "workload");
  bool changed = false;
  for (const char* const key : {"n", "m"}) {
    const auto blocks = spec.integer(key, 1, ~std::uint64_t{0});
    if (!blocks || *blocks <= 2) continue;
    spec.set(key, fmt::format("{}", std::max<std::uint64_t>(2, *blocks * 4 / 5)));
    changed = true;
  }
  return changed ? std::optional(Workload::parse(spec.text())) : std::nullopt;
}

/// A size of the workload, ready to be executed.
struct Size {
  Size(Workload workload, const MachineModel& measured, const CalibratingRuns& what,
       const ExecutionOptions& how)
      : experiment{.workload = std::move(workload),
                   .scenario = Scenario::of_machine("this machine", measured),
                   .seed = what.seed},
        bench(experiment, how) {}

  Experiment experiment;
  Workbench bench;
};

/// Executes all strategies on all sizes, and keeps the runs that are not held out.
class SeriesOfRuns {
 public:
  SeriesOfRuns(const Workload& workload, const MachineModel& measured, const CalibratingRuns& what,
               ExecutionOptions how)
      : measured_(measured), what_(what) {
    // Wrong numbers take as long as right ones, and whether they are right has been tested.
    how.check = Check::none;
    how.throttle = false;
    how.keep_events = true;
    for (const Workload& size : sizes_of(workload)) sizes_.emplace_back(size, measured, what, how);
    for (const bool held_out : {false, true}) {
      for (std::size_t size = 0; size < sizes_.size(); ++size) {
        for (const auto& strategy : held_out ? what.held_out : what.fitted) {
          rows_.push_back({sizes_[size].experiment.workload.text(), strategy, held_out, {}});
          size_of_row_.push_back(size);
        }
      }
    }
  }

  /// Round by round, those held out among them: a machine that slows down does so for all.
  void execute(const Progress& progress) {
    const std::size_t all = what_.repeats * rows_.size();
    if (progress) progress(0, all, 0);
    for (std::uint64_t repeat = 0; repeat < what_.repeats; ++repeat) {
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        execute(row, repeat);
        const std::size_t done = repeat * rows_.size() + row + 1;
        if (progress) progress(done, all, share_of_rows(done, all));
      }
    }
  }

  /// Fits to the runs that were kept, and says in all rows what it makes of them.
  FittedCalibration fit() {
    for (std::size_t r = 0; r < runs_.size(); ++r)
      runs_[r].sd = rows_[row_of_run_[r]].executed_sd();
    FittedCalibration result{fit_platform(measured_, runs_), std::move(rows_)};
    for (std::size_t row = 0; row < result.runs.size(); ++row) {
      const Workload& workload = sizes_[size_of_row_[row]].experiment.workload;
      result.runs[row].simulated_s =
          simulated_s(workload, result.runs[row].strategy, result.fit.machine, what_.seed);
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
    runs_.push_back({&size.experiment.workload,
                     {measured_.processors.size(), std::move(run.execution.events)}});
    row_of_run_.push_back(row);
  }

  const MachineModel& measured_;
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

std::uint64_t PlannedRuns::runs() const {
  return what.repeats * sizes_of(workload).size() * (what.fitted.size() + what.held_out.size());
}

PlannedRuns as_asked(const Workload& workload, const MachineModel& measured,
                     const CalibratingRuns& what) {
  return {workload, what, static_cast<double>(what.repeats) * round_s(workload, measured, what)};
}

PlannedRuns within_time(const Workload& workload, const MachineModel& measured,
                        const CalibratingRuns& what, double seconds) {
  constexpr double fewest = 2;
  PlannedRuns result{workload, what, 0};
  double round = round_s(workload, measured, what);
  while (fewest * round > seconds) {
    const auto less = smaller(result.workload);
    if (!less) break;
    result.workload = *less;
    round = round_s(result.workload, measured, what);
  }
  const auto most = static_cast<double>(what.repeats);
  const double repeats = std::clamp(std::floor(seconds / round), std::min(fewest, most), most);
  result.what.repeats = static_cast<std::uint64_t>(repeats);
  result.seconds = repeats * round;
  return result;
}

FittedCalibration fit_to_runs(const Workload& workload, const MachineModel& measured,
                              const CalibratingRuns& what, ExecutionOptions how,
                              const Progress& progress) {
  SeriesOfRuns stand(workload, measured, what, std::move(how));
  stand.execute(progress);
  return stand.fit();
}

}  // namespace damocles
