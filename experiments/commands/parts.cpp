#include "experiments/commands/parts.hpp"

#include <fmt/format.h>

#include "experiments/commands/command.hpp"
#include "models/error.hpp"
#include "models/modules.hpp"

namespace damocles {
namespace {

using SetUp = void(Command&);
using AddRows = void(std::vector<std::vector<std::string>>&);
using CompareExecuted = void(const CommonOptions&, const RunOptions&);
using RunOnRanks = int(int, const char* const*, RunWords&);

const ModuleFunction<SetUp> reproduce_module{"papers", "damocles_set_up_reproduce",
                                             &damocles_set_up_reproduce};
const ModuleFunction<SetUp> measured_module{"papers", "damocles_set_up_measured",
                                            &damocles_set_up_measured};
const ModuleFunction<AddRows> claims_module{"papers", "damocles_list_claims",
                                            &damocles_list_claims};
const ModuleFunction<AddRows> sentences_module{"papers", "damocles_list_sentences",
                                               &damocles_list_sentences};
const ModuleFunction<SetUp> run_module{"execution", "damocles_set_up_run", &damocles_set_up_run};
const ModuleFunction<SetUp> replay_module{"execution", "damocles_set_up_replay",
                                          &damocles_set_up_replay};
const ModuleFunction<SetUp> calibrate_module{"execution", "damocles_set_up_calibrate",
                                             &damocles_set_up_calibrate};
const ModuleFunction<AddRows> backends_module{"execution", "damocles_list_backends",
                                              &damocles_list_backends};
const ModuleFunction<SetUp> explain_module{"reports", "damocles_set_up_explain",
                                           &damocles_set_up_explain};
const ModuleFunction<SetUp> recommend_module{"reports", "damocles_set_up_recommend",
                                             &damocles_set_up_recommend};
const ModuleFunction<SetUp> report_module{"reports", "damocles_set_up_report",
                                          &damocles_set_up_report};
const ModuleFunction<CompareExecuted> comparison_module{"execution", "damocles_compare_executed",
                                                        &damocles_compare_executed};
const ModuleFunction<RunOnRanks> ranks_module{"execution", "damocles_run_on_ranks",
                                              &damocles_run_on_ranks};

/// The function, of a module whose functions others may call: those of cuda and mpi call
/// execution's.
template <typename Function>
Function* opened(const ModuleFunction<Function>& function) {
  if (function.linked == nullptr) show_module(function.module);
  return function.get();
}

const Register commands_of_parts{
    CommandEntry{
        .name = "reproduce",
        .place = 110,
        .description =
            "Check the claims of a published paper: run what a figure shows, and write CLAIM.csv and CLAIM.meta.json. "
            "Every sentence of the claim is answered with its check, the authors' raw number if one exists, "
            "ours, and a verdict. A run that was stopped continues where it was.",
        .set_up =
            [](Command command) {
              need_papers("the command 'reproduce'");
              reproduce_module.get()(command);
            }},
    CommandEntry{
        .name = "measured",
        .place = 120,
        .description =
            "Compare simulation with published V100 measurements: GFlop/s and loads of every point. By figure, "
            "strategy and number of GPUs, a table gives the median, the 90th percentile and the worst deviation. "
            "A second table has those of the predictions that models make without simulation, where one is validated.",
        .set_up =
            [](Command command) {
              need_papers("the command 'measured'");
              measured_module.get()(command);
            }},
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
        .set_up =
            [](Command command) {
              need_execution("the command 'run'");
              opened(run_module)(command);
            }},
    CommandEntry{
        .name = "replay",
        .place = 60,
        .description =
            "Repeat the decisions of a recorded run: "
            "every processor makes the same loads and evictions and runs the same tasks in the same order, "
            "however long they take. Backends are sim (virtual time), host and cuda. "
            "So a simulated run can be executed, and an executed one simulated.",
        .set_up =
            [](Command command) {
              need_execution("the command 'replay'");
              opened(replay_module)(command);
            }},
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
        .set_up =
            [](Command command) {
              need_execution("the command 'calibrate'");
              opened(calibrate_module)(command);
            }},
    CommandEntry{
        .name = "explain",
        .place = 45,
        .description =
            "Explain one run: why its data moved, what its processors waited for, and what would help. "
            "Every load counts under one cause, and every second without a task under one reason. "
            "With two strategies, also where their runs part.",
        .set_up =
            [](Command command) {
              need_reports("the command 'explain'");
              opened(explain_module)(command);
            }},
    CommandEntry{
        .name = "recommend",
        .place = 46,
        .description =
            "Recommend a strategy. All that can run race in simulation, on the same random draws, and losers drop out. "
            "The answer names the best one, how far it is from the lower bound, how sure that is, and what to write in StarPU.",
        .set_up =
            [](Command command) {
              need_reports("the command 'recommend'");
              opened(recommend_module)(command);
            }},
    CommandEntry{
        .name = "report",
        .place = 47,
        .description =
            "Write one page of HTML about results and runs. It opens in any browser, needs no network, "
            "and can be sent as a file. Results have tables that sort and filter, and charts. "
            "A recorded run has an explanation, a Gantt chart that zooms, its memory over time, and "
            "its grid of blocks step by step.",
        .set_up = [](Command command) {
          need_reports("the command 'report'");
          opened(report_module)(command);
        }}};

/// @param call  what of the wrapper builds the module too
void need_part(bool is_there, const std::string& what, const char* module, const char* call) {
  if (is_there) return;
  throw InvalidInput(fmt::format(
      "{} is of a part that is not built yet, the module {}; cmake --build build --target "
      "damocles_{}_module builds it, and so does ./damocles {}",
      what, module, module, call));
}

}  // namespace

void add_claims(std::vector<std::vector<std::string>>& rows) {
  if (claims_module.exists()) claims_module.get()(rows);
}

void add_sentences(std::vector<std::vector<std::string>>& rows) {
  if (sentences_module.exists()) sentences_module.get()(rows);
}

void add_backends(std::vector<std::vector<std::string>>& rows) {
  if (backends_module.exists()) opened(backends_module)(rows);
}

void need_papers(const std::string& what) {
  need_part(claims_module.exists(), what, "papers", "reproduce");
}

void need_execution(const std::string& what) {
  need_part(run_module.exists(), what, "execution", "run");
}

void need_reports(const std::string& what) {
  need_part(explain_module.exists(), what, "reports", "explain");
}

void compare_executed(const CommonOptions& options, const RunOptions& run_options) {
  need_execution("compare --backend");
  opened(comparison_module)(options, run_options);
}

int run_on_ranks(int argc, const char* const* argv, RunWords& run_words) {
  need_execution("--backend mpi");
  return opened(ranks_module)(argc, argv, run_words);
}

}  // namespace damocles
