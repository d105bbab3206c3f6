#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "experiments/recommend/best_value.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/tables.hpp"
#include "models/platforms/gpus.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

using RankedRows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_ranked = 8;
constexpr std::size_t most_alike_named = 4;
constexpr std::array usual_choices{"eager", "lws", "dmdas"};

/// "takes 0.0689 s", "loads 1.2 GB", "loads 240 blocks", "uses 12 J".
std::string goal_in_words(const Experiment& experiment, Goal goal, double value) {
  if (goal == Goal::time) return fmt::format("takes {:.4g} s", value);
  if (goal == Goal::energy) return fmt::format("uses {:.4g} J", value);
  if (!experiment.scenario.machine()) return fmt::format("makes {:.6g} loads", value);
  return fmt::format("loads {}", size_text(static_cast<std::uint64_t>(value)));
}

/// "takes 1.9 times as long", "takes 3 % longer"; of bytes and energy "as much", "more".
std::string more_in_words(Goal goal, double ratio) {
  const bool time = goal == Goal::time;
  const char* const verb = time ? "takes" : goal == Goal::energy ? "uses" : "loads";
  if (std::isinf(ratio)) return fmt::format("{} more than nothing", verb);
  if (ratio >= 1.5) {
    return fmt::format("{} {:.3g} times as {}", verb, ratio, time ? "long" : "much");
  }
  return fmt::format("{} {:.1f} % {}", verb, 100 * (ratio - 1), time ? "longer" : "more");
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

/// Of which machine the times of the tasks are, or "".
std::string kernel_times_of(const Experiment& experiment) {
  const auto& machine = experiment.scenario.machine();
  return machine ? measured_kernels_in_use(*machine, experiment.workload) : "";
}

std::string line_on_times(const Experiment& experiment) {
  const std::string names = kernel_times_of(experiment);
  return names.empty() ? "" : fmt::format("Kernel times: {}.\n", measured_kernels_in_words(names));
}

/// "3.1 %"; "" of what has no end.
std::string percent_cell(double share) {
  return std::isinf(share) ? "" : fmt::format("{:.1f} %", 100 * share);
}

/// How much worse than the best a runner is, relative.
double behind_best(const Advice& answer, const Runner& runner) {
  return relative_difference(runner.mean, answer.race.best().mean);
}

/// "98 % sure that none of the other 39 is more than 2 % better."; "" where there is no other.
std::string line_on_certainty(const Advice& answer) {
  const std::size_t others = answer.race.runners.size() + answer.predicted_losers.size() - 1;
  if (others == 0) return "";
  return fmt::format(
      "{:.0f} % sure that {} more than {:.0f} % better.\n",
      std::floor(100 * answer.race.confidence),
      others == 1 ? "the other one is not" : fmt::format("none of the other {} is", others),
      100 * race_tolerance);
}

/// Those that are as good as the best, itself first.
std::vector<std::string> alike_runners(const Advice& answer) {
  std::vector<std::string> alike;
  for (const Runner& runner : answer.race.runners) {
    if (!runner.out && behind_best(answer, runner) < race_tolerance) {
      alike.push_back(runner.strategy);
    }
  }
  return alike;
}

std::string lines_on_confidence(const Advice& answer) {
  const Race& race = answer.race;
  const std::size_t losers = answer.predicted_losers.size();
  std::string text = line_on_certainty(answer);
  if (losers > 0) {
    text += fmt::format("{} of them {} not simulated: predicted to be far behind.\n", losers,
                        losers == 1 ? "was" : "were");
  }
  const auto alike = alike_runners(answer);
  if (alike.size() > 1) {
    const std::size_t others = alike.size() - 1;
    text += fmt::format("Equally good, within {:.0f} %: {}", 100 * race_tolerance, alike[1]);
    for (std::size_t k = 2; k < std::min(alike.size(), most_alike_named + 1); ++k)
      text += ", " + alike[k];
    text += others > most_alike_named ? fmt::format(" and {} more.\n", others - most_alike_named)
                                      : ".\n";
  }
  if (race.out_of_time) {
    text += fmt::format("Time was up (--within): {} did not finish the race.\n",
                        counted(race.others.size() + race.runners.size() - 1, "strategy"));
  }
  return text;
}

std::string line_on_usual(const Advice& answer) {
  std::string text;
  const auto add = [&](std::string_view usual, double value, std::string_view how) {
    text += fmt::format(
        "{}{} {}{}", text.empty() ? "" : "; ", usual,
        more_in_words(answer.goal, 1 + relative_difference(value, answer.race.best().mean)), how);
  };
  for (const std::string_view usual : usual_choices) {
    for (const Runner& runner : answer.race.runners) {
      if (runner.strategy == usual && &runner != &answer.race.best()) add(usual, runner.mean, "");
    }
    for (const Expected& loser : answer.predicted_losers) {
      if (loser.strategy == usual) add(usual, loser.value, " (predicted)");
    }
  }
  return text.empty() ? "" : text + ".\n";
}

std::string lines_on_doubts(const Advice& answer) {
  std::string text;
  for (const Doubt& doubt : answer.doubts) {
    text += doubt.behind < race_tolerance
                ? fmt::format("If {}: still the best.\n", doubt.change)
                : fmt::format("If {}: {} is better; {} {}.\n", doubt.change, doubt.best,
                              answer.race.best().strategy,
                              more_in_words(answer.goal, 1 + doubt.behind));
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
    text += fmt::format(", as StarPU has no {}; it is {} behind", best,
                        percent_cell(behind_best(answer, *runner)));
  }
  return text + ".\n";
}

const char* column_of_goal(Goal goal) {
  return goal == Goal::time ? "makespan_s" : goal == Goal::energy ? "energy_j" : "loaded";
}

/// The strategies that the words above the table name.
std::set<std::string_view> named_in_words(const Advice& answer,
                                          std::span<const std::string> alike) {
  std::set<std::string_view> names(usual_choices.begin(), usual_choices.end());
  names.insert(alike.begin(), alike.begin() + static_cast<std::ptrdiff_t>(
                                                  std::min(alike.size(), most_alike_named + 1)));
  for (const Doubt& doubt : answer.doubts) names.insert(doubt.best);
  if (answer.of_starpu) names.insert(*answer.of_starpu);
  return names;
}

/// The first ones, and all others that were named.
std::string ranking(const Advice& answer) {
  const auto alike = alike_runners(answer);
  const auto named = named_in_words(answer, alike);
  RankedRows rows{{"strategy", column_of_goal(answer.goal), "more than the best", "runs"}};
  for (std::size_t k = 0; k < answer.race.runners.size(); ++k) {
    const Runner& runner = answer.race.runners[k];
    if (k >= most_ranked && !named.contains(runner.strategy)) continue;
    rows.push_back({runner.strategy, fmt::format("{:.6g}", runner.mean),
                    percent_cell(behind_best(answer, runner)),
                    fmt::format("{}", runner.runs.size())});
  }
  for (const Expected& loser : answer.predicted_losers) {
    if (!named.contains(loser.strategy)) continue;
    rows.push_back({loser.strategy, fmt::format("{:.6g}", loser.value),
                    percent_cell(relative_difference(loser.value, answer.race.best().mean)),
                    "0 (predicted)"});
  }
  return aligned(rows);
}

/// Where it is the number of GPUs that differs: "a fourth GPU"; else "".
std::string one_gpu_more(const std::vector<AdviceAt>& points, std::size_t at) {
  static constexpr std::array ordinals{"",      "second", "third",   "fourth",
                                       "fifth", "sixth",  "seventh", "eighth"};
  const auto gpus = [&](std::size_t k) -> std::size_t {
    const auto& machine = points[k].experiment.scenario.machine();
    return machine ? machine->on_buses() : 0;
  };
  const std::size_t now = gpus(at);
  const bool one_more = at + 1 < points.size() && gpus(at + 1) == now + 1;
  return one_more && now > 0 && now < ordinals.size() ? fmt::format("a {} GPU", ordinals.at(now))
                                                      : "";
}

std::string gain_in_words(double gain) {
  return gain < 0.0005 ? "gains nothing" : fmt::format("gains {:.1f} %", 100 * gain);
}

/// "memory=300MB is enough: more gains 1.4 %."
std::string verdict(const std::string& key, const std::vector<AdviceAt>& points,
                    const BestValue& choice) {
  const AdviceAt& chosen = points[choice.at];
  const std::string name = fmt::format("{}={}", key, chosen.value);
  const auto ratio = [&](std::size_t k) {
    return 1 + relative_difference(points[k].mean(), chosen.mean());
  };
  if (choice.kind == BestValue::Kind::enough) {
    const std::string gpu = one_gpu_more(points, choice.at);
    const double gain = gpu.empty() ? choice.gain : 1 - ratio(choice.at + 1);
    return fmt::format("{} {}: {} {}.\n", name,
                       gpu.empty() || choice.at == 0 ? "is enough" : "pays",
                       gpu.empty() ? "more" : gpu, gain_in_words(gain));
  }
  if (choice.kind == BestValue::Kind::most) {
    if (points.size() == 1) return name + " alone has a run.\n";
    return fmt::format(
        "{} is the best of these values, and the greatest: it {} over {}={}. More may gain too.\n",
        name, gain_in_words(1 - 1 / ratio(choice.at - 1)), key, points[choice.at - 1].value);
  }
  std::string others;
  const std::size_t from = choice.at > 0 ? choice.at - 1 : 0;
  for (std::size_t k = from; k < std::min(from + 3, points.size()); ++k) {
    if (k == choice.at) continue;
    others += fmt::format("{} {}={} {}", others.empty() ? ":" : ",", key, points[k].value,
                          std::abs(ratio(k) - 1) < race_tolerance
                              ? "is as good"
                              : more_in_words(chosen.answer->goal, ratio(k)));
  }
  return fmt::format("{} is the best of these values{}.\n", name, others);
}

/// Points that have an answer, in order, and which one to choose; nothing where their work differs.
struct ComparedValues {
  std::vector<AdviceAt> answered;
  std::vector<AdviceAt> refused;
  std::optional<BestValue> choice;
  std::string said;
};

ComparedValues compared_values(const std::string& key, std::vector<AdviceAt> points) {
  ComparedValues result;
  const bool ordered = sort_by_value(points);
  for (AdviceAt& point : points) {
    (point.answer ? result.answered : result.refused).push_back(std::move(point));
  }
  if (!same_work(result.answered)) {
    result.said =
        fmt::format("{} changes what the tasks compute, so its values are not compared.\n", key);
    return result;
  }
  std::vector<double> means;
  for (const AdviceAt& point : result.answered) means.push_back(point.mean());
  // A resource is to be small; the size of tiles costs nothing.
  result.choice = best_value(means, ordered && key != "tile");
  result.said = verdict(key, result.answered, *result.choice);
  return result;
}

std::string table_of_values(const std::string& key, const ComparedValues& values) {
  const Goal goal = values.answered.front().answer->goal;
  RankedRows rows{{key, "strategy", column_of_goal(goal), "above the bound", "more than the best"}};
  const bool tiles = key == "tile";  // a matrix has as many of them as it takes
  if (tiles) rows[0].insert(rows[0].begin() + 1, "n");
  double least = std::numeric_limits<double>::infinity();
  for (const AdviceAt& point : values.answered) least = std::min(least, point.mean());
  for (const AdviceAt& point : values.answered) {
    const double bound = point.answer->bound;
    rows.push_back(
        {point.value, point.answer->race.best().strategy, fmt::format("{:.6g}", point.mean()),
         bound > 0 ? fmt::format("{:.1f} %", std::max(0.0, 100 * (point.mean() / bound - 1))) : "",
         values.choice ? percent_cell(relative_difference(point.mean(), least)) : ""});
    if (tiles) {
      const Spec workload = Spec::parse(point.experiment.workload.text(), "workload");
      rows.back().insert(rows.back().begin() + 1, workload.word("n").value_or(""));
    }
  }
  return aligned(rows);
}

}  // namespace

