#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/progress.hpp"
#include "models/platforms/scenario.hpp"
#include "models/runs/record.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"
#include "sim/run_share.hpp"

namespace damocles {

/// One experiment: these strategies on this workload and platform, predicted, simulated or both.
struct Experiment {
  Workload workload;
  Scenario scenario;
  std::vector<std::string> strategies{};  ///< specs; beta=auto is resolved here
  /// Why `all` has no strategy here, or "": rows of the strategy `all` then say so.
  std::string no_strategy{};
  std::vector<std::string> models{};  ///< names; predictions of each, none where empty
  bool simulate = true;
  std::uint64_t replicates = 1;
  std::uint64_t seed = 1;
  /// The wall time of decisions counts in the makespan; limited memory only.
  bool charge_scheduling = false;
  /// Where a strategy has no answer (Infeasible) or does not end (NoProgress), the row's status
  /// says why: `infeasible: ...`, `failed: ...`. Else these errors end the run.
  bool keep_infeasible = false;
  /// A strategy of which no model predicts anything has a predicted row whose status says why; else
  /// it has none.
  bool keep_unpredicted = false;
  /// Told of replicate 0 of the simulated runs, on the thread that runs it; set it only where there
  /// is one strategy.
  Watcher watcher{};
};

/// The strategies a user means by `all` (AllStrategies) or by a comma-separated list; at least one.
/// @throws InvalidInput on unknown names or options; Infeasible where one is not defined there, or
/// where `all` has none
[[nodiscard]] std::vector<std::string> choose_strategies(
    const std::string& list, const Workload& workload,
    const std::optional<MachineModel>& machine = {});
/// The models meant by `all`, of limited memory where a machine limits it, or by a comma-separated
/// list. @throws InvalidInput on an unknown name
[[nodiscard]] std::vector<std::string> choose_models(
    const std::string& list, const std::optional<MachineModel>& machine = {});

/// Why none of these models predicts any of these strategies on the experiment's workload and
/// platform, in words that go on with what would be right; "" where one does.
[[nodiscard]] std::string unpredicted(const Experiment& experiment,
                                      const std::vector<std::string>& models,
                                      const std::vector<std::string>& strategies);
/// Refuses an experiment of which nothing is predicted, or nothing by a model that was named: where
/// the list of models is not `all`, each must predict something.
/// @throws InvalidInput saying why
void refuse_unpredicted(const Experiment& experiment, const std::string& models);

/// Where no model applies, none is asked, and tables have no columns of dashes; one that was named
/// is refused. @param models  the list, or `all`
/// @throws InvalidInput saying why
void leave_out_silent_models(Experiment& experiment, const std::string& models);
/// Of a study of many points: refuses a model that was named and predicts nothing of any of them,
/// and a study without a row.
class NamedModels {
 public:
  NamedModels() = default;
  /// @param named  as written, `all` among them
  explicit NamedModels(const std::vector<std::string>& named);
  void see(const Experiment& point);
  /// After all points. @throws InvalidInput saying why
  void require() const;

 private:
  struct List {
    std::string name;
    std::string why;  ///< the first reason
    bool predicts = false;
  };
  std::vector<List> lists_;
  bool simulated_ = false;
};

/// One row to be made: everything that identifies it, and the work itself.
struct Job {
  std::string key;  ///< what identifies the row: experiments/origin.hpp
  std::function<Record()> run;
  std::string method{};  ///< strategy and model: jobs of one method take alike long for each task
  double tasks = 0;
  std::uint64_t replicate = 0;
};

/// The rows that answer an experiment, in the order in which they are written.
[[nodiscard]] std::vector<Job> jobs(const Experiment& experiment);

/// Told of every finished row and how long it took, from one thread at a time, in the order in
/// which they finish.
using Finished = std::function<void(const Record&, double seconds)>;

/// Runs jobs on `threads` threads (as in_parallel). The rows come back in the order of
/// the jobs and do not depend on the number of threads. A job that throws ends the run with its
/// exception. So does `check`, which is called before each row and while rows are simulated, on the
/// thread that makes them.
[[nodiscard]] std::vector<Record> run_jobs(const std::vector<Job>& jobs, int threads,
                                           const Progress& progress = {},
                                           const Finished& finished = {},
                                           const StopCheck& check = {});

}  // namespace damocles
