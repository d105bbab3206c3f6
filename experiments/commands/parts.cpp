#include "experiments/commands/parts.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "experiments/commands/command.hpp"
#include "experiments/studies/prediction_part.hpp"
#include "models/modules.hpp"

namespace damocles {
namespace {

using SetUp = void(Command&);
using AddRows = void(std::vector<std::vector<std::string>>&);
using CompareExecuted = void(const CommonOptions&, const RunOptions&);
using RunOnRanks = int(int, const char* const*, RunWords&);

constexpr ModuleFunction<SetUp> beta_part{"prediction", "damocles_set_up_beta",
                                          &damocles_set_up_beta};
constexpr ModuleFunction<SetUp> predict_part{"prediction", "damocles_set_up_predict",
                                             &damocles_set_up_predict};
constexpr ModuleFunction<SetUp> explain_part{"reports", "damocles_set_up_explain",
                                             &damocles_set_up_explain};
constexpr ModuleFunction<SetUp> recommend_part{"prediction", "damocles_set_up_recommend",
                                               &damocles_set_up_recommend};
constexpr ModuleFunction<SetUp> report_part{"reports", "damocles_set_up_report",
                                            &damocles_set_up_report};
constexpr ModuleFunction<SetUp> run_part{"execution", "damocles_set_up_run", &damocles_set_up_run};
constexpr ModuleFunction<SetUp> replay_part{"execution", "damocles_set_up_replay",
                                            &damocles_set_up_replay};
constexpr ModuleFunction<SetUp> calibrate_part{"execution", "damocles_set_up_calibrate",
                                               &damocles_set_up_calibrate};
constexpr ModuleFunction<SetUp> compare_part{"prediction", "damocles_set_up_compare",
                                             &damocles_set_up_compare};
constexpr ModuleFunction<SetUp> trajectory_part{"prediction", "damocles_set_up_trajectory",
                                                &damocles_set_up_trajectory};
constexpr ModuleFunction<SetUp> reproduce_part{"papers", "damocles_set_up_reproduce",
                                               &damocles_set_up_reproduce};
constexpr ModuleFunction<SetUp> measured_part{"papers", "damocles_set_up_measured",
                                              &damocles_set_up_measured};
constexpr ModuleFunction<AddRows> claims_part{"papers", "damocles_list_claims",
                                              &damocles_list_claims};
constexpr ModuleFunction<AddRows> sentences_part{"papers", "damocles_list_sentences",
                                                 &damocles_list_sentences};
constexpr ModuleFunction<AddRows> backends_part{"execution", "damocles_list_backends",
                                                &damocles_list_backends};
constexpr ModuleFunction<CompareExecuted> comparison_part{"execution", "damocles_compare_executed",
                                                          &damocles_compare_executed};
constexpr ModuleFunction<RunOnRanks> ranks_part{"execution", "damocles_run_on_ranks",
                                                &damocles_run_on_ranks};
constexpr ModuleFunction<const PredictionPart*()> predictions_part{
    "prediction", "damocles_prediction_part", &damocles_prediction_part};

/// A part, after those whose functions it calls.
std::vector<std::string> with_called_parts(const std::string& part) {
  if (part == "papers") return {"prediction", part};
  return {part};
}

/// The first that is not built, of those that the function needs; "" where it can be called.
template <typename Function>
std::string missing_part(const ModuleFunction<Function>& function) {
  if (function.linked != nullptr) return "";
  for (const std::string& part : with_called_parts(function.module)) {
    if (!module_exists(part)) return part;
  }
  return "";
}

template <typename Function>
void need(const ModuleFunction<Function>& function, const std::string& what) {
  if (std::string part = missing_part(function); !part.empty()) {
    throw MissingPart(std::move(part), what);
  }
}

/// @param what  needs it, for the message
template <typename Function>
Function* opened_part(const ModuleFunction<Function>& function, const std::string& what) {
  need(function, what);
  if (function.linked == nullptr) {  // those of cuda and mpi call functions of execution
    for (const std::string& part : with_called_parts(function.module)) show_module(part);
  }
  return function.get();
}

template <const ModuleFunction<SetUp>& Function>
void set_up_of_part(Command command) {
  constexpr std::string_view before = "damocles_set_up_";
  const std::string_view name = std::string_view(Function.name).substr(before.size());
  opened_part(Function, fmt::format("the command '{}'", name))(command);
}

const Register commands_of_parts{
    CommandEntry{
        .name = "beta",
        .place = 20,
        .description =
            "Find the best threshold of dynamic-2phases. "
            "Phase 2 starts when the share exp(-beta) of the tasks is left. "
            "The line \"use beta = ...\" recommends a threshold. beta=auto, the strategy's "
            "default, is one that is found faster and loads about as much. "
            "The table gives each model's best threshold, "
            "and how many more loads the threshold for equal speeds causes. "
            "Lines below the table explain its columns. "
            "With limited memory (gpus:...) the answer holds for that memory, beta=auto is "
            "the recommended threshold, and the last lines say how many data items darts "
            "should rank.",
        .set_up = set_up_of_part<beta_part>},
    CommandEntry{
        .name = "predict",
        .place = 30,
        .description =
            "Predict loads from closed forms and ODEs, without running anything. With limited memory also the makespan. "
            "volume_ratio is loads over the balanced bound, or with limited memory over the lower bound. "
            "sd is the standard deviation of volume_ratio between runs, where the model predicts it.",
        .set_up = set_up_of_part<predict_part>},
    CommandEntry{
        .name = "explain",
        .place = 45,
        .description =
            "Explain one run: why its data moved, what its processors waited for, and what would help. "
            "Every load counts under one cause, and every second without a task under one reason. "
            "With two strategies, also where their runs part.",
        .set_up = set_up_of_part<explain_part>},
    CommandEntry{
        .name = "recommend",
        .place = 46,
        .description =
            "Recommend a strategy. All that can run race in simulation, on the same random draws, and losers drop out. "
            "The answer names the best one, how far it is from the lower bound, how sure that is, and what to write in StarPU.",
        .set_up = set_up_of_part<recommend_part>},
    CommandEntry{
        .name = "report",
        .place = 47,
        .description =
            "Write one page of HTML about results and runs. It opens in any browser, needs no network, "
            "and can be sent as a file. Results have tables that sort and filter, and charts. "
            "A recorded run has an explanation, a Gantt chart that zooms, its memory over time, and "
            "its grid of blocks step by step.",
        .set_up = set_up_of_part<report_part>},
    CommandEntry{
        .name = "run",
        .place = 50,
        .description =
            "Execute strategies on real memory and verify the result: buffers of bounded size, "
            "copies and kernels, on host threads, CUDA GPUs or the ranks of an MPI job. Loads are counted where the bytes move. "
            "A table has one row for each strategy, the mean of its runs. "
            "CSV and JSON have one row for each run, unless --summary is given. "
            "The column model names the backend. "
            "A run that fails has the status failed, and the program exits with status 1.",
        .set_up = set_up_of_part<run_part>},
    CommandEntry{
        .name = "replay",
        .place = 60,
        .description =
            "Repeat the decisions of a recorded run: "
            "every processor makes the same loads and evictions and runs the same tasks in the same order, "
            "however long they take. Backends are sim (virtual time), host and cuda. "
            "So a simulated run can be executed, and an executed one simulated.",
        .set_up = set_up_of_part<replay_part>},
    CommandEntry{
        .name = "calibrate",
        .place = 70,
        .description =
            "Measure this machine and write a platform file. First the workload's tasks and copies are measured: "
            "the kernel speed of each processor while all compute, the bandwidth of each and of all at once, "
            "latency, and whether copies take turns. Then strategies are executed on the workload, "
            "and on the same workload with tiles of half the side. The file is fitted to their makespans: speed, bandwidth, "
            "latency, overhead of a task, and how much copies slow the tasks beside them. Other strategies, "
            "held out, show how well simulation on the file predicts makespans; the file says so. "
            "Run on an idle machine.",
        .set_up = set_up_of_part<calibrate_part>},
    CommandEntry{
        .name = "compare",
        .place = 80,
        .description =
            "Compare predicted, simulated and, with --backend, executed volumes. "
            "Each row gives a strategy's mean ratio of loads to a bound, "
            "every model's prediction of it and the relative error. "
            "Strategies are sorted by makespan where memory is limited, else by loads; with --backend they keep their order. "
            "The line above the table names the bound: the lower bound, or for grids of tasks and unlimited memory the balanced bound. "
            "With limited memory a strategy has one model or none. "
            "With --backend each row says whether the executed mean agrees with simulation and prediction.",
        .set_up = set_up_of_part<compare_part>},
    CommandEntry{
        .name = "trajectory",
        .place = 90,
        .description =
            "Compare prediction and simulation over time. With limited memory, for independent tasks and "
            "any strategy that has a model: the share of tasks that have not ended, the data items loaded so far, and those in "
            "the memory of a processor. With unlimited memory, the mean-field ODE of dynamic and "
            "dynamic-2phases: the share of tasks that no processor has been given yet, the share of "
            "indices of which a processor has the blocks (geometric mean over the dimensions), and, of "
            "the tasks outside those blocks, the share that is left. `damocles plot` draws the CSV, with "
            "the band of nine runs in ten.",
        .set_up = set_up_of_part<trajectory_part>},
    CommandEntry{
        .name = "reproduce",
        .place = 110,
        .description =
            "Check the claims of a published paper: run what a figure shows, and write CLAIM.csv and CLAIM.meta.json. "
            "Every sentence of the claim is answered with its check, the authors' raw number if one exists, "
            "ours, and a verdict. A run that was stopped continues where it was.",
        .set_up = set_up_of_part<reproduce_part>},
    CommandEntry{
        .name = "measured",
        .place = 120,
        .description =
            "Compare simulation with published V100 measurements: GFlop/s and loads of every point. By figure, "
            "strategy and number of GPUs, a table gives the median, the 90th percentile and the worst deviation. "
            "A second table has those of the predictions that models make without simulation, where one is validated.",
        .set_up = set_up_of_part<measured_part>}};

void add_rows_of(const ModuleFunction<AddRows>& function,
                 std::vector<std::vector<std::string>>& rows) {
  if (missing_part(function).empty()) opened_part(function, "a list")(rows);
}

}  // namespace

MissingPart::MissingPart(std::string part, const std::string& what)
    : InvalidInput(fmt::format(
          "{0} is of a part that is not built yet, {1}; `cmake --build build --target damocles_{1}_module` builds it, "
          "and so does the script ./damocles with these words",
          what, part)),
      part_(std::move(part)) {}

void add_claims(std::vector<std::vector<std::string>>& rows) { add_rows_of(claims_part, rows); }
void add_sentences(std::vector<std::vector<std::string>>& rows) {
  add_rows_of(sentences_part, rows);
}
void add_backends(std::vector<std::vector<std::string>>& rows) { add_rows_of(backends_part, rows); }

void add_models(std::vector<std::vector<std::string>>& rows) {
  if (missing_part(predictions_part).empty()) prediction_part("a list").list_models(rows);
}

void need_papers(const std::string& what) { need(claims_part, what); }
void need_execution(const std::string& what) { need(run_part, what); }
void need_prediction(const std::string& what) { need(predict_part, what); }

const PredictionPart& prediction_part(const std::string& what) {
  static const PredictionPart& part = *opened_part(predictions_part, what)();
  return part;
}

void compare_executed(const CommonOptions& options, const RunOptions& run_options) {
  opened_part(comparison_part, "compare --backend")(options, run_options);
}

int run_on_ranks(int argc, const char* const* argv, RunWords& run_words) {
  return opened_part(ranks_part, "--backend mpi")(argc, argv, run_words);
}

}  // namespace damocles
