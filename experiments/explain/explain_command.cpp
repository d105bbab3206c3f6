#include <fmt/format.h>

#include <memory>

#include "experiments/commands/command_rows.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/explain/explained_recording.hpp"
#include "experiments/explain/explanation_output.hpp"
#include "experiments/explain/traced_request.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/studies/rows.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "models/spec.hpp"
#include "sim/simulate.hpp"

namespace damocles {
namespace {

/// What is explained keeps every event in memory, and its data items are named.
constexpr std::uint64_t most_explained_tasks = 2'000'000;

void refuse_large(const Workload& workload) {
  if (workload.tasks() <= most_explained_tasks) return;
  throw InvalidInput(fmt::format("'{}' has {} tasks; explain a run of at most {}", workload.text(),
                                 workload.tasks(), most_explained_tasks));
}

ExplainedAnswer explained(ExplainedRun run, const ExplainOptions& options,
                          const StrategyChoice* strategy) {
  Explanation why = explain(run);
  if (!options.no_what_if && strategy != nullptr) {
    why.what_if = what_if(run, *strategy, static_cast<std::uint64_t>(options.common.threads()));
    why.not_tried = what_is_not_tried(run);
  }
  return {std::move(run), std::move(why)};
}

ExplainedAnswer explain_strategy(const Experiment& experiment, const std::string& strategy,
                                 const ExplainOptions& options) {
  const ResolvedStrategy resolved = resolve_strategy(strategy, experiment);
  ExplainedRun run{experiment.workload, experiment.scenario.draw(experiment.seed, 0), {}, {}};
  const Trace trace = simulate(run.workload, run.platform, resolved.choice, experiment.seed, 0, {},
                               [&](const RunEvent& event) { run.events.push_back(event); });
  run.record = simulated_record(experiment, resolved, run.platform, 0, trace);
  return explained(std::move(run), options, &resolved.choice);
}

ExplainedAnswer explain_recording(const ExplainOptions& options) {
  const std::string& file = options.common.workload;
  const RecordingUse use{.check =
                             [&](const Experiment& experiment) {
                               options.common.check_files(experiment, {}, {{"recording", file}});
                               refuse_large(experiment.workload);
                             },
                         .instead =
                             [](const Record& record) {
                               return fmt::format("write `damocles explain {}`",
                                                  same_request(record));
                             }};
  return explained(explained_recording(file, use), options, nullptr);
}

std::vector<ExplainedAnswer> explain_strategies(const ExplainOptions& options) {
  const Experiment experiment = options.common.experiment_to_simulate();
  if (experiment.strategies.size() > 2) {
    throw InvalidInput(fmt::format("--strategies: explain compares one or two, not {}",
                                   experiment.strategies.size()));
  }
  refuse_large(experiment.workload);
  std::vector<ExplainedAnswer> answers;
  for (const std::string& strategy : experiment.strategies) {
    answers.push_back(explain_strategy(experiment, strategy, options));
  }
  return answers;
}

/// The runs of a trace, simulated again.
std::vector<ExplainedAnswer> explain_trace(const ExplainOptions& options,
                                           const TracedRequest& request) {
  ExplainOptions own = options;
  own.common.workload = request.workload;
  own.common.platform = request.platform;
  own.common.seed = fmt::format("{}", request.seed);
  for (const TracedAnswer& run : request.runs) {
    own.common.strategies += (own.common.strategies.empty() ? "" : ",") + run.strategy;
  }
  auto answers = explain_strategies(own);
  for (std::size_t k = 0; k < answers.size(); ++k) {
    const Record& record = answers[k].run.record;
    check_traced_answer(options.common.workload, request.runs[k], *record.loads,
                        *record.makespan_s);
  }
  return answers;
}

std::vector<ExplainedAnswer> explain_file(const ExplainOptions& options) {
  const CommonOptions& common = options.common;
  if (!common.workload.ends_with(".json")) {
    throw InvalidInput(fmt::format(
        "'{}' has no platform; write `damocles explain WORKLOAD PLATFORM --strategies NAME`, or give a recording or a trace (FILE.json)",
        common.workload));
  }
  if (!common.strategies.empty()) {
    throw InvalidInput(
        "a recording or a trace holds runs of its own strategies; leave out --strategies");
  }
  if (const auto request = traced_request(common.workload)) return explain_trace(options, *request);
  return {explain_recording(options)};
}

/// The run that a tasks.rec of StarPU recorded, where the workload is read from one.
std::string recorded_run_of(const std::string& workload) {
  const Spec spec = Spec::parse(workload, "workload");
  const std::string path = spec.word("path").value_or("");
  return spec.name() == "file" && path.ends_with(".rec") ? "placed:placement=" + path : "";
}

std::vector<ExplainedAnswer> explain_all(const ExplainOptions& options) {
  if (options.common.platform.empty()) return explain_file(options);
  ExplainOptions own = options;
  if (own.common.strategies.empty()) own.common.strategies = recorded_run_of(own.common.workload);
  if (own.common.strategies.empty()) {
    throw InvalidInput("explain which strategy? give one or two, as --strategies eager,darts");
  }
  return explain_strategies(own);
}

}  // namespace

CommandAnswer explain_answer(const ExplainOptions& options) {
  const auto answers = std::make_shared<const std::vector<ExplainedAnswer>>(explain_all(options));
  return {[answers](const TableStyle& style) { return explanation_text(*answers, style); },
          [answers] { return explanation_json(*answers); }};
}

extern "C" void damocles_set_up_explain(Command& command) {
  const auto options = std::make_shared<ExplainOptions>();
  CommonOptions& common = options->common;
  command.argument("WORKLOAD", common.workload,
                   "what simulate takes; or FILE.json, a recording or a trace, without PLATFORM");
  command.optional_argument("PLATFORM", common.platform, "what simulate takes");
  command.option("--seed", common.seed, "N", "seed of all random numbers (default 1)");
  command.list(
      "--strategies,--strategy", common.strategies, "LIST",
      "one strategy, or two to compare, as eager,darts (default where WORKLOAD is a tasks.rec of StarPU: the run that it recorded)");
  command.flag("--no-what-if", options->no_what_if,
               "leave out what would help, which simulates the run up to ten times again");
  command.option("--jobs", common.jobs, "N",
                 "threads that simulate what would help; 0: all that are available (default 0)");
  common.add_answer(command);
  command.footer(
      "EXAMPLES\n"
      "  damocles explain gemm2d:n=40 gpus:k=1,memory=35data --strategies eager\n"
      "  damocles explain cholesky:n=20,deps=true gpus:k=2,memory=500MB --strategies eager,dmdas\n"
      "  damocles simulate gemm2d:n=40 gpus:k=2,memory=35data --strategies darts --record darts.json\n"
      "  damocles explain darts.json\n");
  command.runs([options] {
    const bool in_json = options->common.answers_in_json("an explanation");
    const CommandAnswer answer = explain_answer(*options);
    write_output(options->common.output,
                 in_json ? answer.json() : answer.text(style_for(options->common.output)));
  });
}

}  // namespace damocles
