#include "experiments/studies/study.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "experiments/origin.hpp"
#include "experiments/studies/all_strategies.hpp"
#include "experiments/studies/limited_predictions.hpp"
#include "experiments/studies/reported_rows.hpp"
#include "experiments/studies/rows.hpp"
#include "models/error.hpp"
#include "models/parallel.hpp"
#include "models/platforms/heterogeneity.hpp"
#include "ode/best_beta.hpp"
#include "ode/predictor.hpp"
#include "sim/limited_run.hpp"
#include "sim/simulate.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

Record simulated(const Experiment& experiment, const ResolvedStrategy& resolved,
                 std::uint64_t replicate) {
  const Platform platform = experiment.scenario.draw(experiment.seed, replicate);
  const Watcher watcher = replicate == 0 ? experiment.watcher : Watcher{};
  const Trace trace =
      experiment.charge_scheduling
          ? simulate_limited(experiment.workload, platform, resolved.choice, experiment.seed,
                             replicate, watcher, Scheduling::charged)
          : simulate(experiment.workload, platform, resolved.choice, experiment.seed, replicate, {},
                     watcher);
  Record record = simulated_record(experiment, resolved, platform, replicate, trace);
  const bool decisions_cost = platform.machine && platform.machine->decision_s > 0;
  if (experiment.charge_scheduling || decisions_cost) record.scheduling_s = trace.scheduling_s;
  return record;
}

/// What models may know of the strategy, or nothing.
const Predictor* predictor_of(const ResolvedStrategy& resolved) {
  return Table<Predictor>::find(resolved.choice.entry->name);
}

/// All of a run without a threshold is phase 1.
constexpr double endless = std::numeric_limits<double>::infinity();

/// Whether the prediction lies where its model was compared with simulation, and how far off it
/// was.
void set_trust(Record& record, const std::optional<ValidatedDomain>& domain, const Problem& problem,
               double beta) {
  if (!domain) {
    record.domain = "not validated";
    return;
  }
  const std::string why = why_outside(*domain, problem, beta);
  record.domain = why.empty() ? "inside" : "outside validated domain: " + why;
  if (why.empty()) record.expected_error = domain->expected_error;
}

Record predicted(const Experiment& experiment, const ResolvedStrategy& resolved, const Model& model,
                 std::uint64_t replicate) {
  const Platform platform = experiment.scenario.draw(experiment.seed, replicate);
  const Problem problem(experiment.workload, platform);
  Record record = make_record(experiment, resolved, replicate);
  record.source = "predicted";
  record.model = model.name;
  record.heterogeneity = heterogeneity(platform.speeds);
  const Predictor* const predictor = predictor_of(resolved);
  const auto prediction = predictor == nullptr
                              ? std::nullopt
                              : predictor->predict(model, problem, platform.speeds,
                                                   resolved.beta.value_or(0), resolved.choice.spec);
  if (!prediction) {
    record.status = {Status::Kind::outside_domain};
    return record;
  }
  set_volume(record, prediction->loads, volume_bounds(experiment.workload, platform));
  if (prediction->sd_loads) record.sd = *prediction->sd_loads / problem.balanced_bound();
  record.makespan_s = prediction->makespan_s;
  set_trust(record, predictor->domain(model), problem, resolved.beta.value_or(endless));
  return record;
}

/// Why no platform of the experiment gets a prediction, or "": that depends on the grid and the
/// number of processors. (Where a formula fails for some speeds, their rows say so.)
std::string why_unavailable(const std::string& name, const Experiment& experiment,
                            const ResolvedStrategy& resolved) {
  if (experiment.scenario.machine()) return why_not_predicted(name, experiment, resolved);
  if (Table<LimitedModel>::find(name) != nullptr) {
    return fmt::format(
        "model {} is of limited memory, and '{}' does not limit it; give a platform as gpus:k={},memory=500MB",
        name, experiment.scenario.text(), experiment.scenario.processors());
  }
  const Model& model = model_named(name);
  if (!experiment.workload.is_grid()) {
    return fmt::format(
        "models predict grids of tasks, which '{}' is not; simulate it, or predict {}",
        experiment.workload.text(), grid_workloads);
  }
  const std::size_t p = experiment.scenario.processors();
  const Problem equal(experiment.workload, std::vector<double>(p, 1 / static_cast<double>(p)));
  const std::string what = fmt::format("model {} does not predict strategy '{}' on '{}'",
                                       model.name, resolved.asked, experiment.workload.text());
  const Predictor* const predictor = predictor_of(resolved);
  const auto why = predictor != nullptr
                       ? predictor->why_unavailable(model, equal, resolved.beta.value_or(0))
                       : std::nullopt;
  if (why && why->empty()) return "";
  if (why) {
    const bool exact = Table<Model>::named("exact").why_unavailable(equal, 1).empty();
    return fmt::format("{}: {}; {}", what, *why, exact ? "try --model exact" : "simulate it");
  }
  return fmt::format(
      "{}; all models predict dynamic and dynamic-2phases; refined also predicts random, sorted, hybrid, "
      "static-columns and static-nrrp (outer product), static-cuboids (matrix product)",
      what);
}

}  // namespace

