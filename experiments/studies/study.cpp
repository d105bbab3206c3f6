#include "experiments/studies/study.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "experiments/origin.hpp"
#include "experiments/studies/all_strategies.hpp"
#include "experiments/studies/prediction_part.hpp"
#include "experiments/studies/reported_rows.hpp"
#include "experiments/studies/rows.hpp"
#include "models/error.hpp"
#include "models/parallel.hpp"
#include "sim/limited_run.hpp"
#include "sim/simulate.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// The platform of the rows of an experiment, and their bounds. Where replicates are alike, both
/// are found once, by the row that asks first.
class Setting {
 public:
  explicit Setting(const Experiment& experiment)
      : experiment_(experiment), alike_(alike_replicates(experiment.scenario)) {}

  [[nodiscard]] std::shared_ptr<const Platform> platform(std::uint64_t replicate) {
    return platform_.get(alike_,
                         [&] { return experiment_.scenario.draw(experiment_.seed, replicate); });
  }
  [[nodiscard]] std::shared_ptr<const RunBounds> bounds(const Platform& platform,
                                                        std::uint64_t replicate) {
    return bounds_.get(alike_, [&] { return run_bounds(experiment_, platform, replicate); });
  }

 private:
  template <typename Value>
  class Once {
   public:
    template <typename Make>
    [[nodiscard]] std::shared_ptr<const Value> get(bool once, Make&& make) {
      if (!once) return std::make_shared<const Value>(make());
      std::call_once(flag_, [&] { value_ = std::make_shared<const Value>(make()); });
      return value_;
    }

   private:
    std::once_flag flag_;
    std::shared_ptr<const Value> value_;
  };

  const Experiment& experiment_;
  bool alike_;
  Once<Platform> platform_;
  Once<RunBounds> bounds_;
};

Record simulated(const Experiment& experiment, const ResolvedStrategy& resolved, Setting& setting,
                 std::uint64_t replicate) {
  const auto drawn = setting.platform(replicate);
  const Platform& platform = *drawn;
  const Watcher watcher = replicate == 0 ? experiment.watcher : Watcher{};
  const Trace trace =
      experiment.charge_scheduling
          ? simulate_limited(experiment.workload, platform, resolved.choice, experiment.seed,
                             replicate, watcher, Scheduling::charged)
          : simulate(experiment.workload, platform, resolved.choice, experiment.seed, replicate, {},
                     watcher);
  Record record = simulated_record(experiment, resolved, platform, replicate, trace,
                                   *setting.bounds(platform, replicate));
  const bool decisions_cost = platform.machine && platform.machine->decision_s > 0;
  if (experiment.charge_scheduling || decisions_cost) record.scheduling_s = trace.scheduling_s;
  return record;
}

}  // namespace

std::string unpredicted(const Experiment& experiment, const std::vector<std::string>& models,
                        const std::vector<std::string>& strategies) {
  std::string first = experiment.no_strategy;
  for (const auto& strategy : strategies) {
    std::optional<ResolvedStrategy> planned;
    try {
      planned = resolve_strategy(strategy, experiment);
    } catch (const Infeasible& why) {
      if (first.empty()) first = why.what();
      continue;
    }
    for (const auto& name : models) {
      const std::string why =
          prediction_part("a prediction").why_no_prediction(name, experiment, *planned);
      if (why.empty()) return "";
      if (first.empty()) first = why;
    }
  }
  return first;
}

void refuse_unpredicted(const Experiment& experiment, const std::string& models) {
  const auto check = [&](const std::vector<std::string>& some) {
    const std::string why = unpredicted(experiment, some, experiment.strategies);
    if (!why.empty()) throw InvalidInput(why);
  };
  check(experiment.models);
  if (models == "all") return;
  for (const auto& model : experiment.models) check({model});
}

void leave_out_silent_models(Experiment& experiment, const std::string& models) {
  const auto why = [&](const std::vector<std::string>& some) {
    return unpredicted(experiment, some, experiment.strategies);
  };
  if (models == "all") {
    if (!why(experiment.models).empty()) experiment.models.clear();
    return;
  }
  for (const auto& model : experiment.models) {
    if (!why({model}).empty()) throw InvalidInput(why({model}));
  }
}

