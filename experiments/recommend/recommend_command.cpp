#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "experiments/commands/command_rows.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/commands/sweep_request.hpp"
#include "experiments/recommend/best_value.hpp"
#include "models/error.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"
#include "models/workloads/family.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

Goal goal_named(const std::string& name, const Experiment& experiment) {
  if (name.empty()) return experiment.scenario.machine() ? Goal::time : Goal::bytes;
  if (name == "time") return Goal::time;
  if (name == "bytes") return Goal::bytes;
  if (name == "energy") return Goal::energy;
  const std::vector<std::string> known{"time", "bytes", "energy"};
  refuse_unknown("goal of --for", name, known);
}

double seconds_within(const std::string& text) {
  const auto seconds = parse_quantity(text, Unit::seconds);
  if (!seconds || !(*seconds > 0)) {
    throw InvalidInput(fmt::format("--within '{}': give a time above 0, such as 10s", text));
  }
  return *seconds;
}

/// Those that represent the others first, then those that decide quickly.
void order_for_race(std::vector<std::string>& strategies) {
  const auto rank = [](const std::string& spec) {
    const StrategyEntry& entry = strategy_called(spec.substr(0, spec.find(':')));
    return (entry.representative ? 0 : 2) + (entry.whole_graph ? 1 : 0);
  };
  std::stable_sort(strategies.begin(), strategies.end(),
                   [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
}

Experiment race_of(const RecommendOptions& options) {
  CommonOptions common = options.common;
  if (common.strategies.empty()) common.strategies = "all";
  Experiment experiment = common.experiment_to_simulate();
  auto& strategies = experiment.strategies;
  // It simulates others itself, and is one of them.
  if (options.common.strategies.empty()) std::erase(strategies, "portfolio");
  if (options.online) {
    std::erase_if(strategies, [](const std::string& spec) {
      return strategy_called(spec.substr(0, spec.find(':'))).whole_graph;
    });
  }
  if (strategies.empty()) {
    throw InvalidInput(
        "--online leaves out every strategy that was named; name others, as dmdas,lws");
  }
  order_for_race(strategies);
  return experiment;
}

/// Memory in data items would be of another size with each size of tiles.
void refuse_memory_in_items(const Experiment& experiment) {
  const auto& machine = experiment.scenario.machine();
  if (!machine) return;
  for (const ProcessorModel& one : machine->processors) {
    if (one.memory_data == 0) continue;
    throw InvalidInput(fmt::format(
        "--vary tile: memory={}data of '{}' is another size at each value; give bytes, as memory=500MB",
        one.memory_data, experiment.scenario.text()));
  }
}

/// The workload with such tiles and the same matrices, where --vary is about their size.
std::optional<std::string> same_matrices(const Values& values, const std::string& varied,
                                         const std::string& asked) {
  const auto tile = values.find("tile");
  if (tile == values.end() || varied == asked || !variables_in(asked).empty()) return std::nullopt;
  const auto side = parse_integer(tile->second);
  return side && *side > 0 ? retiled(asked, *side) : std::nullopt;
}

/// The same request at each value of --vary.
std::vector<AdviceAt> points_of(const RecommendOptions& options) {
  const CommonOptions& common = options.common;
  SweepRequest request = sweep_of_words({.workload = common.workload,
                                         .platform = common.platform,
                                         .vary = {options.vary},
                                         .strategies = common.strategies,
                                         .seed = common.seed});
  if (request.points.count() < 2) {
    throw InvalidInput(fmt::format(
        "--vary '{}': give two values or more, as --vary memory=5data:80data", options.vary));
  }
  std::vector<AdviceAt> points;
  do {
    const Values values = request.points.values();
    RecommendOptions own = options;
    const auto retiled = same_matrices(values, request.workloads[0], common.workload);
    own.common.workload = retiled ? *retiled : substituted(request.workloads[0], values);
    own.common.platform = substituted(request.platforms[0], values);
    own.common.strategies = substituted(common.strategies, values);
    points.push_back({values.begin()->second, race_of(own)});
    if (retiled) refuse_memory_in_items(points.back().experiment);
  } while (request.points.next());
  return points;
}

/// Tiles of which no kernels were measured are left out where others are compared by such times.
void leave_out_unmeasured(std::vector<AdviceAt>& points) {
  const auto measured = [](const AdviceAt& point) {
    const auto& machine = point.experiment.scenario.machine();
    return machine && !measured_kernels_in_use(*machine, point.experiment.workload).empty();
  };
  if (std::none_of(points.begin(), points.end(), measured)) return;
  for (AdviceAt& point : points) {
    if (measured(point) || !factorises(point.experiment.workload)) continue;
    point.refused =
        "no kernels were measured at tiles near that size (480 to 3840), as for the other values; "
        "times=flops takes one rate for all tiles";
  }
}

/// Each value has its part of the time that is left.
std::vector<AdviceAt> advise_on_values(const RecommendOptions& options, double within_s) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::vector<AdviceAt> points = points_of(options);
  leave_out_unmeasured(points);
  for (std::size_t k = 0; k < points.size(); ++k) {
    AdviceAt& point = points[k];
    if (!point.refused.empty()) continue;
    const std::chrono::duration<double> gone = Clock::now() - begin;
    const double part_s = (within_s - gone.count()) / static_cast<double>(points.size() - k);
    try {
      point.answer = advise(point.experiment, goal_named(options.goal, point.experiment),
                            {.within = std::chrono::duration<double>(std::max(0.0, part_s)),
                             .predicting = options.common.strategies.empty(),
                             .doubting = false});
    } catch (const InvalidInput& why) {
      point.refused = why.what();
    }
  }
  const bool any = std::any_of(points.begin(), points.end(),
                               [](const AdviceAt& point) { return point.answer.has_value(); });
  if (!any) throw InvalidInput(points.front().refused);
  return points;
}

CommandAnswer answer_on_values(const RecommendOptions& options, double within_s) {
  const auto points =
      std::make_shared<const std::vector<AdviceAt>>(advise_on_values(options, within_s));
  const std::string key = options.vary.substr(0, options.vary.find('='));
  return {[points, key](const TableStyle&) { return values_text(key, *points); },
          [points, key] { return values_json(key, *points); }};
}

}  // namespace

