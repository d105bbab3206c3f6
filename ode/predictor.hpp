#pragma once

#include <optional>
#include <span>
#include <string>

#include "models/table.hpp"
#include "ode/model.hpp"

namespace damocles {

/// What models say of one strategy: an entry below what computes it.
struct Predictor {
  static constexpr const char* what = "predicted strategy";
  std::string name;  ///< of the strategy
  /// @param speeds  of each processor by id [tasks/s], as Problem's are relative and grouped
  /// @param beta    of the strategies that have one
  std::optional<Prediction> (*predict)(const Model& model, const Problem& problem,
                                       std::span<const double> speeds, double beta);
  /// Why the model predicts nothing for any speeds, or "", at little cost; nothing where it does
  /// not know the strategy.
  std::optional<std::string> (*silent)(const Model& model, const Problem& problem, double beta);
};

}  // namespace damocles
