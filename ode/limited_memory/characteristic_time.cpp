#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/pace.hpp"
#include "ode/limited_memory/prediction_streams.hpp"
#include "ode/log_gamma.hpp"

namespace damocles {
namespace {

/// Tasks in random order, of a grid: what the last t tasks of a processor read.
///
/// They avoid the n tasks of a row with probability C(T - n, t) / C(T, t), at any time of the run,
/// as all orders are equally likely.
class RandomOrder {
 public:
  explicit RandomOrder(const LimitedRun& run)
      : tasks_(static_cast<double>(run.tasks())),
        rows_(static_cast<double>(run.rows)),
        columns_(static_cast<double>(run.columns)) {}

  /// Data items that t tasks read, on average.
  [[nodiscard]] double seen(double t) const {
    return rows_ * -std::expm1(log_avoided(columns_, t)) +
           columns_ * -std::expm1(log_avoided(rows_, t));
  }
  /// The characteristic time: in which so many data items are read. @pre items < rows + columns
  [[nodiscard]] double time_of(double items) const {
    double low = 0;
    double high = tasks_ - std::max(rows_, columns_);
    for (int i = 0; i < 60 && high - low > 1e-9 * high; ++i) {
      const double middle = (low + high) / 2;
      (seen(middle) < items ? low : high) = middle;
    }
    return high;
  }
  /// The probability that the row of the next task was not read in the last t ones; of its column.
  /// A task does not come twice: that it is next makes tasks of its row rarer among the others.
  [[nodiscard]] double row_missing(double t) const { return missing(columns_, t); }
  [[nodiscard]] double column_missing(double t) const { return missing(rows_, t); }

 private:
  /// ln of the probability that t of all tasks are none of so many.
  [[nodiscard]] double log_avoided(double users, double t) const {
    if (t > tasks_ - users) return -std::numeric_limits<double>::infinity();
    return log_gamma(tasks_ - users + 1) + log_gamma(tasks_ - t + 1) -
           log_gamma(tasks_ - users - t + 1) - log_gamma(tasks_ + 1);
  }
  [[nodiscard]] double missing(double users, double t) const {
    if (t > tasks_ - users) return 0;
    return std::min(1.0, std::exp(log_avoided(users, t)) * tasks_ / (tasks_ - t));
  }

