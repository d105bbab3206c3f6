#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "experiments/commands/command.hpp"
#include "experiments/recommend/recommendation.hpp"
#include "experiments/studies/all_strategies.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

struct RecommendOptions {
  CommonOptions common;
  std::string goal;
  std::string within = "60s";
  bool online = false;
};

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

void set_up_recommend(Command command) {
  const auto options = std::make_shared<RecommendOptions>();
  CommonOptions& common = options->common;
  common.add_experiment(command);
  command.list("--strategies,--strategy", common.strategies, "LIST",
               "the strategies to choose from (default: all that the workload and platform allow)");
  command.option("--for", options->goal, "GOAL",
                 "time, bytes or energy (default: time where memory is limited, else bytes)");
  command.option("--within", options->within, "TIME",
                 "stop the race after this time, such as 10s (default 60s)");
  command.flag("--online", options->online,
               "leave out strategies that need the whole task graph in advance");
  command.option("--format", common.format, "NAME",
                 "table (text) or json (default: from the ending of FILE)");
  command.option("-o,--output", common.output, "FILE",
                 "write to FILE, atomically, instead of standard output");
  command.flag("--quiet", common.quiet, "hide notes; warnings stay");
  command.footer(
      "EXAMPLES\n"
      "  damocles recommend gemm2d:n=50 gpus:k=2,memory=500MB\n"
      "  damocles recommend cholesky:n=20,deps=true gpus:k=2,memory=500MB --online\n"
      "  damocles recommend gemm2d:n=50 gpus:k=2,memory=500MB --for bytes --strategies darts,hfp,dmdar\n");
  command.runs([options] {
    const Format format = options->common.chosen_format();
    if (format == Format::csv) {
      throw InvalidInput(
          "a recommendation is no table of rows; give --format json, or a name "
          "ending in .txt or .json");
    }
    const double within_s = seconds_within(options->within);
    const Experiment experiment = race_of(*options);
    const Goal goal = goal_named(options->goal, experiment);
    const Advice answer = advise(experiment, goal, std::chrono::duration<double>(within_s));
    write_output(options->common.output, format == Format::json
                                             ? recommendation_json(experiment, answer)
                                             : recommendation_text(experiment, answer));
  });
}

const Register recommend_command{CommandEntry{
    .name = "recommend",
    .place = 46,
    .description =
        "Recommend a strategy. All that can run race in simulation, on the same random draws, and losers drop out. "
        "The answer names the best one, how far it is from the lower bound, how sure that is, and what to write in StarPU.",
    .set_up = set_up_recommend}};

}  // namespace
}  // namespace damocles
