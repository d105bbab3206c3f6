#include "experiments/commands/sweep_study.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#include "experiments/commands/command.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/studies/all_strategies.hpp"
#include "experiments/studies/points.hpp"
#include "experiments/studies/rows.hpp"
#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"
#include "models/workloads/family.hpp"

namespace damocles {
namespace {

/// Goes through the settings.
class SweepSettings {
 public:
  SweepSettings(const SweepRequest& request, bool quiet)
      : request_(request), quiet_(quiet), points_(request.points), predicted_(request.models) {
    refuse_too_many_settings();
    do {
      const auto values = points_.values();
      for (const auto& workload : request_.workloads) {
        for (const auto& platform : request_.platforms) add(values, workload, platform);
      }
    } while (points_.next());
    predicted_.require();
  }
  [[nodiscard]] SweepStudy taken() { return std::move(study_); }

 private:
  /// "sweep file 'x.toml'", for errors.
  [[nodiscard]] std::string name() const {
    return request_.file.empty() ? "the sweep" : fmt::format("sweep file '{}'", request_.file);
  }
  void refuse_too_many_settings() const {
    const auto asked = saturated_product(
        points_.count(), saturated_product(request_.workloads.size(), request_.platforms.size()));
    if (asked <= most_points) return;
    throw InvalidInput(fmt::format("{} asks for {} settings ({}); at most {} are possible", name(),
                                   asked, points_.text(), most_points));
  }

  /// What is wrong with the words of a file, said of it.
  template <typename Use>
  auto of_file(Use&& use) const {
    try {
      return use();
    } catch (const Infeasible&) {
      throw;
    } catch (const InvalidInput& error) {
      if (request_.file.empty()) throw;
      throw InvalidInput(fmt::format("{}: {}", name(), error.what()));
    }
  }

  void add(const Values& values, const std::string& workload, const std::string& platform) {
    // Where only some of the workloads have a variable, the others are asked for again and again.
    const std::string asked = of_file([&] {
      std::string words = csv_line({substituted(workload, values), substituted(platform, values)});
      for (const auto* list : {&request_.strategies, &request_.models}) {
        for (const auto& text : *list) words += csv_line({substituted(text, values)});
      }
      return words;
    });
    if (!seen_.insert(asked).second) return;
    const Experiment experiment = of_file([&] {
      return questioned(values, substituted(workload, values), substituted(platform, values));
    });
    refuse_too_many(experiment);
    for (const auto& path : placement_files(experiment.strategies)) {
      study_.inputs.push_back({"placement", path});
    }
    predicted_.see(experiment);
    if (experiment.simulate) note(experiment);
    auto rows = damocles::jobs(experiment);
    study_.points.push_back(
        {values, experiment.workload.text(), experiment.scenario.text(), rows.size()});
    study_.jobs.insert(study_.jobs.end(), std::move_iterator(rows.begin()),
                       std::move_iterator(rows.end()));
  }

  [[nodiscard]] Experiment questioned(const Values& values, const std::string& workload,
                                      const std::string& platform) {
    Experiment experiment{
        .workload = parsed(workload_of_, workload, "workload file", Workload::parse),
        .scenario = parsed(scenario_of_, platform, "platform file", Scenario::parse),
        .keep_infeasible = true};
    experiment.scenario = experiment.scenario.for_tasks_of(experiment.workload);
    for (const auto& strategy : request_.strategies) {
      for (const auto& spec : specs(substituted(strategy, values))) {
        add_chosen(spec, experiment);
      }
    }
    for (const auto& model : request_.models) {
      for (auto& chosen :
           choose_models(substituted(model, values), experiment.scenario.machine())) {
        experiment.models.push_back(std::move(chosen));
      }
    }
    experiment.simulate = request_.simulate;
    experiment.replicates = request_.replicates;
    experiment.seed = request_.seed;
    return experiment;
  }

  static std::vector<std::string> specs(const std::string& list) {
    return list == "all" || list.empty() ? std::vector<std::string>{list} : split_specs(list);
  }
  /// A strategy that is not defined there is one too: its rows say so.
  void add_chosen(const std::string& spec, Experiment& experiment) {
    if (spec == "all") {
      const auto all = AllStrategies::on(experiment.workload, experiment.scenario.machine());
      if (!all.left_out.empty() && !quiet_)
        add_note("not run by --strategies all: " + all.text_of_left_out());
    }
    try {
      for (auto& one :
           choose_strategies(spec, experiment.workload, experiment.scenario.machine())) {
        experiment.strategies.push_back(std::move(one));
      }
    } catch (const Infeasible& why) {
      if (spec == "all") {
        experiment.no_strategy = why.what();
      } else {
        experiment.strategies.push_back(spec);
      }
    }
  }

  /// Read once, also where many points have it.
  template <typename Thing>
  const Thing& parsed(std::map<std::string, Thing>& known, const std::string& text,
                      const char* role, Thing (*parse)(std::string_view)) {
    if (const auto found = known.find(text); found != known.end()) return found->second;
    const Thing& thing = known.emplace(text, parse(text)).first->second;
    if (thing.source()) study_.inputs.push_back({role, thing.source()->path});
    if constexpr (std::is_same_v<Thing, Scenario>) {
      for (const SourceFile& file : thing.times_files())
        study_.inputs.push_back({"times", file.path});
    }
    return thing;
  }

  void note(const Experiment& experiment) {
    auto texts = notes_on_files(experiment.workload, experiment.scenario);
    const std::string precisions = note_on_precisions(experiment.workload, experiment.scenario);
    if (!std::exchange(noted_precisions_, noted_precisions_ || !precisions.empty())) {
      texts.push_back(precisions);
    }
    const std::string rates = note_on_one_rate(experiment.workload, experiment.scenario);
    if (!quiet_ && !std::exchange(noted_rates_, noted_rates_ || !rates.empty())) {
      texts.push_back(rates);
    }
    const std::string changed = note_on_changed_default(experiment.workload);
    if (!quiet_ && !std::exchange(noted_default_, noted_default_ || !changed.empty())) {
      texts.push_back(changed);
    }
    for (const std::string& text : texts) add_note(text);
  }

  /// Keeps a text to tell, once however often it is added.
  void add_note(const std::string& text) {
    if (!text.empty() && noted_.insert(text).second) study_.notes.push_back(text);
  }

  void refuse_too_many(const Experiment& experiment) {
    const std::uint64_t a_strategy =
        (experiment.simulate ? experiment.replicates : 0) +
        experiment.models.size() * (experiment.scenario.random() ? experiment.replicates : 1);
    rows_ += saturated_product(experiment.strategies.size(), a_strategy);
    if (rows_ <= most_points) return;
    throw InvalidInput(fmt::format(
        "{} asks for {} rows and more{}; at most {} are possible", name(), rows_,
        request_.precision
            ? fmt::format(
                  ", with up to {} replicates; a smaller number of replicates asks for less",
                  request_.replicates)
            : "",
        most_points));
  }

  const SweepRequest& request_;
  bool quiet_;
  Points points_;
  std::map<std::string, Workload> workload_of_;
  std::map<std::string, Scenario> scenario_of_;
  std::set<std::string> seen_;
  std::uint64_t rows_ = 0;
  NamedModels predicted_;
  SweepStudy study_;
  std::set<std::string> noted_;
  bool noted_precisions_ = false;
  bool noted_rates_ = false;
  bool noted_default_ = false;
};

}  // namespace

SweepStudy study_of_sweep(const SweepRequest& request, bool quiet) {
  return SweepSettings(request, quiet).taken();
}

}  // namespace damocles
