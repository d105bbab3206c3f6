// The model characteristic-time: tasks in random order, on any workload of independent tasks.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/pace.hpp"
#include "ode/limited_memory/prediction_streams.hpp"
#include "ode/limited_memory/task_lists.hpp"
#include "ode/log_gamma.hpp"

namespace damocles {
namespace {

/// Data items that equally many tasks read.
struct Popularity {
  double users = 0;  ///< tasks that read one of them
  double items = 0;  ///< how many there are
};

/// Tasks in random order: what the last t tasks of a processor read.
///
/// They avoid the u tasks that read a data item with probability C(T - u, t) / C(T, t), at any time
/// of the run, as all orders are equally likely.
class RandomOrder {
 public:
  explicit RandomOrder(const LimitedRun& run)
      : tasks_(static_cast<double>(run.tasks())), class_of_(run.data(), 0) {
    std::map<std::size_t, std::size_t> classes;  // by users
    for (std::size_t item = 0; item < run.data(); ++item) {
      const std::size_t users = run.graph->users(static_cast<TaskGraph::Index>(item)).size();
      if (users == 0) continue;
      const auto [found, is_new] = classes.try_emplace(users, classes_.size());
      if (is_new) classes_.push_back({.users = static_cast<double>(users)});
      ++classes_[found->second].items;
      class_of_[item] = found->second;
    }
    fewest_users_ = static_cast<double>(classes.begin()->first);
  }

  [[nodiscard]] double tasks() const { return tasks_; }
  [[nodiscard]] const std::vector<Popularity>& classes() const { return classes_; }
  /// Of a data item that some task reads.
  [[nodiscard]] std::size_t class_of(TaskGraph::Index item) const { return class_of_[item]; }

  /// Data items that t tasks read, on average.
  [[nodiscard]] double seen(double t) const {
    double sum = 0;
    for (const Popularity& one : classes_)
      sum += one.items * -std::expm1(log_avoided(one.users, t));
    return sum;
  }
  /// The characteristic time: in which so many data items are read. @pre fewer than all tasks read
  [[nodiscard]] double time_of(double items) const {
    double low = 0;
    double high = tasks_ - fewest_users_;
    for (int i = 0; i < 60 && high - low > 1e-9 * high; ++i) {
      const double middle = (low + high) / 2;
      (seen(middle) < items ? low : high) = middle;
    }
    return high;
  }
  /// The probability that an input of the next task, of this class, was not read in the last t
  /// ones. A task does not come twice: that it is next makes others of that input rarer before.
  [[nodiscard]] double missing(std::size_t of_class, double t) const {
    const double users = classes_[of_class].users;
    if (t > tasks_ - users) return 0;
    return std::min(1.0, std::exp(log_avoided(users, t)) * tasks_ / (tasks_ - t));
  }
  /// Inputs of the class that a task has, on average.
  [[nodiscard]] double inputs(std::size_t of_class) const {
    return classes_[of_class].users * classes_[of_class].items / tasks_;
  }

 private:
  /// ln of the probability that t of all tasks are none of so many.
  [[nodiscard]] double log_avoided(double users, double t) const {
    if (t > tasks_ - users) return -std::numeric_limits<double>::infinity();
    return log_gamma(tasks_ - users + 1) + log_gamma(tasks_ - t + 1) -
           log_gamma(tasks_ - users - t + 1) - log_gamma(tasks_ + 1);
  }

