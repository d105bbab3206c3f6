#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/spec.hpp"
#include "models/table.hpp"
#include "ode/model.hpp"

namespace damocles {

/// What models say of one strategy: an entry below what computes it.
struct Predictor {
  static constexpr const char* what = "predicted strategy";

  /// What one model says, or every model.
  struct ModelRule {
    std::string model;  ///< its name, or "": every model
    /// @param speeds  of each processor by id [tasks/s], as Problem's are relative and grouped
    /// @param beta    of the strategies that have one
    /// @param spec    the strategy's name and options
    std::optional<Prediction> (*predict)(const Model& model, const Problem& problem,
                                         std::span<const double> speeds, double beta,
                                         const Spec& spec);
    /// Why it predicts nothing for any speeds, or "", at little cost; nothing where it does not
    /// know the strategy.
    std::optional<std::string> (*why_unavailable)(const Model& model, const Problem& problem,
                                                  double beta);
    /// Where that was compared with simulation; nothing: it was not. nullptr: as the model was.
    std::optional<ValidatedDomain> (*domain)() = nullptr;
  };

  std::string name;  ///< of the strategy
  std::vector<ModelRule> rules;

  [[nodiscard]] std::optional<Prediction> predict(const Model& model, const Problem& problem,
                                                  std::span<const double> speeds, double beta,
                                                  const Spec& spec) const {
    const ModelRule* const by = rule_for(model);
    return by == nullptr ? std::nullopt : by->predict(model, problem, speeds, beta, spec);
  }
  [[nodiscard]] std::optional<std::string> why_unavailable(const Model& model,
                                                           const Problem& problem,
                                                           double beta) const {
    const ModelRule* const by = rule_for(model);
    return by == nullptr ? std::nullopt : by->why_unavailable(model, problem, beta);
  }

  /// Where the model's prediction was compared with simulation. @pre the model knows the strategy
  [[nodiscard]] std::optional<ValidatedDomain> domain(const Model& model) const {
    const ModelRule& by = *rule_for(model);
    return by.domain == nullptr ? model.domain : by.domain();
  }

  /// What the model says, nullptr where it does not know the strategy.
  [[nodiscard]] const ModelRule* rule_for(const Model& model) const {
    const auto at = std::find_if(rules.begin(), rules.end(), [&](const ModelRule& one) {
      return one.model.empty() || one.model == model.name;
    });
    return at == rules.end() ? nullptr : &*at;
  }
};

}  // namespace damocles