  double tasks_;
  double rows_;
  double columns_;
};

/// The probabilities that a task lacks its row and its column.
struct Misses {
  double row = 1;
  double column = 1;
  [[nodiscard]] double sum() const { return row + column; }
};

Misses misses_after(const RandomOrder& order, double t) {
  return {order.row_missing(t), order.column_missing(t)};
}

/// In a memory that is full, of so many data items.
///
/// The least recently used one goes: what was read within the characteristic time is there. Where
/// the oldest or any one goes, a row stays for some time t after a load, whatever is read, and is
/// away until it is read next, m tasks on average: it is there for a share t / (t + m) of the time.
Misses misses_of(const LimitedRun& run, const RandomOrder& order, double memory) {
  const double within = order.time_of(memory);
  const Misses recent = misses_after(order, within);
  if (run.eviction == "lru") return recent;
  const auto rows = static_cast<double>(run.rows);
  const auto columns = static_cast<double>(run.columns);
  const auto held = [&](double t) { return rows * t / (t + rows) + columns * t / (t + columns); };
  double low = 0;
  double high = rows + columns;
  while (held(high) < memory) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (held(middle) < memory ? low : high) = middle;
  }
  // Tasks do not come twice, as above.
  const auto tasks = static_cast<double>(run.tasks());
  const double rarer = tasks / (tasks - within);
  return {std::min(1.0, rows / (high + rows) * rarer),
          std::min(1.0, columns / (high + columns) * rarer)};
}

/// Once the memory is full. A transfer for a task that is not the next one spares what the buffer
/// reads: data that a task reads soon stay, and as many others go sooner.
Misses misses_with_prefetch(const LimitedRun& run, const RandomOrder& order, double memory) {
  const double ahead_at_most = static_cast<double>(run.depth) - 1;
  Misses misses = misses_of(run, order, memory);
  for (int i = 0; i < 30; ++i) {
    const double follows = (1 - misses.row) * (1 - misses.column);  // the next task lacks nothing
    const double spared = 1 - (1 - follows) * (1 - follows);
    const double ahead = follows < 1 ? std::min(ahead_at_most, 1 / (1 - follows)) : ahead_at_most;
    const double counted = std::max(0.0, ahead_at_most - ahead);
    const double due =
        spared < 1 ? spared * (1 - std::pow(spared, counted)) / (1 - spared) : counted;
    const double of_rows = std::min(1.0, due / static_cast<double>(run.rows));
    const double of_columns = std::min(1.0, due / static_cast<double>(run.columns));
    const double kept = counted * (misses.row * of_rows + misses.column * of_columns) / 2;
    misses = misses_of(run, order, std::max(2.0, memory - kept));
    misses.row *= 1 - of_rows;
    misses.column *= 1 - of_columns;
  }
  return misses;
}

/// Whether tasks of one processor lack their row and their column, drawn: the same for every call,
/// or where mirrored, with the opposite luck.
LoadsByTask drawn_loads(const RandomOrder& order, double fill, const Misses& full,
                        std::size_t tasks, std::uint64_t processor, bool mirrored) {
  Rng rng(0, Draw::prediction, processor, prediction_stream::missing_inputs);
  const auto missing = [&](double chance) {
    const double luck = rng.uniform();
    return static_cast<std::uint32_t>((mirrored ? 1 - luck : luck) < chance);
  };
  LoadsByTask loads(tasks);
  for (std::size_t t = 0; t < tasks; ++t) {
    const auto before = static_cast<double>(t);
    const Misses now = before < fill ? misses_after(order, before) : full;
    loads[t].needed = missing(now.row) + missing(now.column);
  }
  return loads;
}

/// So many tasks, of which each processor has drawn what it would load.
TaskQueue queue_of(const std::vector<LoadsByTask>& loads, std::size_t tasks) {
  return {.next = [&loads, left = tasks, taken = std::vector<std::size_t>(loads.size())](
                      std::size_t processor, std::size_t) mutable -> std::optional<TaskLoads> {
    const LoadsByTask& own = loads[processor];
    if (left == 0) return std::nullopt;
    --left;
    return own[taken[processor]++ % own.size()];
  }};
}

/// Such loads, and the mean of two runs with opposite luck. Of a run that is long, part is drawn,
/// and the rest goes on at the pace of its second half; all of it is where its course is asked for.
LimitedPrediction drawn_runs(const LimitedRun& run, const RandomOrder& order, double fill,
                             const Misses& full, double expected_loads) {
  constexpr std::size_t many = 4096;
  const std::size_t tasks = run.tasks() / run.processors;
  const std::size_t drawn_at_most = static_cast<std::size_t>(fill) + many;
  const std::size_t part = run.with_course ? tasks : std::min(tasks, drawn_at_most);
  std::vector<LimitedPrediction> draws;
  for (const bool mirrored : {false, true}) {
    std::vector<LoadsByTask> loads;
    for (std::size_t k = 0; k < run.processors; ++k) {
      // Who loads less computes more; few tasks may all be those of one.
      const std::size_t drawn = std::max<std::size_t>(1, part + part / 2);
      loads.push_back(drawn_loads(order, fill, full, drawn, k, mirrored));
    }
    const auto first = [&](std::size_t all) { return paced_run(run, queue_of(loads, all)); };
    PacedRun pace = first(part == tasks ? run.tasks() : part * run.processors);
    if (part < tasks) {
      const double before_s = first((part - many / 2) * run.processors).makespan_s;
      pace.makespan_s +=
          (pace.makespan_s - before_s) * static_cast<double>(tasks - part) / (many / 2.0);
    }
    draws.push_back({.loads = expected_loads,
                     .makespan_s = pace.makespan_s,
                     .courses = std::move(pace.courses)});
  }
  return mean_of_draws(std::move(draws));
}

/// Each processor runs its share of a random order.
LimitedPrediction predict_random_order(const LimitedRun& run) {
  const RandomOrder order(run);
  const auto memory = static_cast<double>(run.memory);
  const auto processors = static_cast<double>(run.processors);
  const double share = static_cast<double>(run.tasks()) / processors;
  const double all_seen = run.processors == 1 ? static_cast<double>(run.data()) : order.seen(share);
  if (all_seen <= memory) {
    LimitedPrediction result = drawn_runs(run, order, share, {}, processors * all_seen);
    result.sd_loads.reset();
    return result;
  }
  const double fill = order.time_of(memory);
  const Misses full = misses_with_prefetch(run, order, memory);
  const double after = share - fill;
  LimitedPrediction result =
      drawn_runs(run, order, fill, full, processors * (memory + full.sum() * after));
  result.sd_loads =
      std::sqrt(processors * after * (full.row * (1 - full.row) + full.column * (1 - full.column)));
  return result;
}

const Register characteristic_time{
    LimitedModel{.name = "characteristic-time",
                 .place = 20,
                 .summary = "tasks in random order: in memory is what was read within one time"}};

const Register predictor_of_random_order{
    LimitedPredictor{.name = "random",
                     .model = "characteristic-time",
                     .evictions = {"lru", "fifo", "random"},
                     .alone = {.loads = 0.035, .makespan = 0.035},
                     .several = {.loads = 0.03, .makespan = 0.035},
                     .why_unavailable = [](const LimitedRun& run) { return run.why_no_grid(); },
                     .predict = predict_random_order}};

}  // namespace
}  // namespace damocles
