#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/log_gamma.hpp"

namespace damocles {
namespace {

/// One step of one processor in the mean field of `dynamic`: what it computes and loads.
struct GrowthStep {
  double tasks = 0;
  double loads = 0;
};

/// Processors of equal speed that each learn a row and a column a step, of an n x n grid, and run
/// the open tasks of the new row in the order of the columns' numbers, then of the new column in
/// the order in which rows were learnt. A task is open unless another one knows its row and column.
/// Known rows and columns are read again at every step, or loaded again.
class BoxGrowth {
 public:
  explicit BoxGrowth(const LimitedRun& run)
      : n_(static_cast<double>(run.rows)),
        memory_(static_cast<double>(run.memory)),
        processors_(static_cast<double>(run.processors)) {}

  /// Steps from the first to that of the last open task.
  [[nodiscard]] std::vector<GrowthStep> steps() const {
    std::vector<GrowthStep> result;
    double left = n_ * n_;
    for (double known = 0; known < n_ && left >= 0.5; ++known) {
      const double others_lack = std::pow(1 - known * known / (n_ * n_), processors_ - 1);
      const double tasks = std::min((2 * known + 1) * others_lack, left / processors_);
      result.push_back({tasks, loads(known)});
      left -= processors_ * tasks;
    }
    return result;
  }

 private:
  [[nodiscard]] double loads(double known) const {
    if (processors_ == 1) return 2 + loads_alone(known);
    if (processors_ == 2) return 2 + loads_beside_one(known);
    return loads_beside_several(known);
  }

  /// All known data items are read at every step, 2 known + 2 in a cycle. With the cycle one too
  /// long a quarter of them is missed. Beyond, the column learnt last is there, as the pass before
  /// read it all the time; the new column may go before its own pass.
  [[nodiscard]] double loads_alone(double known) const {
    if (2 * known < memory_ - 1) return 0;
    if (2 * known == memory_ - 1) return known / 2;
    return 2 * known - std::min(1.0, std::max(0.0, memory_ - 3) / (known + 1)) +
           std::max(0.0, 1 - (memory_ - 2) / (known + 1));
  }

  /// A new row is open everywhere if the other processor does not know it, with probability 1 - x,
  /// else only in the columns that the other lacks: a pass is long or short, all or nothing.
  [[nodiscard]] double loads_beside_one(double known) const {
    const double x = known / n_;
    const double lacked = known * (1 - x);
    return 2 *
           (lacked * missed_after_a_step(known, x) + lacked * x * missed_after_passes(known, x));
  }
  /// A data item of every pass comes back after one step: what two halves of passes read, by where
  /// in the pass it stands.
  [[nodiscard]] double missed_after_a_step(double known, double x) const {
    const std::array<double, 2> sizes{known, known * (1 - x)};
    const std::array<double, 2> chances{1 - x, x};
    double missed = 0;
    for (const std::size_t before : {0U, 1U}) {
      for (const std::size_t between : {0U, 1U}) {
        for (const std::size_t after : {0U, 1U}) {
          const double low = sizes[before] + sizes[between] + 2;
          const double high = sizes[after] + sizes[between] + 2;
          const double over = low == high
                                  ? (low > memory_ - 1 ? 1.0 : 0.0)
                                  : (std::max(low, high) - memory_ + 1) / std::abs(high - low);
          missed +=
              chances[before] * chances[between] * chances[after] * std::clamp(over, 0.0, 1.0);
        }
      }
    }
    return missed;
  }
  /// A data item of long passes alone: so many short ones lie between two.
  [[nodiscard]] double missed_after_passes(double known, double x) const {
    double missed = 0;
    for (double passes = 1; passes < 60; ++passes) {
      const double all_short = std::pow(x, passes);
      const double between = std::min(known, known * (1 - x) + passes);
      const double fitting_long = known + known + 2 > memory_ ? 1 - all_short : 0;
      const double fitting_short = known + between + 2 > memory_ ? all_short : 0;
      missed += (1 - x) * std::pow(x, passes - 1) * (fitting_long + fitting_short);
    }
    return missed;
  }

  /// Data items by the number of other processors that know them, binomial with x: one that m know
  /// is read with probability (1 - x)^m a step.
  [[nodiscard]] double loads_beside_several(double known) const {
    const double x = known / n_;
    const auto others = static_cast<int>(processors_) - 1;
    std::vector<double> shares(static_cast<std::size_t>(others) + 1);
    for (int m = 0; m <= others; ++m) {
      shares[static_cast<std::size_t>(m)] =
          std::exp(log_gamma(others + 1) - log_gamma(m + 1) - log_gamma(others - m + 1)) *
          std::pow(x, m) * std::pow(1 - x, others - m);
    }
    const auto sum = [&](auto&& of_rate) {
      double total = 0;
      for (std::size_t m = 0; m < shares.size(); ++m) {
        total += shares[m] * of_rate(std::pow(1 - x, static_cast<double>(m)));
      }
      return total;
    };
    const auto missed_for = [](double rate, double steps) { return std::pow(1 - rate, steps); };
    const double fresh =
        2 * sum([&](double rate) { return 1 - missed_for(rate, std::max(known, 1.0)); });
    if (2 * known <= memory_ - 2) return fresh;
    const auto read = [&](double steps) {
      return 2 * known * sum([&](double rate) { return 1 - missed_for(rate, steps); }) +
             fresh * steps;
    };
    double fit = 0;
    while (fit < 4 * n_ && read(fit + 1) <= memory_) ++fit;
    return fresh + 2 * known * sum([&](double rate) { return rate * missed_for(rate, fit); });
  }

  double n_;
  double memory_;
  double processors_;
};

std::string why_not_square(const LimitedRun& run) {
  if (!run.is_grid()) return run.why_no_grid();
  if (run.request_s > 0) return "its mean field knows no delay of requests (request=)";
  return run.rows == run.columns ? "" : "the mean field is of grids with as many rows as columns";
}

LimitedPrediction predict_box_growth(const LimitedRun& run) {
  const auto processors = static_cast<double>(run.processors);
  const double load_s = std::max(run.link_s, processors * run.bus_s) + run.latency_s;
  LimitedPrediction result{
      .loads = 0, .makespan_s = run.mean_task_s() + 2 * processors * run.bus_s + run.latency_s};
  for (const auto& [tasks, loads] : BoxGrowth(run).steps()) {
    result.loads += processors * loads;
    result.makespan_s += std::max(tasks * run.mean_task_s(), loads * load_s);
  }
  return result;
}

const Register box_growth_model{LimitedModel{
    .name = "box-growth",
    .place = 30,
    .summary =
        "the mean field of dynamic; known rows and columns are loaded again where they do not fit"}};

LimitedPredictor grown_strategy(const char* strategy) {
  return {.name = strategy,
          .model = "box-growth",
          .alone = {.loads = 0.05, .makespan = 0.035},
          .several = {.loads = 0.165, .makespan = 0.145},
          .why_unavailable = why_not_square,
          .predict = predict_box_growth};
}

const Register box_growth_predictors{grown_strategy("dynamic"), grown_strategy("dynamic-2phases")};

}  // namespace
}  // namespace damocles