namespace {

/// What the times of tiles of several sizes are worth.
std::string line_on_tiles(const std::vector<AdviceAt>& points) {
  if (!points.front().experiment.scenario.machine()) return "";
  if (kernel_times_of(points.front().experiment).empty()) {
    return "All tiles are taken to run at one rate, the platform's; on a GPU small tiles are slower.\n";
  }
  std::string guessed;
  for (const AdviceAt& point : points) {
    if (kernel_times_of(point.experiment).find('@') == std::string::npos) continue;
    guessed += fmt::format("{}{}", guessed.empty() ? "" : ", ", point.value);
  }
  return guessed.empty() ? ""
                         : fmt::format(
                               "Kernels were measured at tiles of 960 and 1920; their times "
                               "at tile={} are extrapolated.\n",
                               guessed);
}

}  // namespace

std::string values_text(const std::string& key, std::vector<AdviceAt> points) {
  const ComparedValues values = compared_values(key, std::move(points));
  std::string said = values.said;
  if (values.choice) {
    const AdviceAt& chosen = values.answered[values.choice->at];
    said += answer_line(chosen.experiment, *chosen.answer);
    said += line_on_times(chosen.experiment);
    if (key == "tile") said += line_on_tiles(values.answered);
  }
  const auto late =
      std::count_if(values.answered.begin(), values.answered.end(),
                    [](const AdviceAt& point) { return point.answer->race.out_of_time; });
  if (late > 0) {
    said += fmt::format("Time was up (--within) before the race ended at {} of {}.\n", late,
                        counted(values.answered.size(), "value"));
  }
  for (const AdviceAt& point : values.refused) {
    said += fmt::format("{}={} is left out: {}.\n", key, point.value, point.refused);
  }
  return wrapped(said, {.width = 80}) + "\n" + table_of_values(key, values);
}

