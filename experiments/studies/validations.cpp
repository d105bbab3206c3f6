#include "experiments/studies/validations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "models/spec.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/model.hpp"
#include "ode/predictor.hpp"
#include "ode/static_plans/plan_predictor.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// A model as it predicts the strategies of records, and where it was compared with simulation.
struct Validation {
  std::string name;
  std::string expected{};      ///< error, in words; "": not validated
  std::string domain{};        ///< in words
  bool exact_in_most = false;  ///< whether the loads of nine of ten were exact
};

/// Of a model with limited memory; nothing of what is exact.
std::optional<Validation> validation_with(const ExpectedErrors& errors, const std::string& name,
                                          std::string domain) {
  const auto [loads, makespan] = errors;
  if (loads == 0 && makespan == 0) return std::nullopt;
  return Validation{
      .name = name,
      .expected = loads == 0 ? fmt::format("loads exact in nine of ten (makespan within {:g} %)",
                                           100 * makespan)
                             : fmt::format("{:g} % (makespan {:g} %)", 100 * loads, 100 * makespan),
      .domain = std::move(domain),
      .exact_in_most = loads == 0};
}

/// Nothing of what is counted.
std::optional<Validation> validation_of(const Record& record) {
  const std::string strategy =
      strategy_called(Spec::parse(record.strategy, "strategy").name()).name;
  const std::string name = fmt::format("{} of {}", record.model, strategy);
  const std::string family = family_of(record.workload);
  if (record.model == plan_model) {
    return validation_with(Table<PlanPredictor>::named(strategy).errors(family, *record.processors),
                           name, limits_of_plan_study());
  }
  if (Table<LimitedModel>::find(record.model) != nullptr) {
    const bool speeds_differ = record.heterogeneity.has_value();
    return validation_with(
        Table<LimitedPredictor>::named(strategy).errors(family, *record.processors, speeds_differ),
        name, limits_of_study(family, speeds_differ));
  }
  const Model& model = model_named(record.model);
  const Predictor& predictor = Table<Predictor>::named(strategy);
  const auto domain = predictor.domain(model);
  if (domain && domain->expected_error == 0) return std::nullopt;
  // Models are of dynamic and its two phases; others have a name of their own.
  const bool own = predictor.rule_for(model)->domain != nullptr;
  Validation one{own ? name : record.model};
  if (!domain) return one;
  one.expected = fmt::format("{:g} %", 100 * domain->expected_error);
  one.domain = in_words(*domain);
  return one;
}

/// Of each model and domain among the predicted records inside it, in their order.
std::vector<Validation> validations(const std::vector<Record>& records) {
  std::vector<Validation> result;
  for (const Record& record : records) {
    if (record.source != "predicted" || record.domain.empty()) continue;
    if (record.domain.starts_with("outside")) continue;  // the row says why
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

}  // namespace damocles
