#include "experiments/prediction/limited_beta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "damocles_version.hpp"
#include "experiments/prediction/limited_predictions.hpp"
#include "experiments/prediction/thresholds.hpp"
#include "experiments/results/formats.hpp"
#include "models/quantity.hpp"
#include "ode/limited_memory/limited_thresholds.hpp"

namespace damocles {
namespace {

constexpr double near_fewest = 0.01;   // of loads: thresholds that are as good
constexpr double near_ranking = 0.05;  // likewise, of darts

/// A threshold that the table names.
struct NamedPoint {
  std::string name;
  SwitchPoint point;
};

/// What is known of the thresholds of one experiment.
class LimitedAnswer {
 public:
  LimitedAnswer(const Experiment& experiment, const Progress& progress)
      : experiment_(experiment),
        platform_(experiment.scenario.draw(experiment.seed, 0)),
        choice_(chosen_strategy("dynamic-2phases", experiment.workload)),
        points_(limited_switch_points(choice_, experiment.workload, platform_, progress)),
        bound_(volume_bounds(experiment.workload, platform_).lower) {}

  [[nodiscard]] const SwitchPoints& points() const { return points_; }
  [[nodiscard]] double bound() const { return bound_; }
  [[nodiscard]] bool switches() const { return points_.fewest_loads.tasks_left > 0; }
  [[nodiscard]] double beta(double tasks_left) const {
    return beta_for(experiment_.workload, tasks_left);
  }
  [[nodiscard]] double beta(const SwitchPoint& point) const { return beta(point.tasks_left); }
  [[nodiscard]] double ratio(const SwitchPoint& point) const { return point.loads / bound_; }
  [[nodiscard]] std::string model() const {
    return limited_trust(choice_.entry->name, experiment_)->model;
  }
  /// Betas with which nearly as few data items are loaded. @pre switches()
  [[nodiscard]] BetaRange range() const {
    const SwitchRange left = nearly_fewest_loads(points_, near_fewest);
    return {beta(left.most_tasks_left), beta(left.fewest_tasks_left)};
  }
  /// The recommended threshold first, and those that a reader would compare it with.
  [[nodiscard]] std::vector<NamedPoint> named_points() const {
    std::vector<NamedPoint> named;
    if (switches()) named.push_back({"fewest loads", points_.fewest_loads});
    if (points_.fastest.tasks_left > 0) named.push_back({"fastest", points_.fastest});
    const auto unlimited =
        recommended_threshold(experiment_.workload, experiment_.scenario.processors());
    if (unlimited) {
      named.push_back({"best with unlimited memory", switch_point(run(), unlimited->tasks_left)});
    }
    named.push_back({"none (dynamic)", points_.never});
    return named;
  }
  /// Of darts; none where no model speaks of it.
  [[nodiscard]] std::vector<RankedItems> ranked() const {
    const StrategyChoice darts = chosen_strategy("darts", experiment_.workload);
    if (!why_no_limited_model(darts, experiment_.workload, platform_).empty()) return {};
    return ranking_thresholds(modelled_run(darts, experiment_.workload, platform_), near_ranking);
  }
  /// How near predictions are expected to be, or why that is not known.
  [[nodiscard]] std::string trust() const {
    const std::string outside = why_outside_study(run());
    if (!outside.empty()) return "Outside the validated domain: " + outside;
    const ExpectedErrors errors = limited_trust(choice_.entry->name, experiment_)->errors;
    return fmt::format("Nine of ten predictions of {} are within {:g} % (makespan {:g} %)", model(),
                       100 * errors.loads, 100 * errors.makespan);
  }

 private:
  [[nodiscard]] LimitedRun run() const {
    return modelled_run(choice_, experiment_.workload, platform_);
  }

