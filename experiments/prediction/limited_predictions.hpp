#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/studies/rows.hpp"
#include "ode/limited_memory/limited_predictor.hpp"

namespace damocles {

/// The platform `gpus:...` as the models of limited memory know it: one bus, transfers from host
/// memory alone, no outputs, decisions in no time. Several buses are one with the rates of all. Any
/// other platform as it is.
[[nodiscard]] std::string modelled_platform(const std::string& platform);

/// The model that predicts the strategy of that name on such a workload, and how near its
/// predictions are expected to be.
struct LimitedTrust {
  std::string model;
  ExpectedErrors errors{};
  std::string limits{};  ///< of the study that found these errors, in words
};
/// Nothing where no model does; whether it speaks of this run why_not_predicted() says.
[[nodiscard]] std::optional<LimitedTrust> limited_trust(const std::string& strategy,
                                                        const Experiment& experiment);

/// Why no model predicts anything of the strategy there, or "".
/// @pre why_no_limited_run() of both is ""
[[nodiscard]] std::string why_no_limited_model(const StrategyChoice& choice,
                                               const Workload& workload, const Platform& platform);
/// The run as that model sees it. @pre as above; the workload outlives it
/// @throws Infeasible where the inputs of a task do not fit into a memory
[[nodiscard]] LimitedRun modelled_run(const StrategyChoice& choice, const Workload& workload,
                                      const Platform& platform);

/// Why the model predicts nothing of the strategy on the experiment's platform, which limits
/// memory, or "".
[[nodiscard]] std::string why_not_predicted(const std::string& model, const Experiment& experiment,
                                            const ResolvedStrategy& resolved);

/// The row of what it predicts. @pre why_not_predicted() is ""
/// @throws Infeasible as modelled_run()
[[nodiscard]] Record limited_prediction(const Experiment& experiment,
                                        const ResolvedStrategy& resolved, const std::string& model,
                                        std::uint64_t replicate);

/// What a model says of a run over time.
struct PredictedCourse {
  LimitedPrediction prediction;  ///< without courses where the model gives totals alone
  std::size_t memory = 0;        ///< data items that fit into one memory
};
/// @pre why_not_predicted() is ""
[[nodiscard]] PredictedCourse predicted_course(const Experiment& experiment,
                                               const ResolvedStrategy& resolved);

/// From which memory on transfers hide behind computing: lines for those of the predicted
/// strategies of which that is known, and for panels on one GPU; "" where nothing is known.
[[nodiscard]] std::string hiding_memories(const Experiment& experiment,
                                          const std::vector<Record>& records);

}  // namespace damocles
