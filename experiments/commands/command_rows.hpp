// What commands answer with, before it is printed: one source for the program and for Python.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/commands/command.hpp"
#include "experiments/commands/sweep_request.hpp"
#include "experiments/progress.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/results/value_table.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// The rows of a command as its CSV has them, without --summary, and the experiment that they
/// answer.
struct CommandRows {
  Experiment experiment;
  std::vector<Record> records;
};

/// Who looks on while rows are made; each may be empty.
struct Onlookers {
  Progress progress{};
  StopCheck check{};  ///< may stop the command by an exception (run_jobs)
  Watcher watcher{};  ///< of replicate 0, where there is one strategy; of simulate alone
};

/// The rows that answer an experiment; those that are in the store of the options, if they name
/// one, are taken from it. @throws as run_jobs and run_into_store
[[nodiscard]] std::vector<Record> rows_answering(const Experiment& experiment,
                                                 const CommonOptions& options,
                                                 const Onlookers& onlookers);

/// What the commands of these names make of their options. Each is in the command's file.
/// @throws InvalidInput on anything that is wrong in the options, and as run_jobs
/// @{
[[nodiscard]] CommandRows simulate_rows(const CommonOptions& options, const Onlookers& onlookers);
[[nodiscard]] CommandRows predict_rows(const CommonOptions& options, const Onlookers& onlookers);
[[nodiscard]] CommandRows compare_rows(const CommonOptions& options, const Onlookers& onlookers);
/// Of a sweep: `options` are its threads, its store and what it notes alone. A run that fails is a
/// row that says why.
[[nodiscard]] std::vector<Record> sweep_rows(const SweepRequest& request,
                                             const CommonOptions& options,
                                             const Onlookers& onlookers);
/// One row a model.
[[nodiscard]] ValueTable beta_rows(const CommonOptions& options);
/// The entries of a list, by its name or that of one entry: strategies or strategy.
/// @throws InvalidInput on an unknown list
[[nodiscard]] ValueTable list_rows(const std::string& topic);
/// @}

/// The answer of a command that speaks in sentences: for eyes, and for programs (JSON).
struct CommandAnswer {
  std::function<std::string(const TableStyle&)> text;
  std::function<std::string()> json;
};

struct ExplainOptions {
  CommonOptions common;
  bool no_what_if = false;
};

struct RecommendOptions {
  CommonOptions common;
  std::string goal;
  std::string within = "60s";
  std::string vary;
  bool online = false;
};

struct MergeOptions {
  std::vector<std::string> files;
  std::string store;
};

/// @throws InvalidInput on anything that is wrong in the options
/// @{
[[nodiscard]] CommandAnswer explain_answer(const ExplainOptions& options);
[[nodiscard]] CommandAnswer recommend_answer(const RecommendOptions& options);
/// Makes one store of several, and says how many rows it has.
[[nodiscard]] std::string merge_answer(const MergeOptions& options);
/// @}

}  // namespace damocles