std::string recommendation_text(const Experiment& experiment, const Advice& answer) {
  const std::string gpus = preset_memory_in_words(experiment.scenario.text());
  const std::string said = (gpus.empty() ? "" : "On " + gpus + ":\n") +
                           answer_line(experiment, answer) + lines_on_confidence(answer) +
                           line_on_usual(answer) + lines_on_doubts(answer) +
                           line_on_starpu(answer) + line_on_times(experiment);
  return wrapped(said, {.width = 80}) + "\n" + ranking(answer);
}

namespace {

using Json = nlohmann::ordered_json;

Json json_of_advice(const Experiment& experiment, const Advice& answer) {
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
  for (const Expected& loser : answer.predicted_losers) {
    others.push_back({{"strategy", loser.strategy},
                      {"why", "predicted to be far behind"},
                      {"predicted", loser.value}});
  }
  Json in_doubt = Json::array();
  for (const Doubt& doubt : answer.doubts) {
    in_doubt.push_back({{"if", doubt.change}, {"best", doubt.best}, {"behind", doubt.behind}});
  }
  Json json{{"damocles", "recommendation"},
            {"workload", experiment.workload.text()},
            {"platform", experiment.scenario.text()},
            {"seed", experiment.seed},
            {"kernel_times", kernel_times_of(experiment)},
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
  return json;
}

}  // namespace

std::string recommendation_json(const Experiment& experiment, const Advice& answer) {
  return json_text(json_of_advice(experiment, answer));
}

std::string values_json(const std::string& key, std::vector<AdviceAt> points) {
  static constexpr std::array kinds{"enough", "most", "best"};
  const ComparedValues values = compared_values(key, std::move(points));
  Json all = Json::array();
  for (const AdviceAt& point : values.answered) {
    Json one = json_of_advice(point.experiment, *point.answer);
    one["value"] = point.value;
    all.push_back(one);
  }
  Json left_out = Json::array();
  for (const AdviceAt& point : values.refused) {
    left_out.push_back({{"value", point.value}, {"why", point.refused}});
  }
  Json json{{"damocles", "recommended value"},
            {"key", key},
            {"value", nullptr},
            {"verdict", nullptr},
            {"answer", values.said.substr(0, values.said.size() - 1)},
            {"values", all},
            {"left_out", left_out}};
  if (values.choice) {
    json["value"] = values.answered[values.choice->at].value;
    json["verdict"] = kinds.at(static_cast<std::size_t>(values.choice->kind));
  }
  return json_text(json);
}

}  // namespace damocles