  const Experiment& experiment_;
  Platform platform_;
  StrategyChoice choice_;
  const SwitchPoints& points_;
  double bound_;
};

std::string limited_recommendation(const LimitedAnswer& answer) {
  const SwitchPoints& points = answer.points();
  if (!answer.switches()) {
    return fmt::format(
        "do not switch: use dynamic; beta=auto keeps phase 1 to the last task too\n"
        "  by the model {}, no threshold saves 0.5 % of the {:.6g} loads of dynamic\n",
        answer.model(), points.never.loads);
  }
  const auto [lowest, highest] = answer.range();
  const std::string as_good = lowest < highest ? fmt::format("; {:.4g} to {:.4g} is within {:g} %",
                                                             lowest, highest, 100 * near_fewest)
                                               : "";
  const SwitchPoint& best = points.fewest_loads;
  return fmt::format(
      "use beta = {} ({:g} tasks left{})\n"
      "  fewest loads by the model {} for this memory; beta=auto uses it\n"
      "  saves {:.1f} % of the loads of dynamic, which never switches\n",
      shown_beta(answer.beta(best)), best.tasks_left, as_good, answer.model(),
      100 * (1 - best.loads / points.never.loads));
}

std::string table_of_points(const LimitedAnswer& answer, const TableStyle& style) {
  std::vector<std::vector<std::string>> rows{
      {"threshold", "beta", "tasks_left", "loads", "volume_ratio", "makespan_s"}};
  for (const auto& [name, point] : answer.named_points()) {
    const bool switches = point.tasks_left > 0;
    rows.push_back({name, switches ? shown_beta(answer.beta(point)) : "–",
                    switches ? fmt::format("{:g}", point.tasks_left) : "–",
                    fmt::format("{:.6g}", point.loads), fmt::format("{:.4f}", answer.ratio(point)),
                    fmt::format("{:.6g}", point.makespan_s)});
  }
  return aligned(std::move(rows), style);
}

/// "darts: threshold=64 ranks 64 of 100 data items and loads 3.1 % more than ranking all; ..."
std::string advice_on_darts(const std::vector<RankedItems>& ranked) {
  if (ranked.size() < 2) return "";
  const auto more = [&](const RankedItems& one) {
    const double over = one.loads / ranked.front().loads - 1;
    return over < 5e-4 ? std::string("no more") : fmt::format("{:.1f} % more", 100 * over);
  };
  const RankedItems& last = ranked.back();
  const bool all_good = last.loads <= ranked.front().loads * (1 + near_ranking);
  const RankedItems& enough = all_good ? last : ranked[ranked.size() - 2];
  const std::string all = counted(ranked.front().threshold, "data item");
  if (&enough == &ranked.front()) {
    return fmt::format("darts: rank all {}; threshold={} loads {}\n", all, last.threshold,
                       more(last));
  }
  std::string text = fmt::format("darts: threshold={} ranks {} of {} and loads {} than ranking all",
                                 enough.threshold, enough.threshold, all, more(enough));
  if (!all_good) text += fmt::format("; threshold={} loads {}", last.threshold, more(last));
  return text + "\n";
}

/// The points of the curve as one text, as that of unlimited memory; ascending beta.
std::string limited_curve(const LimitedAnswer& answer) {
  std::string text;
  std::vector<SwitchPoint> points = answer.points().looked_at;
  std::reverse(points.begin(), points.end());
  for (const SwitchPoint& point : points) {
    text += fmt::format("{}{:.5g}:{:.6g}", text.empty() ? "" : " ", answer.beta(point),
                        answer.ratio(point));
  }
  return text;
}

std::string status_of_switch(const LimitedAnswer& answer) {
  return answer.switches() ? "ok" : "no threshold saves 0.5 % of the loads of dynamic";
}

std::optional<double> if_switching(const LimitedAnswer& answer, double value) {
  return answer.switches() ? std::optional(value) : std::nullopt;
}

nlohmann::ordered_json json_of_point(const LimitedAnswer& answer, const NamedPoint& named) {
  const bool switches = named.point.tasks_left > 0;
  return {{"threshold", named.name},
          {"beta", json_number(switches ? std::optional(answer.beta(named.point)) : std::nullopt)},
          {"tasks_left", named.point.tasks_left},
          {"loads", named.point.loads},
          {"volume_ratio", answer.ratio(named.point)},
          {"makespan_s", named.point.makespan_s}};
}

}  // namespace

std::string limited_beta_text(const Experiment& experiment, const TableStyle& style,
                              const Progress& progress) {
  const LimitedAnswer answer(experiment, progress);
  TableStyle own = style;
  if (own.width == 0) own.width = 80;
  const std::string heading =
      fmt::format("{} on {}: best threshold of dynamic-2phases; lower bound {:.6g} loads\n",
                  experiment.workload.text(), experiment.scenario.text(), answer.bound());
  return fmt::format("{}\n{}\n{}\n{}{}", wrapped(heading, own), limited_recommendation(answer),
                     table_of_points(answer, own), wrapped(advice_on_darts(answer.ranked()), own),
                     wrapped(answer.trust() + "\n", own));
}

std::string limited_beta_json(const Experiment& experiment, const Progress& progress) {
  const LimitedAnswer answer(experiment, progress);
  nlohmann::ordered_json recommended;
  if (answer.switches()) {
    const SwitchPoint& best = answer.points().fewest_loads;
    recommended = {{"beta", answer.beta(best)},
                   {"tasks_left", best.tasks_left},
                   {"lowest_beta", answer.range().lowest},
                   {"highest_beta", answer.range().highest},
                   {"volume_ratio", answer.ratio(best)}};
  }
  nlohmann::ordered_json records = nlohmann::ordered_json::array();
  for (const NamedPoint& named : answer.named_points()) {
    records.push_back(json_of_point(answer, named));
  }
  nlohmann::ordered_json darts = nlohmann::ordered_json::array();
  for (const RankedItems& one : answer.ranked()) {
    darts.push_back(
        {{"threshold", one.threshold}, {"loads", one.loads}, {"makespan_s", one.makespan_s}});
  }
  return json_text({{"command", "beta"},
                    {"version", version},
                    {"model", answer.model()},
                    {"recommended", recommended},
                    {"records", records},
                    {"curve", limited_curve(answer)},
                    {"darts", darts}});
}

ValueTable limited_beta_rows(const Experiment& experiment, const Progress& progress) {
  const LimitedAnswer answer(experiment, progress);
  const auto number = [&](double value) {
    const auto known = if_switching(answer, value);
    return known ? Value(*known) : Value();
  };
  const SwitchPoint& best = answer.points().fewest_loads;
  const double beta = answer.beta(best);
  const double ratio = answer.ratio(best);
  const double phase1 = 1 - best.tasks_left / static_cast<double>(experiment.workload.tasks());
  return {{"model", "beta", "volume_ratio", "phase1_fraction", "beta_homogeneous",
           "volume_ratio_at_beta_homogeneous", "over_recommended", "recommended_beta", "status",
           "workload", "platform", "curve"},
          {{answer.model(), number(beta), number(ratio), number(phase1), number(beta),
            number(ratio), number(0), number(beta), status_of_switch(answer),
            experiment.workload.text(), experiment.scenario.text(), limited_curve(answer)}}};
}

}  // namespace damocles
