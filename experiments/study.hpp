#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/platform.hpp"
#include "models/record.hpp"
#include "models/trace.hpp"
#include "models/workload.hpp"

namespace damocles {

/// One question: these strategies on this workload and platform, predicted, simulated or both.
struct Question {
  Workload workload;
  Scenario scenario;
  std::vector<std::string> strategies;  ///< specs; beta=auto is resolved here
  std::vector<std::string> models;      ///< names; predictions of each, none where empty
  bool simulate = true;
  std::uint64_t replicates = 1;
  std::uint64_t seed = 1;
  /// The wall time of decisions counts in the makespan; limited memory only.
  bool charge_scheduling = false;
  /// Where a strategy has no answer (Infeasible) or does not end (NoProgress), the row's status
  /// says why: `infeasible: ...`, `failed: ...`. Else these errors end the run.
  bool keep_infeasible = false;
  /// Told of replicate 0 of the simulated runs, on the thread that runs it; set it only where there
  /// is one strategy.
  Watcher watcher{};
};

/// The strategies a user means by `all` or by a comma-separated list. All: every one defined on the
/// workload; where memory is unlimited without those made for limited memory, which write the task
/// graph out (`tasks_only`). @throws InvalidInput on unknown names or options, or where one is not
/// defined there
[[nodiscard]] std::vector<std::string> choose_strategies(const std::string& list,
                                                         const Workload& workload,
                                                         bool limited_memory = false);
/// The models meant by `all` or by a comma-separated list.
[[nodiscard]] std::vector<std::string> choose_models(const std::string& list);

/// The number that beta=auto stands for: what the refined model calls best for p processors of
/// equal speeds. Knowing the speeds gains less than 0.1 % (HPDC'14 section 3.6; docs/theory.md
/// section 4).
[[nodiscard]] double automatic_beta(const Workload& workload, std::size_t processors);

/// One row to be made: everything that identifies it, and the work itself.
struct Job {
  std::string key;  ///< what identifies the row: experiments/origin.hpp
  std::function<Record()> run;
};

/// The rows that answer a question, in the order in which they are written.
[[nodiscard]] std::vector<Job> jobs(const Question& question);

/// How a run reports: called with (rows done, rows in all), from one thread at a time.
using Progress = std::function<void(std::size_t, std::size_t)>;
/// Told of every finished row, from one thread at a time, in the order in which they finish.
using Finished = std::function<void(const Record&)>;

/// Runs jobs on `threads` threads (0: as many as OpenMP gives). The rows come back in the order of
/// the jobs and do not depend on the number of threads. A job that throws ends the run with its
/// exception.
[[nodiscard]] std::vector<Record> run_jobs(const std::vector<Job>& jobs, int threads,
                                           const Progress& progress = {},
                                           const Finished& finished = {});

/// A line of progress on standard error, only if that is a terminal; cleared at the end.
[[nodiscard]] Progress terminal_progress();

}  // namespace damocles