NamedModels::NamedModels(const std::vector<std::string>& named) {
  for (const auto& name : named) lists_.push_back({name, "", false});
}

void NamedModels::see(const Experiment& point) {
  simulated_ = simulated_ || point.simulate;
  for (List& list : lists_) {
    if (list.predicts) continue;
    const std::string why =
        unpredicted(point, choose_models(list.name, point.scenario.machine()), point.strategies);
    list.predicts = why.empty();
    if (list.why.empty()) list.why = why;
  }
}

void NamedModels::require() const {
  for (const List& list : lists_) {
    if (list.name != "all" && !list.predicts) throw InvalidInput(list.why);
  }
  if (simulated_) return;
  if (lists_.empty()) {
    throw InvalidInput("nothing to do: simulate = false and no models; write models = \"refined\"");
  }
  const bool any =
      std::any_of(lists_.begin(), lists_.end(), [](const List& list) { return list.predicts; });
  if (!any) throw InvalidInput(lists_.front().why);
}

namespace {

/// Where memory is limited about fifty strategies run; many of them hardly differ.
void keep_representatives(std::vector<std::string>& names) {
  std::vector<std::string> few;
  std::copy_if(names.begin(), names.end(), std::back_inserter(few),
               [](const std::string& name) { return strategy_called(name).representative; });
  if (!few.empty()) names = std::move(few);
}

}  // namespace

std::vector<std::string> choose_strategies(const std::string& list, const Workload& workload,
                                           const std::optional<MachineModel>& machine) {
  std::vector<std::string> chosen;
  if (list == "all" || list.empty()) {
    AllStrategies all = AllStrategies::on(workload, machine);
    if (list.empty() && machine) keep_representatives(all.chosen);
    if (!all.chosen.empty()) return std::move(all.chosen);
    throw Infeasible(fmt::format(
        "no strategy supports '{}' here ({}){}", workload.text(), all.counts_of_left_out(),
        machine ? "" : "; give a platform of limited memory, as gpus:k=2,memory=500MB"));
  }
  if (!machine)
    workload.refuse_dependencies();  // before strategies are, which another platform runs
  for (const auto& asked : once_each(split_specs(list))) {
    if (asked.empty()) {
      throw InvalidInput(fmt::format("empty name in the list '{}'; take out its comma", list));
    }
    (void)chosen_strategy(asked, workload);
    chosen.push_back(asked);
  }
  return chosen;
}

std::vector<std::string> choose_models(const std::string& list,
                                       const std::optional<MachineModel>& machine) {
  return prediction_part("a prediction").choose_models(list, machine);
}

namespace {

/// An experiment, and what its rows share.
struct Shared {
  explicit Shared(Experiment asked) : experiment(std::move(asked)), setting(experiment) {}

  const Experiment experiment;
  Setting setting;
};

/// One row that is asked for. Small, as there may be a million.
struct Row {
  std::shared_ptr<Shared> shared;
  std::shared_ptr<const ResolvedStrategy> resolved;
  std::string_view model{};  ///< of a prediction, its name in the table
  std::uint64_t replicate = 0;

  [[nodiscard]] Record identity() const {
    Record record = make_record(shared->experiment, *resolved, replicate);
    record.source = model.empty() ? "simulated" : "predicted";
    record.model = model;
    return record;
  }
  [[nodiscard]] Record made() const {
    const Experiment& experiment = shared->experiment;
    if (model.empty()) return simulated(experiment, *resolved, shared->setting, replicate);
    return prediction_part("a prediction")
        .prediction(experiment, *resolved, std::string(model), replicate);
  }
  /// The row, or why it has no answer where that is to be kept.
  [[nodiscard]] Record operator()() const {
    if (!shared->experiment.keep_infeasible) return made();
    const auto without_answer = [&](Status::Kind kind, const std::exception& why) {
      Record record = identity();
      record.status = {kind, why.what()};
      return record;
    };
    try {
      return made();
    } catch (const Infeasible& error) {
      return without_answer(Status::Kind::infeasible, error);
    } catch (const NoProgress& error) {
      return without_answer(Status::Kind::failed, error);
    }
  }
};

/// The jobs of an experiment, in the order of their rows.
class JobList {
 public:
  explicit JobList(const Experiment& asked)
      : shared_(std::make_shared<Shared>(asked)), experiment_(&shared_->experiment) {}

