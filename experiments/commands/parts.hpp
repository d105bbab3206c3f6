// The parts of the program that are modules (models/modules.hpp), as a first build does not wait
// for them.
// - prediction: the commands `predict`, `compare`, `beta`, `trajectory` and `recommend`, the list
// of models, and what
//   asks a model, as beta=auto does; prediction/, recommend/, and the room ode.
// - execution: the commands `run`, `replay` and `calibrate`, `compare --backend`, the list of
// backends, and
//   ranks that compute; execution/, and the room gpu.
// - reports: the commands `explain` and `report`; folders of the same names.
// - papers: the commands `reproduce` and `measured`, and the lists of claims; figures/, measured/,
// papers/.
#pragma once

#include <string>
#include <vector>

#include "models/error.hpp"

namespace damocles {
class Command;
struct CommonOptions;
struct RunOptions;

/// What was asked for needs a part that is not built.
class MissingPart : public InvalidInput {
 public:
  /// @param what  needs it, as "the command 'run'"
  MissingPart(std::string part, const std::string& what);
  [[nodiscard]] const std::string& part() const { return part_; }

 private:
  std::string part_;
};

// Each adds to the rows of a list; nothing where the module is not built.
void add_claims(std::vector<std::vector<std::string>>& rows);
void add_sentences(std::vector<std::vector<std::string>>& rows);
void add_backends(std::vector<std::vector<std::string>>& rows);
void add_models(std::vector<std::vector<std::string>>& rows);

// Each @throws MissingPart where the module is not built.
void need_papers(const std::string& what);
void need_execution(const std::string& what);
void need_prediction(const std::string& what);

/// Predicted, simulated and executed side by side, with a verdict a strategy (agreement.hpp), then
/// what the executed runs tell beside their rows. JSON holds all of it, CSV the rows alone. A trace
/// holds both runs of replicate 0.
/// @throws MissingPart; std::runtime_error where a run failed, after
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

void damocles_set_up_beta(Command& command) __attribute__((weak));
void damocles_set_up_predict(Command& command) __attribute__((weak));
void damocles_set_up_compare(Command& command) __attribute__((weak));
void damocles_set_up_trajectory(Command& command) __attribute__((weak));

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
