#include "ode/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "models/runs/node_memory.hpp"
#include "models/stop.hpp"
#include "ode/request_order.hpp"

namespace damocles {
namespace {

/// A kind of data: how many there are and how many tasks read each.
struct Kind {
  double count;
  double tasks;
};

std::vector<Kind> kinds(const Workload& workload) {
  const auto extent = [&](int index) { return static_cast<double>(workload.extent(index)); };
  const double m = extent(0);
  const double n = extent(1);
  if (workload.dimensions() == 2) return {{m, n}, {n, m}};
  const double k = extent(2);
  return {{m * k, n}, {k * n, m}, {m * n, k}};
}

/// With fewer tasks than processors each is the first of another, and needs all its data.
Prediction first_tasks_alone(const Workload& workload) {
  const auto tasks = static_cast<double>(workload.tasks());
  return {tasks * workload.dimensions(), 0, 0, 0.0};
}

/// C(T - c, N) / C(T, N): N of T tasks avoid c given ones.
double missed_by(double T, double c, double N) {
  double product = 1;
  for (double i = 0; i < c && product > 0; ++i) {
    product *= std::max(0.0, T - N - i) / (T - i);
  }
  return product;
}

/// Processors that run equally many tasks.
struct Class {
  double tasks;
  double processors;
};

/// Variance of the number of processors that read a data item of c tasks, if each task falls to a
/// processor with its share of all T, alone.
double variance_of_readers(const std::vector<Class>& classes, double T, double c) {
  double sum = 0;
  for (const auto& one : classes) {
    const double q = one.tasks / T;
    const double missed = std::pow(1 - q, c);
    sum += one.processors * missed * (1 - missed);
    for (const auto& other : classes) {
      const double r = other.tasks / T;
      const double pairs = one.processors * (other.processors - (&one == &other ? 1 : 0));
      sum += pairs * (std::pow(std::max(0.0, 1 - q - r), c) - missed * std::pow(1 - r, c));
    }
  }
  return sum;
}

/// What is lost by giving the N_k: T times the variance, over the owner of a task, of the chance
/// that this task alone brings him its data of this kind.
double variance_of_shares(const std::vector<Class>& classes, double T, double c) {
  double mean = 0;
  double square = 0;
  for (const auto& one : classes) {
    const double q = one.tasks / T;
    const double alone = std::pow(1 - q, c - 1);
    mean += one.processors * q * alone;
    square += one.processors * q * alone * alone;
  }
  return T * std::max(0.0, square - mean * mean);
}

/// Counts who computes what after the first round, and what each first task would add for each
/// processor.
class SortedRun {
 public:
  SortedRun(const Workload& workload, std::span<const double> speeds)
      : workload_(workload), p_(speeds.size()), memory_(p_, workload.data()) {
    RequestOrder turns(speeds);
    for (std::uint64_t task = p_; task < workload.tasks(); ++task) {
      stop_if_asked();
      const ProcessorId processor = turns.next();
      workload.for_each_input(TaskId{task}, [&](DataId data) {
        later_loads_ += memory_.load(processor, data) ? 1 : 0;
      });
    }
  }

  /// The first task of k is any of the first p: a sum over a random permutation, whose variance is
  /// 1/(p - 1) times the sum of squares of what rows and columns leave (Hoeffding 1951).
  [[nodiscard]] Prediction prediction() const {
    const auto p = static_cast<double>(p_);
    std::vector<double> of_task(p_, 0);
    double sum = 0;
    double squares = 0;
    double row_squares = 0;
    for (std::size_t k = 0; k < p_; ++k) {
      double row = 0;
      for (std::size_t task = 0; task < p_; ++task) {
        const double adds = added(k, task);
        row += adds;
        of_task[task] += adds;
        squares += adds * adds;
      }
      sum += row;
      row_squares += row * row;
    }
    double column_squares = 0;
    for (const double column : of_task) column_squares += column * column;
    const double left = squares - (row_squares + column_squares) / p + sum * sum / (p * p);
    return {static_cast<double>(later_loads_) + sum / p, 0, 0,
            std::sqrt(std::max(0.0, left) / std::max(1.0, p - 1))};
  }

 private:
  /// Data of the task that the processor lacks after all its other tasks.
  [[nodiscard]] double added(std::size_t processor, std::uint64_t task) const {
    double lacks = 0;
    workload_.for_each_input(TaskId{task}, [&](DataId data) {
      lacks += memory_.resident(ProcessorId{static_cast<std::uint32_t>(processor)}, data) ? 0 : 1;
    });
    return lacks;
  }

  const Workload& workload_;
  std::size_t p_;
  NodeMemory memory_;
  std::uint64_t later_loads_ = 0;
};

/// For runs too large to count.
Prediction sorted_approximately(const Workload& workload, std::span<const double> speeds) {
  const double total = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  const auto all = kinds(workload);
  Prediction result{0, 0, 0, std::nullopt};
  for (const double speed : speeds) {
    for (std::size_t kind = 0; kind < all.size(); ++kind) {
      // a_i (outer) and C_ij (matrix) are read by neighbouring tasks.
      const bool neighbours = kind == (workload.dimensions() == 2 ? 0U : 2U);
      const double share = speed / total;
      const double met = neighbours ? std::min(1.0, all[kind].tasks * share)
                                    : 1 - std::pow(1 - share, all[kind].tasks);
      result.loads += all[kind].count * met;
    }
  }
  return result;
}

}  // namespace

Prediction predict_random(const Workload& workload, std::span<const double> speeds) {
  if (workload.tasks() <= speeds.size()) return first_tasks_alone(workload);
  const auto T = static_cast<double>(workload.tasks());
  std::map<std::uint64_t, double> counts;
  for (const std::uint64_t tasks : RequestOrder::tasks_of(speeds, workload.tasks()))
    counts[tasks] += 1;
  std::vector<Class> classes;
  for (const auto& [tasks, processors] : counts) {
    classes.push_back({static_cast<double>(tasks), processors});
  }
  double loads = 0;
  double variance = 0;
  for (const auto& kind : kinds(workload)) {
    for (const auto& one : classes) {
      loads += one.processors * kind.count * (1 - missed_by(T, kind.tasks, one.tasks));
    }
    variance += std::max(0.0, kind.count * variance_of_readers(classes, T, kind.tasks) -
                                  variance_of_shares(classes, T, kind.tasks));
  }
  return {loads, 0, 0, std::sqrt(variance)};
}

Prediction predict_sorted(const Workload& workload, std::span<const double> speeds) {
  if (workload.tasks() <= speeds.size()) return first_tasks_alone(workload);
  constexpr std::uint64_t most_bits = std::uint64_t{1} << 33U;
  if (workload.tasks() > sorted_limit || workload.data() > most_bits / speeds.size()) {
    return sorted_approximately(workload, speeds);
  }
  return SortedRun(workload, speeds).prediction();
}

}  // namespace damocles