  double tasks_;
  std::vector<Popularity> classes_;
  std::vector<std::size_t> class_of_;  // by data item
  double fewest_users_ = 0;
};

/// The probabilities that a task lacks an input, by its class.
using Misses = std::vector<double>;

/// In a memory that is full, of so many data items.
///
/// The least recently used one goes: what was read within the characteristic time is there. Where
/// the oldest or any one goes, a data item stays for some time t after a load, whatever is read,
/// and is away until it is read next, T/u tasks on average: it is there for a share t / (t + T/u).
Misses misses_of(const LimitedRun& run, const RandomOrder& order, double memory) {
  const std::vector<Popularity>& classes = order.classes();
  const double within = order.time_of(memory);
  Misses misses;
  if (run.eviction == "lru") {
    for (std::size_t c = 0; c < classes.size(); ++c) misses.push_back(order.missing(c, within));
    return misses;
  }
  const auto away = [&](const Popularity& one) { return order.tasks() / one.users; };
  const auto held = [&](double t) {
    double sum = 0;
    for (const Popularity& one : classes) sum += one.items * t / (t + away(one));
    return sum;
  };
  double low = 0;
  double high = order.tasks();
  while (held(high) < memory) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (held(middle) < memory ? low : high) = middle;
  }
  // Tasks do not come twice, as above.
  const double rarer = order.tasks() / (order.tasks() - within);
  for (const Popularity& one : classes) {
    misses.push_back(std::min(1.0, away(one) / (high + away(one)) * rarer));
  }
  return misses;
}

/// Tasks in random order, of which so many are drawn, and the classes of their inputs.
class DrawnTasks {
 public:
  DrawnTasks(const LimitedRun& run, const RandomOrder& order, std::size_t drawn)
      : tasks_(tasks_as_submitted(run)) {
    Rng rng(0, Draw::prediction, 0, prediction_stream::random_order);
    for (std::size_t i = 0; i < drawn; ++i) {
      std::swap(tasks_[i], tasks_[i + rng.below(tasks_.size() - i)]);
    }
    tasks_.resize(drawn);
    for (const auto task : tasks_) {
      for (const auto item : run.graph->inputs(task)) classes_.push_back(order.class_of(item));
      ends_.push_back(classes_.size());
    }
  }

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] TaskGraph::Index task(std::size_t at) const { return tasks_[at]; }
  /// Of its inputs.
  [[nodiscard]] std::span<const std::size_t> classes(std::size_t at) const {
    const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
    return std::span(classes_).subspan(begin, ends_[at] - begin);
  }

 private:
  TaskSequence tasks_;
  std::vector<std::size_t> classes_;  // task after task
  std::vector<std::size_t> ends_;     // by task
};

/// Tasks after the memory is full that are drawn of a long run.
constexpr std::size_t many = 4096;

/// The share of the first tasks that lack nothing.
double lacking_nothing(const DrawnTasks& tasks, const Misses& misses) {
  const std::size_t looked_at = std::min(tasks.size(), many);
  double sum = 0;
  for (std::size_t at = 0; at < looked_at; ++at) {
    double all_there = 1;
    for (const std::size_t c : tasks.classes(at)) all_there *= 1 - misses[c];
    sum += all_there;
  }
  return sum / static_cast<double>(looked_at);
}

/// Once the memory is full. A transfer for a task that is not the next one spares what the buffer
/// reads: data that a task reads soon stay, and as many others go sooner.
Misses misses_with_prefetch(const LimitedRun& run, const RandomOrder& order,
                            const DrawnTasks& tasks, double memory) {
  const double ahead_at_most = static_cast<double>(run.depth) - 1;
  Misses misses = misses_of(run, order, memory);
  for (int i = 0; i < 30; ++i) {
    const double follows = lacking_nothing(tasks, misses);
    const double spared = 1 - (1 - follows) * (1 - follows);
    const double ahead = follows < 1 ? std::min(ahead_at_most, 1 / (1 - follows)) : ahead_at_most;
    const double counted = std::max(0.0, ahead_at_most - ahead);
    const double due =
        spared < 1 ? spared * (1 - std::pow(spared, counted)) / (1 - spared) : counted;
    const auto soon = [&](std::size_t c) {
      return std::min(1.0, due * order.classes()[c].users / order.tasks());
    };
    double kept = 0;
    for (std::size_t c = 0; c < misses.size(); ++c) {
      kept += counted * order.inputs(c) * misses[c] * soon(c) / 2;
    }
    const auto least = static_cast<double>(run.graph->widest());
    misses = misses_of(run, order, std::max(std::min(least, memory), memory - kept));
    for (std::size_t c = 0; c < misses.size(); ++c) misses[c] *= 1 - soon(c);
  }
  return misses;
}

/// What the model says of a run, before it is drawn.
struct Expected {
  double fill = 0;  ///< tasks of a processor after which its memory is full
  Misses full{};    ///< from then on
  double loads = 0;
};

/// The luck of one processor, number after number: the same in every run.
class Luck {
 public:
  explicit Luck(std::size_t processor)
      : rng_(0, Draw::prediction, processor, prediction_stream::missing_inputs) {}
  double at(std::size_t number) {
    while (drawn_.size() <= number) drawn_.push_back(rng_.uniform());
    return drawn_[number];
  }

 private:
  Rng rng_;
  std::vector<double> drawn_;
};

/// Runs of tasks of which it is drawn which inputs they lack.
class DrawnRuns {
 public:
  DrawnRuns(const LimitedRun& run, const RandomOrder& order, const DrawnTasks& tasks,
            const Expected& expected)
      : run_(run), order_(order), tasks_(tasks), expected_(expected) {
    for (std::size_t k = 0; k < run.processors; ++k) lucks_.emplace_back(k);
  }