std::string unpredicted(const Experiment& experiment, const std::vector<std::string>& models,
                        const std::vector<std::string>& strategies) {
  std::string first = experiment.no_strategy;
  for (const auto& strategy : strategies) {
    std::optional<ResolvedStrategy> planned;
    try {
      planned = resolve_strategy(strategy, experiment.workload, experiment.scenario.processors());
    } catch (const Infeasible& why) {
      if (first.empty()) first = why.what();
      continue;
    }
    for (const auto& name : models) {
      const std::string why = why_unavailable(name, experiment, *planned);
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

namespace {

/// A model as it predicts the strategies of records, and where it was compared with simulation.
struct Validation {
  std::string name;
  std::string expected{};      ///< error, in words; "": not validated
  std::string domain{};        ///< in words
  bool exact_in_most = false;  ///< whether the loads of nine of ten were exact
};

/// Nothing of what is exact.
std::optional<Validation> validation_of(const LimitedPredictor& predictor, const Record& record) {
  const std::string family = family_of(record.workload);
  const auto [loads, makespan] = predictor.errors(family, *record.processors);
  if (loads == 0 && makespan == 0) return std::nullopt;
  return Validation{
      .name = fmt::format("{} of {}", predictor.model, predictor.name),
      .expected = loads == 0 ? fmt::format("loads exact in nine of ten (makespan within {:g} %)",
                                           100 * makespan)
                             : fmt::format("{:g} % (makespan {:g} %)", 100 * loads, 100 * makespan),
      .domain = limits_of_study(family),
      .exact_in_most = loads == 0};
}

/// Nothing of what is counted.
std::optional<Validation> validation_of(const Record& record) {
  const std::string strategy =
      strategy_called(Spec::parse(record.strategy, "strategy").name()).name;
  if (Table<LimitedModel>::find(record.model) != nullptr) {
    return validation_of(Table<LimitedPredictor>::named(strategy), record);
  }
  const Model& model = model_named(record.model);
  const Predictor& predictor = Table<Predictor>::named(strategy);
  const auto domain = predictor.domain(model);
  if (domain && domain->expected_error == 0) return std::nullopt;
  // Models are of dynamic and its two phases; others have a name of their own.
  const bool own = predictor.rule_for(model)->domain != nullptr;
  Validation one{own ? fmt::format("{} of {}", record.model, strategy) : record.model};
  if (!domain) return one;
  one.expected = fmt::format("{:g} %", 100 * domain->expected_error);
  one.domain = in_words(*domain);
  return one;
}

/// Of each model and domain among the predicted records, in their order.
std::vector<Validation> validations(const std::vector<Record>& records) {
  std::vector<Validation> result;
  for (const Record& record : records) {
    if (record.source != "predicted" || record.domain.empty()) continue;
    auto one = validation_of(record);
    const bool known =
        one && std::any_of(result.begin(), result.end(),
                           [&](const Validation& other) { return other.name == one->name; });
    if (one && !known) result.push_back(std::move(*one));
  }
  return result;
}

}  // namespace

std::string validated_domains(const std::vector<Record>& records) {
  std::string lines;
  for (const auto& [name, expected, domain, exact_in_most] : validations(records)) {
    lines += expected.empty() ? fmt::format("{}: not validated\n", name)
                              : fmt::format("{}: {}{}, validated for {}\n", name,
                                            exact_in_most ? "" : "nine of ten predictions within ",
                                            expected, domain);
  }
  return lines;
}

std::string expected_errors(const std::vector<Record>& records) {
  std::vector<std::string> errors;
  std::string exact;
  std::string unknown;
  for (const auto& [name, expected, domain, exact_in_most] : validations(records)) {
    if (exact_in_most) {
      exact += fmt::format("{}: {}.\n", name, expected);
    } else if (!expected.empty()) {
      errors.push_back(fmt::format("{} {}", name, expected));
    } else {
      unknown += fmt::format("{} was not compared with simulation.\n", name);
    }
  }
  std::string text;
  if (!errors.empty()) {
    text = fmt::format("Nine of ten predictions without * are expected within: {}.\n",
                       fmt::join(errors, ", "));
  }
  text += exact;
  if (!text.empty()) {
    text += "`damocles predict` says for which settings each model was validated.\n";
  }
  return text + unknown;
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

/// A name that is written twice is asked for once: as two, its rows would be taken for replicates
/// that nobody ran, and its spread for a smaller one.
std::vector<std::string> once_each(std::vector<std::string> names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    names.erase(std::remove(std::next(name), names.end(), *name), names.end());
  }
  return names;
}

}  // namespace

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
    (void)resolve_strategy(asked, workload, 2);
    chosen.push_back(asked);
  }
  return chosen;
}

