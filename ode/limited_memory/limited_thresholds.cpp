#include "ode/limited_memory/limited_thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include "ode/limited_memory/box_growth.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/whole_numbers.hpp"

namespace damocles {
namespace {

/// Below this share of its value a difference is left to chance.
constexpr double least_gain = 0.005;

/// Fewer draws of large runs: their loads differ little from one to the next.
LimitedRun as_smooth(LimitedRun run) {
  constexpr std::size_t smooth_from = 5000;  // tasks
  if (run.tasks() >= smooth_from) run.most_draws = std::min<std::size_t>(run.most_draws, 4);
  return run;
}

SwitchPoint point_of(double tasks_left, const LimitedPrediction& said) {
  return {.tasks_left = tasks_left, .loads = said.loads, .makespan_s = said.makespan_s};
}

/// Asks the model of dynamic-2phases for many thresholds at a time.
class SwitchSearch {
 public:
  SwitchSearch(LimitedRun run, std::function<void(double)> done)
      : run_(as_smooth(std::move(run))), done_(std::move(done)), never_(points({0}).front()) {}

  /// From the end on, where few tasks are left, until loads and makespan are far above their least:
  /// beyond, phase 2 costs ever more.
  void scan() {
    constexpr int first_looks = 32;
    std::vector<double> looks = whole_numbers(1, last(), first_looks);
    // The later thresholds cost the most, and need not be looked at.
    for (const double part : {0.25, 0.5, 1.0}) {
      const auto end = std::upper_bound(looks.begin(), looks.end(), part * last());
      const bool enough = add_until_far_above(points({looks.begin(), end}));
      tell(part / 2);
      if (enough) return;
      looks.erase(looks.begin(), end);
    }
  }
  /// Between the neighbours of a threshold, which has been looked at.
  void refine(double left) {
    constexpr int second_looks = 8;
    const auto [before, after] = neighbours(left);
    std::vector<double> looks = whole_numbers(before, after, second_looks);
    std::erase_if(looks, [&](double look) {
      const auto at = first_from(look);
      return at != looked_at_.end() && at->tasks_left == look;
    });
    for (const SwitchPoint& point : points(looks)) {
      looked_at_.insert(first_from(point.tasks_left), point);
    }
    tell(0.75);
  }
  [[nodiscard]] const SwitchPoint& fewest() const {
    return *std::min_element(
        looked_at_.begin(), looked_at_.end(),
        [](const SwitchPoint& one, const SwitchPoint& other) { return one.loads < other.loads; });
  }
  [[nodiscard]] const SwitchPoint& fastest() const {
    return *std::min_element(looked_at_.begin(), looked_at_.end(),
                             [](const SwitchPoint& one, const SwitchPoint& other) {
                               return one.makespan_s < other.makespan_s;
                             });
  }
  [[nodiscard]] SwitchPoints found() const {
    SwitchPoints points{
        .never = never_, .looked_at = looked_at_, .fewest_loads = never_, .fastest = never_};
    if (looked_at_.empty()) return points;
    if (fewest().loads < never_.loads * (1 - least_gain)) points.fewest_loads = fewest();
    if (fastest().makespan_s < never_.makespan_s * (1 - least_gain)) points.fastest = fastest();
    return points;
  }
  [[nodiscard]] bool has_choice() const { return last() >= 1; }

 private:
  [[nodiscard]] double last() const { return static_cast<double>(run_.tasks()) - 1; }

  /// @param tasks_left  ascending
  [[nodiscard]] std::vector<SwitchPoint> points(const std::vector<double>& tasks_left) const {
    const auto said = predict_switches(run_, tasks_left);
    std::vector<SwitchPoint> result;
    for (std::size_t at = 0; at < said.size(); ++at) {
      result.push_back(point_of(tasks_left[at], said[at]));
    }
    return result;
  }
  bool add_until_far_above(const std::vector<SwitchPoint>& points) {
    constexpr double far_above = 1.1;
    for (const SwitchPoint& here : points) {
      looked_at_.push_back(here);
      if (here.loads > far_above * fewest().loads &&
          here.makespan_s > far_above * fastest().makespan_s) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] std::vector<SwitchPoint>::iterator first_from(double left) {
    return std::lower_bound(
        looked_at_.begin(), looked_at_.end(), left,
        [](const SwitchPoint& one, double than) { return one.tasks_left < than; });
  }
  [[nodiscard]] std::pair<double, double> neighbours(double left) const {
    std::pair<double, double> around{1, last()};
    for (const SwitchPoint& one : looked_at_) {
      if (one.tasks_left < left) around.first = one.tasks_left;
      if (one.tasks_left > left) return {around.first, one.tasks_left};
    }
    return around;
  }
  void tell(double share) const {
    if (done_) done_(share);
  }

  LimitedRun run_;
  std::function<void(double)> done_;
  SwitchPoint never_;
  std::vector<SwitchPoint> looked_at_;  // ascending
};

RankedItems ranked(LimitedRun& run, std::size_t threshold) {
  run.strategy = Spec::parse(
      threshold < run.data() ? fmt::format("darts:threshold={}", threshold) : std::string("darts"),
      "strategy");
  const LimitedPrediction said = Table<LimitedPredictor>::named(run.strategy.name()).predict(run);
  return {.threshold = threshold, .loads = said.loads, .makespan_s = said.makespan_s};
}

}  // namespace

SwitchPoint switch_point(LimitedRun run, double tasks_left) {
  run = as_smooth(std::move(run));
  run.strategy = Spec::parse(fmt::format("dynamic-2phases:tasks-left={}", tasks_left), "strategy");
  const auto& predictor = Table<LimitedPredictor>::named(run.strategy.name());
  return point_of(tasks_left, predictor.predict(run));
}

SwitchPoints switch_points(LimitedRun run, const std::function<void(double)>& done) {
  SwitchSearch search(std::move(run), done);
  if (!search.has_choice()) return search.found();
  search.scan();
  search.refine(search.fewest().tasks_left);
  search.refine(search.fastest().tasks_left);
  return search.found();
}

SwitchRange nearly_fewest_loads(const SwitchPoints& points, double within) {
  const double most = points.fewest_loads.loads * (1 + within);
  const auto is_good = [&](const SwitchPoint& one) { return one.loads <= most; };
  const auto best = std::find_if(
      points.looked_at.begin(), points.looked_at.end(),
      [&](const SwitchPoint& one) { return one.tasks_left == points.fewest_loads.tasks_left; });
  const auto after = std::find_if_not(best, points.looked_at.end(), is_good);
  const auto before =
      std::find_if_not(std::make_reverse_iterator(best), points.looked_at.rend(), is_good);
  return {.fewest_tasks_left = before.base()->tasks_left,
          .most_tasks_left = std::prev(after)->tasks_left};
}

std::vector<RankedItems> ranking_thresholds(LimitedRun run, double within) {
  std::vector<RankedItems> looked_at{ranked(run, run.data())};
  for (std::size_t threshold = std::bit_ceil(run.data()) / 2; threshold > 0; threshold /= 2) {
    looked_at.push_back(ranked(run, threshold));
    if (looked_at.back().loads > looked_at.front().loads * (1 + within)) break;
  }
  return looked_at;
}

}  // namespace damocles
