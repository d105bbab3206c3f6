#include "ode/best_beta.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "ode/data_kinds.hpp"
#include "ode/log_gamma.hpp"
#include "ode/model.hpp"
#include "ode/whole_numbers.hpp"

namespace damocles {
namespace {

double loads(const Model& model, const Problem& problem, double beta) {
  const auto prediction = model.predict(problem, beta);
  return prediction ? prediction->loads : std::numeric_limits<double>::infinity();
}

constexpr int scanned = 48;

/// Numbers of open tasks, ascending, and what a model loads at some of them: at each fourth from
/// the largest on, until that has risen far above the least, and at all around the best of these.
/// Beyond lies no other valley, and the last tasks cost most.
class ScannedThresholds {
 public:
  ScannedThresholds(const Model& model, const Problem& problem, std::vector<double> left)
      : model_(&model),
        problem_(&problem),
        left_(std::move(left)),
        loads_(left_.size(), std::numeric_limits<double>::infinity()),
        best_(left_.size() - 1) {
    constexpr std::size_t stride = 4;  // a model may sample for a tenth of a second
    constexpr double far_above = 1.03;
    bool all = true;
    for (std::size_t i = left_.size(); i-- > 0 && all; i -= std::min(i, stride - 1)) {
      look_at(i);
      all = loads_[i] <= far_above * loads_[best_];
    }
    if (all) look_at(0);
    const std::size_t around = best_;
    const std::size_t first = around - std::min(around, stride - 1);
    for (std::size_t i = first; i < std::min(left_.size(), around + stride); ++i) look_at(i);
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
  void look_at(std::size_t i) {
    if (!std::isinf(loads_[i])) return;
    loads_[i] = loads(*model_, *problem_, beta_of(*problem_, left_[i]));
    if (loads_[i] < loads_[best_]) best_ = i;
  }

  const Model* model_;
  const Problem* problem_;
  std::vector<double> left_;
  std::vector<double> loads_;
  std::size_t best_;
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

namespace {

/// Whether a processor needs a data item that it does not know, if each of the others knows the
/// item with the chance `knows` and has then covered the share `covers` of its tasks: expected over
/// the number K of those. The share (1 - covers)^K of the tasks is open, and it draws one in so
/// many processors of these: none with the chance (1 - 1 / processors)^open where they are a fixed
/// number, as they are while at most one of the K has covered each task, and the more like
/// e^(-open / processors) the more they scatter.
double needed(double tasks, double processors, double knows, double covers) {
  constexpr double enough = 8;  // standard deviations
  const double others = processors - 1;
  const double reach = enough * std::sqrt(others * knows * (1 - knows)) + 2;
  const double least = std::max(0.0, std::floor(others * knows - reach));
  const double most = std::min(others, std::ceil(others * knows + reach));
  const double fixed = -processors * std::log1p(-1 / processors) - 1;
  double chance =
      std::exp(log_gamma(others + 1) - log_gamma(least + 1) - log_gamma(others - least + 1) +
               least * std::log(knows) + (others - least) * std::log1p(-knows));
  double left = std::exp(least * std::log1p(-covers));
  double sum = 0;
  for (double k = least; k <= most; ++k) {
    const double at_most_once = left * (1 + k * covers / (1 - covers));
    sum -= chance * std::expm1(-tasks / processors * left * (1 + fixed * at_most_once));
    chance *= (others - k) / (k + 1) * knows / (1 - knows);
    left *= 1 - covers;
  }
  return sum;
}

/// Loads of the mean field of processors of equal speeds. In phase 2 a processor draws its part of
/// the open tasks, and needs a data item that it does not know as soon as one of them reads it. An
/// item has the fewer open tasks, the more of the others know it.
double quick_loads(const Problem& equal, double tasks_left) {
  const double processors = equal.processors();
  const double L = std::log(equal.tasks() / tasks_left) / processors;
  const auto side = equal.sides(L);
  const auto known_of = [&](int index) {
    return side[static_cast<std::size_t>(index)] / equal.extent(index);
  };
  double of_each = equal.data(L);
  for (const DataKind& kind : data_kinds(equal.dimensions())) {
    double known = 1;
    for (const int index : kind.of) known *= known_of(index);
    const double unknown = kind.count(equal) * (1 - known);
    if (!(unknown > 0)) continue;
    // A dimension known whole leaves nothing of an item that somebody knows.
    const double covers = std::min(known_of(kind.along), 1 - 1e-9);
    of_each += unknown * needed(equal.extent(kind.along), processors, known, covers);
  }
  return processors * of_each;
}

/// The threshold at which so many tasks are open when phase 2 starts, in the mean: the step that
/// crosses it is finished first, and finds the open ones of the cells that it adds to its box.
double threshold_before(const Problem& equal, double tasks_left) {
  const double L = std::log(equal.tasks() / tasks_left) / equal.processors();
  const auto side = equal.sides(L);
  double box = 1;
  double next = 1;
  for (int i = 0; i < equal.dimensions(); ++i) {
    const double known = side[static_cast<std::size_t>(i)];
    box *= known;
    next *= std::min(known + 1, equal.extent(i));
  }
  const double found = tasks_left * (next - box) / (equal.tasks() - box);
  return std::round(tasks_left + std::max(0.0, found - 1) / 2);
}

}  // namespace

std::optional<double> quick_tasks_left(const Problem& equal) {
  constexpr int looked_at = 40;
  const double most = equal.tasks() - 1;
  if (most < 2 || equal.processors() < 2 || !has_mean_field(equal)) return std::nullopt;
  double first = 1;
  double last = most;
  double best = last;
  do {
    const auto left = whole_numbers(first, last, looked_at);
    const auto at = std::min_element(left.begin(), left.end(), [&](double one, double other) {
      return quick_loads(equal, one) < quick_loads(equal, other);
    });
    best = *at;
    if (best == 1 || best == most) return std::nullopt;
    first = at == left.begin() ? best : *std::prev(at);
    last = std::next(at) == left.end() ? best : *std::next(at);
  } while (last - first > 2 && last / first > 1.001);
  return std::min(threshold_before(equal, best), most);
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

std::optional<BestBeta> solve_best_beta(const Model& model, const Problem& problem,
                                        std::optional<double> at_equal_speeds) {
  const bool has_equal_speeds = problem.groups().size() == 1;
  const auto equal =
      at_equal_speeds ? at_equal_speeds : best_beta(model, problem.with_equal_speeds());
  const auto best = has_equal_speeds ? equal : best_beta(model, problem);
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
