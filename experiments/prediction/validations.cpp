#include "experiments/prediction/validations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "experiments/prediction/limited_predictions.hpp"
#include "models/spec.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/model.hpp"
#include "ode/predictor.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// A model as it predicts strategies, and where it was compared with simulation.
struct Validation {
  std::string model;
  std::vector<std::string> strategies{};  ///< with errors of their own; none: of the model itself
  std::string expected{};                 ///< error, in words; "": not validated
  std::string domain{};                   ///< in words
  bool exact_in_most = false;             ///< whether the loads of nine of ten were exact

  [[nodiscard]] std::string name() const {
    return strategies.empty() ? model : fmt::format("{} of {}", model, fmt::join(strategies, ", "));
  }
  [[nodiscard]] bool says_the_same_as(const Validation& other) const {
    return model == other.model && expected == other.expected && domain == other.domain;
  }
};

/// Of a strategy with limited memory; nothing of what is exact.
std::optional<Validation> limited_validation(const std::string& strategy,
                                             const Experiment& experiment) {
  auto trust = limited_trust(strategy, experiment);
  if (!trust) return std::nullopt;
  const auto [loads, makespan] = trust->errors;
  if (loads == 0 && makespan == 0) return std::nullopt;
  return Validation{
      .model = std::move(trust->model),
      .strategies = {strategy},
      .expected = loads == 0 ? fmt::format("loads exact in nine of ten (makespan within {:g} %)",
                                           100 * makespan)
                             : fmt::format("{:g} % (makespan {:g} %)", 100 * loads, 100 * makespan),
      .domain = std::move(trust->limits),
      .exact_in_most = loads == 0};
}

/// Nothing of what is counted.
std::optional<Validation> validation_of(const Record& record, const Experiment& experiment) {
  const std::string strategy =
      strategy_called(Spec::parse(record.strategy, "strategy").name()).name;
  if (Table<LimitedModel>::find(record.model) != nullptr) {
    return limited_validation(strategy, experiment);
  }
  const Model& model = model_named(record.model);
  const Predictor& predictor = Table<Predictor>::named(strategy);
  const auto domain = predictor.domain(model);
  if (domain && domain->expected_error == 0) return std::nullopt;
  Validation one{.model = record.model};
  // Models are of dynamic and its two phases; others have errors of their own.
  if (predictor.rule_for(model)->domain != nullptr) one.strategies = {strategy};
  if (!domain) return one;
  one.expected = fmt::format("{:g} %", 100 * domain->expected_error);
  one.domain = in_words(*domain);
  return one;
}

/// Of the predicted records inside their domains, in their order; strategies of which the same is
/// said share one.
std::vector<Validation> validations(const std::vector<Record>& records,
                                    const Experiment& experiment) {
  std::vector<Validation> result;
  for (const Record& record : records) {
    if (record.source != "predicted" || record.domain.empty()) continue;
    if (record.domain.starts_with("outside")) continue;  // the row says why
    auto one = validation_of(record, experiment);
    if (!one) continue;
    const auto like = std::find_if(result.begin(), result.end(), [&](const Validation& other) {
      return other.says_the_same_as(*one);
    });
    if (like == result.end()) {
      result.push_back(std::move(*one));
      continue;
    }
    auto& named = like->strategies;
    for (std::string& strategy : one->strategies) {
      if (std::find(named.begin(), named.end(), strategy) == named.end()) {
        named.push_back(std::move(strategy));
      }
    }
  }
  return result;
}

}  // namespace

std::string validated_domains(const std::vector<Record>& records, const Experiment& experiment) {
  std::string lines;
  for (const Validation& one : validations(records, experiment)) {
    lines += one.expected.empty()
                 ? fmt::format("{}: not validated\n", one.name())
                 : fmt::format("{}: {}{}, validated for {}\n", one.name(),
                               one.exact_in_most ? "" : "nine of ten predictions within ",
                               one.expected, one.domain);
  }
  return lines;
}

std::string expected_errors(const std::vector<Record>& records, const Experiment& experiment) {
  constexpr std::size_t most_in_a_sentence = 2;
  std::vector<std::string> errors;
  std::string exact;
  std::string unknown;
  for (const Validation& one : validations(records, experiment)) {
    if (one.exact_in_most) {
      exact += fmt::format("{}: {}.\n", one.name(), one.expected);
    } else if (!one.expected.empty()) {
      errors.push_back(fmt::format("{} {}", one.name(), one.expected));
    } else {
      unknown += fmt::format("{} was not compared with simulation.\n", one.name());
    }
  }
  std::string text;
  if (!errors.empty()) {
    const bool in_a_sentence = errors.size() <= most_in_a_sentence;
    text = fmt::format("Nine of ten predictions without * are expected within:{}{}{}\n",
                       in_a_sentence ? " " : "\n  ",
                       fmt::join(errors, in_a_sentence ? ", " : "\n  "), in_a_sentence ? "." : "");
  }
  text += exact;
  if (!text.empty()) {
    text += "`damocles predict` says for which settings each model was validated.\n";
  }
  return text + unknown;
}

}  // namespace damocles
