// The model characteristic-time: tasks in random order, on any workload of independent tasks.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
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

/// Tasks in random order, of which so many are drawn.
TaskSequence drawn_order(const LimitedRun& run, std::size_t drawn) {
  TaskSequence tasks = tasks_as_submitted(run);
  Rng rng(0, Draw::prediction, 0, prediction_stream::random_order);
  for (std::size_t i = 0; i < drawn; ++i) {
    std::swap(tasks[i], tasks[i + rng.below(tasks.size() - i)]);
  }
  tasks.resize(drawn);
  return tasks;
}

/// The share of these tasks that lack nothing.
double lacking_nothing(const LimitedRun& run, const RandomOrder& order, const TaskSequence& tasks,
                       const Misses& misses) {
  double sum = 0;
  for (const auto task : tasks) {
    double all_there = 1;
    for (const auto item : run.graph->inputs(task)) all_there *= 1 - misses[order.class_of(item)];
    sum += all_there;
  }
  return sum / static_cast<double>(tasks.size());
}

/// Once the memory is full. A transfer for a task that is not the next one spares what the buffer
/// reads: data that a task reads soon stay, and as many others go sooner.
Misses misses_with_prefetch(const LimitedRun& run, const RandomOrder& order,
                            const TaskSequence& sample, double memory) {
  const double ahead_at_most = static_cast<double>(run.depth) - 1;
  Misses misses = misses_of(run, order, memory);
  for (int i = 0; i < 30; ++i) {
    const double follows = lacking_nothing(run, order, sample, misses);
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

/// Processors that take these tasks; which inputs they lack is drawn: the same for every call, or
/// where mirrored, with the opposite luck.
TaskQueue queue_of(const LimitedRun& run, const RandomOrder& order, const TaskSequence& tasks,
                   const Expected& expected, bool mirrored) {
  struct Drawn {
    Rng rng;
    std::size_t taken = 0;
  };
  std::vector<Drawn> processors;
  for (std::size_t k = 0; k < run.processors; ++k) {
    processors.push_back({Rng(0, Draw::prediction, k, prediction_stream::missing_inputs)});
  }
  return {.next = [&, mirrored, processors, at = std::size_t{0}](
                      std::size_t processor, std::size_t) mutable -> std::optional<TaskLoads> {
    if (at == tasks.size()) return std::nullopt;
    Drawn& drawn = processors[processor];
    const auto before = static_cast<double>(drawn.taken++);
    TaskLoads loads{.task = tasks[at++]};
    for (const auto item : run.graph->inputs(loads.task)) {
      const std::size_t c = order.class_of(item);
      const double chance = before < expected.fill ? order.missing(c, before) : expected.full[c];
      const double luck = drawn.rng.uniform();
      loads.needed += static_cast<std::uint32_t>((mirrored ? 1 - luck : luck) < chance);
    }
    return loads;
  }};
}

/// Tasks after the memory is full that are drawn of a long run.
constexpr std::size_t many = 4096;

/// Such loads, and the mean of two runs with opposite luck. Of a run that is long, part is drawn,
/// and the rest goes on at the pace of its second half; all of it is where its course is asked for.
LimitedPrediction drawn_runs(const LimitedRun& run, const RandomOrder& order,
                             const Expected& expected) {
  const std::size_t share = run.tasks() / run.processors;
  const auto drawn_at_most = static_cast<std::size_t>(expected.fill) + many;
  const bool all = run.with_course || share <= drawn_at_most;
  const std::size_t part = all ? share : drawn_at_most;
  TaskSequence tasks = drawn_order(run, all ? run.tasks() : part * run.processors);
  const auto paced = [&](bool mirrored) {
    return paced_run(run, queue_of(run, order, tasks, expected, mirrored));
  };
  std::vector<LimitedPrediction> draws{paced(false), paced(true)};
  if (!all) {
    tasks.resize((part - many / 2) * run.processors);
    const double more = static_cast<double>(share - part) / (many / 2.0);
    for (const bool mirrored : {false, true}) {
      double& makespan_s = draws[static_cast<std::size_t>(mirrored)].makespan_s;
      makespan_s += (makespan_s - paced(mirrored).makespan_s) * more;
    }
  }
  for (LimitedPrediction& one : draws) one.loads = expected.loads;
  return mean_of_draws(std::move(draws));
}

/// Each processor runs its share of a random order.
LimitedPrediction predict_random_order(const LimitedRun& run) {
  const RandomOrder order(run);
  const auto memory = static_cast<double>(run.memory);
  const auto processors = static_cast<double>(run.processors);
  const double share = order.tasks() / processors;
  const double all_seen = order.seen(share);
  if (all_seen <= memory) {
    LimitedPrediction result =
        drawn_runs(run, order, {.fill = order.tasks(), .loads = processors * all_seen});
    result.sd_loads.reset();
    return result;
  }
  Expected expected{.fill = order.time_of(memory)};
  const TaskSequence sample = drawn_order(run, std::min(run.tasks(), many));
  expected.full = misses_with_prefetch(run, order, sample, memory);
  const double after = share - expected.fill;
  double of_task = 0;
  double variance = 0;
  for (std::size_t c = 0; c < expected.full.size(); ++c) {
    of_task += order.inputs(c) * expected.full[c];
    variance += order.inputs(c) * expected.full[c] * (1 - expected.full[c]);
  }
  expected.loads = processors * (memory + of_task * after);
  LimitedPrediction result = drawn_runs(run, order, expected);
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
                     .predict = predict_random_order}};

}  // namespace
}  // namespace damocles