  /// A run of the first tasks, so many of them.
  /// @param mirrored  with the opposite luck
  LimitedPrediction outcome(std::size_t tasks, bool mirrored) {
    struct Progress {
      std::size_t tasks = 0;
      std::size_t inputs = 0;
    };
    std::vector<Progress> taken(run_.processors);
    std::size_t at = 0;
    const auto next = [&](std::size_t processor, std::size_t) -> std::optional<TaskLoads> {
      if (at == tasks) return std::nullopt;
      Progress& its = taken[processor];
      const auto before = static_cast<double>(its.tasks++);
      TaskLoads loads{.task = tasks_.task(at)};
      for (const std::size_t c : tasks_.classes(at)) {
        const double chance =
            before < expected_.fill ? order_.missing(c, before) : expected_.full[c];
        const double luck = lucks_[processor].at(its.inputs++);
        loads.needed += static_cast<std::uint32_t>((mirrored ? 1 - luck : luck) < chance);
      }
      ++at;
      return loads;
    };
    LimitedPrediction result = paced_run(run_, {.next = next});
    result.loads = expected_.loads;
    return result;
  }

 private:
  const LimitedRun& run_;
  const RandomOrder& order_;
  const DrawnTasks& tasks_;
  const Expected& expected_;
  std::vector<Luck> lucks_;  // by processor
};

/// How much of a run is drawn: all of it, or of one that is long, part.
struct DrawnPart {
  std::size_t share = 0;  ///< tasks of a processor
  std::size_t part = 0;   ///< of these
  std::size_t tasks = 0;  ///< of all processors
  [[nodiscard]] bool is_all() const { return part == share; }
};
DrawnPart drawn_part(const LimitedRun& run, double fill) {
  const std::size_t share = run.tasks() / run.processors;
  const std::size_t most = static_cast<std::size_t>(fill) + many;
  const std::size_t part = run.with_course ? share : std::min(share, most);
  return {share, part, part == share ? run.tasks() : part * run.processors};
}

/// Such loads, and the mean of two runs with opposite luck. Of a run that is long, the rest goes on
/// at the pace of the second half of what is drawn.
LimitedPrediction mean_of_opposites(const LimitedRun& run, const DrawnPart& drawn, DrawnRuns runs) {
  std::vector<LimitedPrediction> draws;
  for (const bool mirrored : {false, true}) {
    LimitedPrediction& one = draws.emplace_back(runs.outcome(drawn.tasks, mirrored));
    if (drawn.is_all()) continue;
    const std::size_t before = (drawn.part - many / 2) * run.processors;
    const double more = static_cast<double>(drawn.share - drawn.part) / (many / 2.0);
    one.makespan_s += (one.makespan_s - runs.outcome(before, mirrored).makespan_s) * more;
  }
  return mean_of_draws(std::move(draws));
}

/// Each processor runs its share of a random order.
LimitedPrediction predict_random_order(const LimitedRun& run) {
  const RandomOrder order(run);
  const auto memory = static_cast<double>(run.memory);
  const auto processors = static_cast<double>(run.processors);
  const double share = order.tasks() / processors;
  const double all_seen = order.seen(share);
  const bool fits = all_seen <= memory;
  Expected expected{.fill = fits ? order.tasks() : order.time_of(memory)};
  const DrawnPart drawn = drawn_part(run, expected.fill);
  const DrawnTasks tasks(run, order, drawn.tasks);
  if (fits) {
    expected.loads = processors * all_seen;
    LimitedPrediction result = mean_of_opposites(run, drawn, {run, order, tasks, expected});
    result.sd_loads.reset();
    return result;
  }
  expected.full = misses_with_prefetch(run, order, tasks, memory);
  const double after = share - expected.fill;
  double of_task = 0;
  double variance = 0;
  for (std::size_t c = 0; c < expected.full.size(); ++c) {
    of_task += order.inputs(c) * expected.full[c];
    variance += order.inputs(c) * expected.full[c] * (1 - expected.full[c]);
  }
  expected.loads = processors * (memory + of_task * after);
  LimitedPrediction result = mean_of_opposites(run, drawn, {run, order, tasks, expected});
  result.sd_loads = std::sqrt(processors * after * variance);
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
                     .alone_elsewhere = {.loads = 0.04, .makespan = 0.035},
                     .several_elsewhere = {.loads = 0.035, .makespan = 0.03},
                     .different_speeds = {.loads = 0.035, .makespan = 0.03},
                     .predict = predict_random_order}};

}  // namespace
}  // namespace damocles