CommandAnswer recommend_answer(const RecommendOptions& options) {
  const double within_s = seconds_within(options.within);
  if (!options.vary.empty()) return answer_on_values(options, within_s);
  const auto experiment = std::make_shared<const Experiment>(race_of(options));
  const auto advice =
      std::make_shared<const Advice>(advise(*experiment, goal_named(options.goal, *experiment),
                                            {.within = std::chrono::duration<double>(within_s),
                                             .predicting = options.common.strategies.empty()}));
  return {[=](const TableStyle&) { return recommendation_text(*experiment, *advice); },
          [=] { return recommendation_json(*experiment, *advice); }};
}

extern "C" void damocles_set_up_recommend(Command& command) {
  const auto options = std::make_shared<RecommendOptions>();
  CommonOptions& common = options->common;
  common.add_experiment(command);
  command.list("--strategies,--strategy", common.strategies, "LIST",
               "the strategies to choose from (default: all that the workload and platform allow)");
  command.option("--for", options->goal, "GOAL",
                 "time, bytes or energy (default: time where memory is limited, else bytes)");
  command.option("--within", options->within, "TIME",
                 "stop the race after this time, such as 10s (default 60s)");
  command.option(
      "--vary", options->vary, "KEY=VALUES",
      "which value of this option of the workload or the platform: values and ranges as of `damocles sweep`, "
      "as memory=5data:80data, k=1:4:1, depth=1,2,4 or tile=480,960,1920 (the matrices stay). --within is for all of them together");
  command.flag("--online", options->online,
               "leave out strategies that need the whole task graph in advance");
  common.add_answer(command);
  command.footer(
      "EXAMPLES\n"
      "  damocles recommend gemm2d:n=50 gpus:k=2,memory=500MB\n"
      "  damocles recommend cholesky:n=20,deps=true gpus:k=2,memory=500MB --online\n"
      "  damocles recommend gemm2d:n=50 gpus:k=2,memory=500MB --for bytes --strategies darts,hfp,dmdar\n"
      "  damocles recommend gemm2d:n=50 gpus:k=2 --vary memory=5data:80data --strategies darts,dmdar\n"
      "  damocles recommend gemm2d:n=50 gpus:k=1,memory=500MB --vary k=1:4:1\n"
      "  damocles recommend cholesky:n=24,deps=true gpus:k=2,memory=500MB --vary tile=480,960,1920 --online\n");
  command.runs([options] {
    const bool in_json = options->common.answers_in_json("a recommendation");
    const CommandAnswer answer = recommend_answer(*options);
    write_output(options->common.output,
                 in_json ? answer.json() : answer.text(style_for(options->common.output)));
  });
}

}  // namespace damocles