std::vector<std::string> choose_models(const std::string& list,
                                       const std::optional<MachineModel>& machine) {
  if (list == "all") return machine ? Table<LimitedModel>::names() : Table<Model>::names();
  std::vector<std::string> known = Table<Model>::names();
  for (const auto& model : Table<LimitedModel>::entries()) known.push_back(model.name);
  std::vector<std::string> chosen = once_each(split_specs(list));
  for (const auto& name : chosen) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    refuse_unknown(Model::what, name, known, command_to_list(Model::list));
  }
  return chosen;
}

std::optional<Threshold> recommended_threshold(const Workload& workload, std::size_t processors) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::size_t>, std::optional<Threshold>> known;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace({workload.text(), processors});
  if (is_new) {
    const Problem equal(workload,
                        std::vector<double>(processors, 1 / static_cast<double>(processors)));
    at->second = best_threshold(model_named("refined"), equal);
  }
  return at->second;
}

double automatic_beta(const Workload& workload, std::size_t processors) {
  const auto best = recommended_threshold(workload, processors);
  // Without a valley the data-aware phase pays to its end.
  return best ? best->beta : std::log(static_cast<double>(workload.tasks()) + 1);
}

namespace {

/// One row that is asked for. Small, as there may be a million.
struct Row {
  std::shared_ptr<const Experiment> experiment;
  std::shared_ptr<const ResolvedStrategy> resolved;
  std::string_view model{};  ///< of a prediction, its name in the table
  std::uint64_t replicate = 0;

  [[nodiscard]] Record identity() const {
    Record record = make_record(*experiment, *resolved, replicate);
    record.source = model.empty() ? "simulated" : "predicted";
    record.model = model;
    return record;
  }
  [[nodiscard]] Record made() const {
    if (model.empty()) return simulated(*experiment, *resolved, replicate);
    if (experiment->scenario.machine()) {
      return limited_prediction(*experiment, *resolved, std::string(model), replicate);
    }
    return predicted(*experiment, *resolved, model_named(model), replicate);
  }
  /// The row, or why it has no answer where that is to be kept.
  [[nodiscard]] Record operator()() const {
    if (!experiment->keep_infeasible) return made();
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
      : experiment_(std::make_shared<const Experiment>(asked)) {}

  void add(const std::string& strategy) {
    try {
      add_all_of(std::make_shared<const ResolvedStrategy>(
          resolve_strategy(strategy, experiment_->workload, experiment_->scenario.processors())));
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
        jobs_.push_back({.key = key(record), .run = [record] { return record; }});
      }
    }
  }
  [[nodiscard]] std::vector<Job> taken() { return std::move(jobs_); }

 private:
  void add_all_of(const std::shared_ptr<const ResolvedStrategy>& resolved) {
    // Replicates of a platform that draws nothing have one prediction.
    const std::uint64_t platforms = experiment_->scenario.random() ? experiment_->replicates : 1;
    for (const auto& name : experiment_->models) {
      if (why_unavailable(name, *experiment_, *resolved).empty())
        add_rows({experiment_, resolved, name}, platforms);
    }
    if (experiment_->keep_unpredicted) add_unpredicted(resolved->asked);
    if (experiment_->simulate) add_rows({experiment_, resolved}, experiment_->replicates);
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
      jobs_.push_back({.key = key(row.identity()), .run = row});
    }
  }

  std::shared_ptr<const Experiment> experiment_;
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
                             const Finished& finished) {
  std::vector<Record> records(jobs.size());
  ReportedRows reported(progress, jobs.size());
  const auto run = [&](std::size_t i) {
    const auto row = [&] {
      records[i] = jobs[i].run();
      refuse_infinite(records[i]);
    };
    reported.make(row, [&] {
      if (finished) finished(records[i]);
    });
  };
  in_parallel(jobs.size(), run, static_cast<std::uint64_t>(threads));
  return records;
}

}  // namespace damocles
