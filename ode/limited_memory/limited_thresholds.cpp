#include "ode/limited_memory/limited_thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/whole_numbers.hpp"

namespace damocles {
namespace {

/// Below this share of its value a difference is left to chance.
constexpr double least_gain = 0.005;

/// Asks the model of dynamic-2phases for one threshold after another.
class SwitchSearch {
 public:
  explicit SwitchSearch(LimitedRun run) : run_(std::move(run)), never_(switch_point(run_, 0)) {}

  /// From the end on, where few tasks are left, until loads and makespan are far above their least:
  /// beyond, phase 2 costs ever more.
  void scan() {
    constexpr int first_looks = 32;
    constexpr double far_above = 1.1;
    for (const double left : whole_numbers(1, last(), first_looks)) {
      const SwitchPoint& here = looked_at_.emplace_back(switch_point(run_, left));
      if (here.loads > far_above * fewest().loads &&
          here.makespan_s > far_above * fastest().makespan_s) {
        return;
      }
    }
  }
  /// Between the neighbours of a threshold, which has been looked at.
  void refine(double left) {
    constexpr int second_looks = 8;
    const auto [before, after] = neighbours(left);
    for (const double between : whole_numbers(before, after, second_looks)) {
      const auto at = std::lower_bound(
          looked_at_.begin(), looked_at_.end(), between,
          [](const SwitchPoint& one, double than) { return one.tasks_left < than; });
      if (at != looked_at_.end() && at->tasks_left == between) continue;
      looked_at_.insert(at, switch_point(run_, between));
    }
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

  [[nodiscard]] std::pair<double, double> neighbours(double left) const {
    std::pair<double, double> around{1, last()};
    for (const SwitchPoint& one : looked_at_) {
      if (one.tasks_left < left) around.first = one.tasks_left;
      if (one.tasks_left > left) return {around.first, one.tasks_left};
    }
    return around;
  }

  LimitedRun run_;
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
  constexpr std::size_t smooth_from = 5000;  // tasks: loads of more differ little between draws
  if (run.tasks() >= smooth_from) run.most_draws = 4;
  run.strategy = Spec::parse(fmt::format("dynamic-2phases:tasks-left={}", tasks_left), "strategy");
  const auto& predictor = Table<LimitedPredictor>::named(run.strategy.name());
  const LimitedPrediction said = predictor.predict(run);
  return {.tasks_left = tasks_left, .loads = said.loads, .makespan_s = said.makespan_s};
}

SwitchPoints switch_points(LimitedRun run) {
  SwitchSearch search(std::move(run));
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
