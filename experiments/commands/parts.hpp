// The parts of the program that are modules (models/modules.hpp), as a first build does not wait
// for them.
// - papers: the commands `reproduce` and `measured`, and the lists of claims; figures/, measured/,
// papers/.
// - execution: the commands `run`, `replay` and `calibrate`, `compare --backend`, the list of
// backends, and
//   ranks that compute; execution/, and the room gpu.
// - reports: the commands `explain`, `recommend` and `report`; folders of the same names.
#pragma once

#include <string>
#include <vector>

namespace damocles {
class Command;
struct CommonOptions;
struct RunOptions;

// Each adds to the rows of a list; nothing where the module is not built.
void add_claims(std::vector<std::vector<std::string>>& rows);
void add_sentences(std::vector<std::vector<std::string>>& rows);
void add_backends(std::vector<std::vector<std::string>>& rows);

// Each refuses, with what builds the module. @throws InvalidInput where it is not built
void need_papers(const std::string& what);
void need_execution(const std::string& what);
void need_reports(const std::string& what);

/// Predicted, simulated and executed side by side, with a verdict a strategy (agreement.hpp), then
/// what the executed runs tell beside their rows. JSON holds all of it, CSV the rows alone. A trace
/// holds both runs of replicate 0.
/// @throws InvalidInput where the module is not built; std::runtime_error where a run failed, after
/// what is there was written
void compare_executed(const CommonOptions& options, const RunOptions& run_options);

/// What the words of a command line ask for; the exit status.
using RunWords = int(int argc, const char* const* argv);
/// The same in a job whose ranks compute (`--backend mpi`). @return the exit status
[[nodiscard]] int run_on_ranks(int argc, const char* const* argv, RunWords& run_words);

extern "C" {
void damocles_set_up_reproduce(Command& command) __attribute__((weak));
void damocles_set_up_measured(Command& command) __attribute__((weak));
void damocles_list_claims(std::vector<std::vector<std::string>>& rows) __attribute__((weak));
void damocles_list_sentences(std::vector<std::vector<std::string>>& rows) __attribute__((weak));

void damocles_set_up_run(Command& command) __attribute__((weak));
void damocles_set_up_replay(Command& command) __attribute__((weak));
void damocles_set_up_calibrate(Command& command) __attribute__((weak));
void damocles_set_up_explain(Command& command) __attribute__((weak));
void damocles_set_up_recommend(Command& command) __attribute__((weak));
void damocles_set_up_report(Command& command) __attribute__((weak));

void damocles_list_backends(std::vector<std::vector<std::string>>& rows) __attribute__((weak));
void damocles_compare_executed(const CommonOptions& options, const RunOptions& run_options)
    __attribute__((weak));
int damocles_run_on_ranks(int argc, const char* const* argv, RunWords& run_words)
    __attribute__((weak));
}

}  // namespace damocles
