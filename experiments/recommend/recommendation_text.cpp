#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/recommend/recommendation.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/tables.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

using RankedRows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_ranked = 8;
constexpr std::array usual_choices{"eager", "lws", "dmdas"};

/// "takes 0.0689 s", "loads 1.2 GB", "loads 240 blocks", "uses 12 J".
std::string goal_in_words(const Experiment& experiment, Goal goal, double value) {
  if (goal == Goal::time) return fmt::format("takes {:.4g} s", value);
  if (goal == Goal::energy) return fmt::format("uses {:.4g} J", value);
  if (!experiment.scenario.machine()) return fmt::format("makes {:.6g} loads", value);
  return fmt::format("loads {}", size_text(static_cast<std::uint64_t>(value)));
}

const char* goal_verb(Goal goal) {
  return goal == Goal::time ? "takes" : goal == Goal::energy ? "uses" : "loads";
}

/// "1.9 times as long", "3 % longer"; of bytes and energy "as much", "more".
std::string relative_words(Goal goal, double ratio) {
  if (ratio >= 1.5) {
    return fmt::format("{:.3g} times as {}", ratio, goal == Goal::time ? "long" : "much");
  }
  return fmt::format("{:.1f} % {}", 100 * (ratio - 1), goal == Goal::time ? "longer" : "more");
}

std::string answer_line(const Experiment& experiment, const Advice& answer) {
  const Runner& best = answer.race.best();
  std::string text = fmt::format("Use {}. It {}", best.strategy,
                                 goal_in_words(experiment, answer.goal, best.mean));
  if (answer.bound > 0) {
    const double ratio = best.mean / answer.bound;
    text += ratio < 1.0005 ? ", the lower bound"
            : ratio < 2    ? fmt::format(", {:.1f} % above the lower bound", 100 * (ratio - 1))
                           : fmt::format(", {:.3g} times the lower bound", ratio);
  }
  return text + ".\n";
}

std::string lines_on_confidence(const Advice& answer) {
  const Race& race = answer.race;
  std::string text =
      fmt::format("{:.0f} % sure that none of the other {} is more than {:.0f} % better.\n",
                  std::floor(100 * race.confidence), race.runners.size() - 1, 100 * race_tolerance);
  std::vector<std::string> alike;
  for (const Runner& runner : race.runners) {
    if (runner.mean < (1 + race_tolerance) * race.best().mean) alike.push_back(runner.strategy);
  }
  if (alike.size() > 1) {
    const std::size_t others = alike.size() - 1;
    text += fmt::format("Equally good, within {:.0f} %: {}", 100 * race_tolerance, alike[1]);
    for (std::size_t k = 2; k < std::min<std::size_t>(alike.size(), 5); ++k)
      text += ", " + alike[k];
    text += others > 4 ? fmt::format(" and {} more.\n", others - 4) : ".\n";
  }
  if (race.out_of_time) {
    text += fmt::format("Time was up (--within): {} did not finish the race.\n",
                        counted(race.others.size() + race.runners.size() - 1, "strategy"));
  }
  return text;
}

std::string line_on_usual(const Advice& answer) {
  std::string text;
  for (const std::string_view usual : usual_choices) {
    for (const Runner& runner : answer.race.runners) {
      if (runner.strategy != usual || &runner == &answer.race.best()) continue;
      text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", usual, goal_verb(answer.goal),
                          relative_words(answer.goal, runner.mean / answer.race.best().mean));
    }
  }
  return text.empty() ? "" : text + ".\n";
}

std::string lines_on_doubts(const Advice& answer) {
  std::string text;
  for (const Doubt& doubt : answer.doubts) {
    text += doubt.behind < race_tolerance
                ? fmt::format("If {}: still the best.\n", doubt.change)
                : fmt::format("If {}: {} is better; {} {} {}.\n", doubt.change, doubt.best,
                              answer.race.best().strategy, goal_verb(answer.goal),
                              relative_words(answer.goal, 1 + doubt.behind));
  }
  return text;
}

std::string line_on_starpu(const Advice& answer) {
  if (!answer.of_starpu) return "";
  const std::string& best = answer.race.best().strategy;
  std::string text = fmt::format("In StarPU: STARPU_SCHED={}", answer.starpu_name);
  if (*answer.of_starpu != best) {
    const auto runner =
        std::find_if(answer.race.runners.begin(), answer.race.runners.end(),
                     [&](const Runner& one) { return one.strategy == *answer.of_starpu; });
    text +=
        fmt::format(", as StarPU has no {}; it is {} behind", best,
                    fmt::format("{:.1f} %", 100 * (runner->mean / answer.race.best().mean - 1)));
  }
  return text + ".\n";
}

std::string ranking(const Advice& answer) {
  const char* const unit = answer.goal == Goal::time     ? "makespan_s"
                           : answer.goal == Goal::energy ? "energy_j"
                                                         : "loaded";
  RankedRows rows{{"strategy", unit, "more than the best", "runs"}};
  for (std::size_t k = 0; k < std::min(most_ranked, answer.race.runners.size()); ++k) {
    const Runner& runner = answer.race.runners[k];
    rows.push_back({runner.strategy, fmt::format("{:.6g}", runner.mean),
                    fmt::format("{:.1f} %", 100 * (runner.mean / answer.race.best().mean - 1)),
                    fmt::format("{}", runner.runs.size())});
  }
  return aligned(rows);
}

}  // namespace

std::string recommendation_text(const Experiment& experiment, const Advice& answer) {
  const std::string said = answer_line(experiment, answer) + lines_on_confidence(answer) +
                           line_on_usual(answer) + lines_on_doubts(answer) + line_on_starpu(answer);
  return wrapped(said, {.width = 80}) + "\n" + ranking(answer);
}

std::string recommendation_json(const Experiment& experiment, const Advice& answer) {
  using Json = nlohmann::ordered_json;
  static constexpr std::array goals{"time", "bytes", "energy"};
  Json runners = Json::array();
  for (const Runner& runner : answer.race.runners) {
    runners.push_back(
        {{"strategy", runner.strategy}, {"mean", runner.mean}, {"runs", runner.runs}});
  }
  Json others = Json::array();
  for (const Runner& runner : answer.race.others) {
    others.push_back({{"strategy", runner.strategy},
                      {"why", runner.refused.empty() ? "no time left" : runner.refused}});
  }
  Json in_doubt = Json::array();
  for (const Doubt& doubt : answer.doubts) {
    in_doubt.push_back({{"if", doubt.change}, {"best", doubt.best}, {"behind", doubt.behind}});
  }
  Json json{{"damocles", "recommendation"},
            {"workload", experiment.workload.text()},
            {"platform", experiment.scenario.text()},
            {"seed", experiment.seed},
            {"for", goals.at(static_cast<std::size_t>(answer.goal))},
            {"strategy", answer.race.best().strategy},
            {"mean", answer.race.best().mean},
            {"lower_bound", nullptr},
            {"confidence", answer.race.confidence},
            {"out_of_time", answer.race.out_of_time},
            {"starpu_sched", nullptr},
            {"doubts", in_doubt},
            {"strategies", runners},
            {"left_out", others}};
  if (answer.bound > 0) json["lower_bound"] = answer.bound;
  if (answer.of_starpu) json["starpu_sched"] = answer.starpu_name;
  return json_text(json);
}

}  // namespace damocles
