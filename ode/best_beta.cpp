#include "ode/best_beta.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ode/whole_numbers.hpp"

namespace damocles {
namespace {

double loads(const Model& model, const Problem& problem, double beta) {
  const auto prediction = model.predict(problem, beta);
  return prediction ? prediction->loads : std::numeric_limits<double>::infinity();
}

constexpr int scanned = 48;

/// Numbers of open tasks, ascending, and what a model loads there; from the largest on, until that
/// has risen far above the least. Beyond lies no other valley, and the last tasks cost most.
class ScannedThresholds {
 public:
  ScannedThresholds(const Model& model, const Problem& problem, std::vector<double> left)
      : left_(std::move(left)), loads_(left_.size(), std::numeric_limits<double>::infinity()) {
    constexpr double far_above = 1.03;
    for (std::size_t i = left_.size(); i-- > 0;) {
      loads_[i] = loads(model, problem, beta_of(problem, left_[i]));
      if (loads_[i] < loads_[best_] || i + 1 == left_.size()) best_ = i;
      if (loads_[i] > far_above * loads_[best_]) break;
    }
  }

  [[nodiscard]] bool is_inside() const {
    return best_ > 0 && best_ + 1 < left_.size() && loads_[best_] < loads_.front() &&
           loads_[best_] < loads_.back();
  }
  [[nodiscard]] double before() const { return left_[best_ - (best_ > 0 ? 1 : 0)]; }
  [[nodiscard]] double after() const { return left_[std::min(best_ + 1, left_.size() - 1)]; }
  [[nodiscard]] double left() const { return left_[best_]; }
  [[nodiscard]] double least() const { return loads_[best_]; }

 private:
  std::vector<double> left_;
  std::vector<double> loads_;
  std::size_t best_ = 0;
};

/// The last number of open tasks from `best` towards `end` at which at most `most` is loaded.
double last_within(const Model& model, const Problem& problem, double best, double end,
                   double most) {
  const auto good = [&](double left) {
    return loads(model, problem, beta_of(problem, left)) <= most;
  };
  const double factor = std::pow(problem.tasks(), (end > best ? 1.0 : -1.0) / scanned);
  double within = best;
  double beyond = best;
  while (within == beyond && within != end) {
    beyond = std::round(within * factor);
    if (beyond == within) beyond += end > best ? 1 : -1;
    beyond = end > best ? std::min(beyond, end) : std::max(beyond, end);
    if (good(beyond)) within = beyond;
  }
  while (std::abs(beyond - within) > std::max(1.0, 1e-3 * within)) {
    const double middle = std::round((within + beyond) / 2);
    (good(middle) ? within : beyond) = middle;
  }
  return within;
}

}  // namespace

double beta_of(const Problem& problem, double tasks_left) {
  const double most = std::log(problem.tasks() / tasks_left);
  for (double scale = 100; scale < 1e15; scale *= 10) {
    const double beta = std::floor(most * scale) / scale;
    if (problem.tasks_left(beta) == tasks_left) return beta;
  }
  return most;
}

std::optional<Threshold> best_threshold(const Model& model, const Problem& problem) {
  constexpr int looked_at = 64;
  constexpr double enough = 1e-6;  // relative: below, nobody tells two thresholds apart
  if (problem.tasks() < 3) return std::nullopt;
  ScannedThresholds scan(model, problem, whole_numbers(1, problem.tasks() - 1, scanned));
  if (!scan.is_inside()) return std::nullopt;
  double first = 0;
  double last = 0;
  do {
    first = scan.before();
    last = scan.after();
    scan = ScannedThresholds(model, problem, whole_numbers(first, last, looked_at));
  } while (last - first >= looked_at && last / first > 1 + enough);
  return Threshold{scan.left(), beta_of(problem, scan.left()), scan.least()};
}

BetaRange nearly_as_good(const Model& model, const Problem& problem, const Threshold& best,
                         double within) {
  const double most = best.loads * (1 + within);
  const double fewest = last_within(model, problem, best.tasks_left, 1, most);
  const double many = last_within(model, problem, best.tasks_left, problem.tasks() - 1, most);
  constexpr double digits = 100;
  const double lowest = std::ceil(std::log(problem.tasks() / (many + 1)) * digits) / digits;
  const double highest = std::floor(std::log(problem.tasks() / fewest) * digits) / digits;
  return {std::min(lowest, best.beta), std::max(highest, best.beta)};
}

std::optional<double> best_beta(const Model& model, const Problem& problem) {
  if (model.counts_tasks) {
    const auto best = best_threshold(model, problem);
    return best ? std::optional(best->beta) : std::nullopt;
  }
  // The first-order formulas turn down again, below zero, once beta rs_k is no longer small: the
  // minimum meant is the first valley.
  const double last = std::log(problem.tasks());
  double before = std::numeric_limits<double>::infinity();
  double here = loads(model, problem, last / scanned);
  for (int i = 1; i < scanned; ++i) {
    const double beta = last * i / scanned;
    const double after = loads(model, problem, last * (i + 1) / scanned);
    // A formula that stops saying anything has no valley there.
    if (here <= before && here < after && std::isfinite(before) && std::isfinite(after)) {
      const auto [best, value] = boost::math::tools::brent_find_minima(
          [&](double b) { return loads(model, problem, b); }, beta - last / scanned,
          beta + last / scanned, std::numeric_limits<double>::digits / 2);
      return std::isfinite(value) ? std::optional(best) : std::nullopt;
    }
    before = here;
    here = after;
  }
  return std::nullopt;
}

std::optional<BestBeta> solve_best_beta(const Model& model, const Problem& problem) {
  const auto best = best_beta(model, problem);
  const auto equal = best_beta(model, problem.with_equal_speeds());
  if (!best || !equal) return std::nullopt;
  const double at_equal = loads(model, problem, *equal);
  if (!std::isfinite(at_equal)) return std::nullopt;
  // A search may miss the least by a hair, and the other threshold hit it.
  const double beta = at_equal < loads(model, problem, *best) ? *equal : *best;
  const auto prediction = *model.predict(problem, beta);
  return BestBeta{beta, prediction.loads / problem.balanced_bound(), prediction.phase1_fraction,
                  *equal, at_equal / problem.balanced_bound()};
}

}  // namespace damocles