  void add(const std::string& strategy) {
    try {
      add_all_of(
          std::make_shared<const ResolvedStrategy>(resolve_strategy(strategy, *experiment_)));
    } catch (const Infeasible& error) {
      if (!experiment_->keep_infeasible) throw;
      add_infeasible(strategy, error.what());
    }
  }
  /// Rows where the strategy would have been simulated, else where it would have been predicted.
  void add_infeasible(const std::string& strategy, const std::string& why) {
    const std::uint64_t replicates = experiment_->simulate ? experiment_->replicates : 1;
    const auto models = experiment_->simulate ? std::vector<std::string>{""} : experiment_->models;
    for (const auto& model : models) {
      for (std::uint64_t replicate = 0; replicate < replicates; ++replicate) {
        Record record = make_record(*experiment_, strategy, replicate);
        record.source = experiment_->simulate ? "simulated" : "predicted";
        record.model = model;
        record.status = {Status::Kind::infeasible, why};
        jobs_.push_back(
            {.key = key(record), .run = [record] { return record; }, .replicate = replicate});
      }
    }
  }
  [[nodiscard]] std::vector<Job> taken() { return std::move(jobs_); }

 private:
  void add_all_of(const std::shared_ptr<const ResolvedStrategy>& resolved) {
    // Replicates of a platform that draws nothing have one prediction.
    const std::uint64_t platforms = experiment_->scenario.random() ? experiment_->replicates : 1;
    for (const auto& name : experiment_->models) {
      if (prediction_part("a prediction").why_no_prediction(name, *experiment_, *resolved).empty())
        add_rows({shared_, resolved, name}, platforms);
    }
    if (experiment_->keep_unpredicted) add_unpredicted(resolved->asked);
    if (experiment_->simulate) add_rows({shared_, resolved}, experiment_->replicates);
  }
  /// A row that says why no model predicts anything of the strategy, where none does.
  void add_unpredicted(const std::string& strategy) {
    if (experiment_->models.empty()) return;
    const std::string why = unpredicted(*experiment_, experiment_->models, {strategy});
    if (why.empty()) return;
    Record record = make_record(*experiment_, strategy, 0);
    record.source = "predicted";
    record.status = {Status::Kind::no_model, why};
    jobs_.push_back({.key = key(record), .run = [record] { return record; }});
  }
  void add_rows(Row row, std::uint64_t replicates) {
    constexpr std::uint64_t most_rows = 1'000'000;  // of 1 kB each, all of them kept until the end
    if (jobs_.size() + replicates > most_rows) {
      throw InvalidInput(fmt::format(
          "more than {} rows are asked for; give fewer replicates, strategies or models",
          most_rows));
    }
    for (row.replicate = 0; row.replicate < replicates; ++row.replicate) {
      jobs_.push_back({.key = key(row.identity()),
                       .run = row,
                       .method = fmt::format("{}{}", row.model, row.resolved->asked),
                       .tasks = static_cast<double>(experiment_->workload.tasks()),
                       .replicate = row.replicate});
    }
  }

  std::shared_ptr<Shared> shared_;
  const Experiment* experiment_;
  std::vector<Job> jobs_;
};

}  // namespace

std::vector<Job> jobs(const Experiment& experiment) {
  JobList list(experiment);
  for (const auto& strategy : experiment.strategies) list.add(strategy);
  if (!experiment.no_strategy.empty()) list.add_infeasible("all", experiment.no_strategy);
  return list.taken();
}

std::vector<Record> run_jobs(const std::vector<Job>& jobs, int threads, const Progress& progress,
                             const Finished& finished, const StopCheck& check) {
  std::vector<Record> records(jobs.size());
  ReportedRows reported(progress, jobs, check);
  const auto run = [&](std::size_t i) {
    const auto row = [&] {
      records[i] = jobs[i].run();
      refuse_infinite(records[i]);
    };
    reported.make(jobs[i], row, [&](double seconds) {
      if (finished) finished(records[i], seconds);
    });
  };
  in_parallel(jobs.size(), run, static_cast<std::uint64_t>(threads));
  return records;
}

}  // namespace damocles
