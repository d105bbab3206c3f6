// What the part prediction (experiments/commands/parts.hpp) computes for rows and lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/studies/rows.hpp"
#include "experiments/studies/study.hpp"
#include "models/runs/record.hpp"

namespace damocles {

struct PredictionPart {
  /// As choose_models() in study.hpp.
  std::vector<std::string> (*choose_models)(const std::string& list,
                                            const std::optional<MachineModel>& machine);
  /// As in prediction/predictions.hpp.
  /// @{
  std::string (*why_no_prediction)(const std::string& name, const Experiment& experiment,
                                   const ResolvedStrategy& resolved);
  Record (*prediction)(const Experiment& experiment, const ResolvedStrategy& resolved,
                       const std::string& model, std::uint64_t replicate);
  /// @}
  /// As in prediction/thresholds.hpp.
  double (*automatic_beta)(const StrategyChoice& choice, const Workload& workload,
                           const Platform& platform);
  void (*list_models)(std::vector<std::vector<std::string>>& rows);
};

/// @param what  needs it, for the message: "--model"
/// @throws MissingPart where it is not built
[[nodiscard]] const PredictionPart& prediction_part(const std::string& what);

extern "C" const PredictionPart* damocles_prediction_part() __attribute__((weak));

}  // namespace damocles
